package git

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What SaveState writes is what git would have written of the same files, and git finds nothing
// wrong with it.
func TestSavedStateIsAsGitWritesIt(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		isolate(t)
		dir := t.TempDir()
		git(t, dir, "init", "--quiet", "--initial-branch=main", "--object-format="+format)
		repo := open(t, dir)
		save := func(what string, want int) {
			t.Helper()
			kept, err := repo.SaveState(t.Context(), "refs/ralph/state", what, time.Now(), Saved{}, "kept.ignored")
			if err != nil {
				t.Fatal(format, what, err)
			}
			git(t, dir, "add", "--all")
			git(t, dir, "add", "--force", "kept.ignored")
			if tree := git(t, dir, "rev-parse", kept.Commit+"^{tree}"); tree != git(t, dir, "write-tree") {
				t.Errorf("%s: the state of %s differs:\n%s", format, what, git(t, dir, "diff", "--cached", "--stat", tree))
			}
			if state, err := repo.ReadState(t.Context(), "refs/ralph/state"); err != nil || state.Commit != kept.Commit || state.Head != kept.Head {
				t.Errorf("%s: %+v and not %+v, %v", format, state, kept, err)
			}
			out := git(t, dir, "fsck", "--strict", "--no-dangling")
			if out != "" && out != "notice: HEAD points to an unborn branch (main)" {
				t.Errorf("%s: %s: %s", format, what, out)
			}
			if n := len(git(t, dir, "rev-list", "--parents", "-1", kept.Commit)); n != want {
				t.Errorf("%s: %s: %d", format, what, n)
			}
		}
		write(t, dir, ".gitignore", "*.ignored\n")
		write(t, dir, "kept.ignored", "kept\n")
		write(t, dir, "other.ignored", "not kept\n")
		for _, name := range []string{"a/x", "a.b", "a0", "a-/y", "empty", "deep/er/and/deeper", "deep/er.txt", "ä \"\n\\"} {
			write(t, dir, name, name)
		}
		hash := len(git(t, dir, "hash-object", ".gitignore"))
		save("no commit", hash)
		git(t, dir, "commit", "--quiet", "-m", "x")
		save("nothing", 2*hash+1)
		// A file becomes a folder, a folder becomes a file, and another one is gone.
		for _, name := range []string{"a", "a.b", "deep"} {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		write(t, dir, "a", "a file\n")
		write(t, dir, "a.b/c/d", "a folder\n")
		if err := os.Symlink("nowhere", filepath.Join(dir, "link")); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, "a0"), 0o755); err != nil {
			t.Fatal(err)
		}
		save("many changes", 2*hash+1)
		if err := repo.Unstage(t.Context(), "HEAD", []string{"a", "a/x", "a.b", "link"}); err != nil {
			t.Fatal(err)
		}
		if out := git(t, dir, "diff", "--cached", "--name-only", "HEAD", "--", "a", "a.b", "link"); out != "" {
			t.Errorf("%s: staged is %q", format, out)
		}
	}
}

// Folders of objects get the rights of the folder that they are in, for repositories of groups.
func TestObjectsOfAGroup(t *testing.T) {
	repo := newRepo(t)
	objects := filepath.Join(repo.CommonDir, "objects")
	if err := os.Chmod(objects, 0o770); err != nil {
		t.Fatal(err)
	}
	hash, err := repo.WriteBlob("shared\n")
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(objects, hash[:2]))
	if err != nil || info.Mode().Perm() != 0o770 {
		t.Errorf("%v, %v", info, err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(objects, hash[:2], hash[2:]), old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := repo.WriteBlob("shared\n"); err != nil {
		t.Fatal(err)
	}
	if info, err = os.Stat(filepath.Join(objects, hash[:2], hash[2:])); err != nil || info.ModTime().Equal(old) {
		t.Error("git may remove an object that is written again")
	}
	if left, _ := filepath.Glob(filepath.Join(objects, "tmp_obj_*")); len(left) > 0 {
		t.Errorf("%v was left", left)
	}
}
