package checkpoint

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ralph/internal/git"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// newStore is a store of a repository with the files a and dir/b and an ignored one.
func newStore(t *testing.T) (Store, string) {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	run(t, root, "git", "init", "--quiet", "--initial-branch=main")
	write(t, root, map[string]string{".gitignore": "build\nplan\n", "a": "one\n", "dir/b": "two\n", "build": "object\n"})
	commit(t, root)
	repo, err := git.Open(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	return Store{repo, "feature-x"}, root
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func commit(t *testing.T, root string) string {
	t.Helper()
	run(t, root, "git", "add", "--all")
	run(t, root, "git", "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--message=x")
	return run(t, root, "git", "rev-parse", "HEAD")
}

// write writes files; a content of "-" removes one, "->x" makes it a link.
func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file, content := filepath.Join(root, name), files[name]
		if content == "-" {
			if err := os.RemoveAll(file); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		err := error(nil)
		if target, ok := strings.CutPrefix(content, "->"); ok {
			os.Remove(file)
			err = os.Symlink(target, file)
		} else {
			err = os.WriteFile(file, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// tree is everything below root, as write takes it.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.Name() == ".git" {
			if d != nil && d.IsDir() {
				return filepath.SkipDir
			}
			return err
		}
		if d.IsDir() {
			return nil
		}
		rel, _ := filepath.Rel(root, path)
		if target, err := os.Readlink(path); err == nil {
			files[rel] = "->" + target
			return nil
		}
		data, err := os.ReadFile(path)
		files[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func save(t *testing.T, s Store, ref string, also ...string) git.Saved {
	t.Helper()
	kept, err := s.Save(t.Context(), ref, "before iteration 1", noon, git.Saved{}, also...)
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

// TestSaveAgain: a state is kept again only where something has changed, or where the state that
// it equals will be forgotten much earlier.
func TestSaveAgain(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, root string)
		later  time.Duration
		again  bool
	}{
		"nothing":          {func(*testing.T, string) {}, time.Hour, false},
		"an edit":          {func(t *testing.T, root string) { write(t, root, map[string]string{"a": "on*\n"}) }, 0, true},
		"a new file":       {func(t *testing.T, root string) { write(t, root, map[string]string{"new": "\n"}) }, 0, true},
		"the ignored plan": {func(t *testing.T, root string) { write(t, root, map[string]string{"plan/prd.json": "{2}\n"}) }, 0, true},
		"an empty commit":  {func(t *testing.T, root string) { commit(t, root) }, 0, true},
		"days later":       {func(*testing.T, string) {}, 48 * time.Hour, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, root := newStore(t)
			plan := filepath.Join("plan", "prd.json")
			write(t, root, map[string]string{"dir/b": "draft\n", "plan/prd.json": "{1}\n"})
			first := save(t, s, s.Iteration("r", 1), plan)
			c.change(t, root)
			next, err := s.Save(t.Context(), s.Iteration("r", 2), "x", noon.Add(c.later), first, plan)
			if err != nil {
				t.Fatal(err)
			}
			points, err := s.Points(t.Context(), "r")
			if err != nil {
				t.Fatal(err)
			}
			if again := next.Commit != first.Commit; again != c.again || len(points) != 1 && !again || len(points) != 2 && again {
				t.Errorf("%s, then %s; %d references", first.Commit, next.Commit, len(points))
			}
		})
	}
}

// TestSaveAndRestore: whatever becomes of a worktree, its state comes back, and what was there
// instead comes back after that.
func TestSaveAndRestore(t *testing.T) {
	for name, c := range map[string]struct {
		before, after map[string]string // changed before the state is kept, and after
		stage         bool              // with git add, before
		commit        bool              // after
	}{
		"nothing":               {},
		"an edit":               {after: map[string]string{"a": "changed\n"}},
		"a commit":              {after: map[string]string{"a": "changed\n", "new": "n\n"}, commit: true},
		"uncommitted before":    {before: map[string]string{"a": "draft\n", "note": "n\n", "dir/b": "-"}, after: map[string]string{"a": "changed\n", "note": "-"}, commit: true},
		"staged before":         {before: map[string]string{"a": "draft\n"}, stage: true, after: map[string]string{"a": "-"}, commit: true},
		"ignored plan":          {before: map[string]string{"plan/prd.json": "{1}\n"}, after: map[string]string{"plan/prd.json": "{2}\n"}},
		"plan removed":          {before: map[string]string{"plan/prd.json": "{1}\n"}, after: map[string]string{"plan": "-"}},
		"a file to a folder":    {after: map[string]string{"a": "-", "a/deep/c": "c\n"}},
		"a folder to a file":    {before: map[string]string{"dir/c": "c\n"}, after: map[string]string{"dir": "-"}},
		"a folder to a link":    {after: map[string]string{"dir": "-", "elsewhere": "->/nonexistent"}},
		"strange names":         {before: map[string]string{"with \"quotes\" and\ttab\nline é": "x\n", "-dash": "d\n"}, after: map[string]string{"with \"quotes\" and\ttab\nline é": "y\n", "-dash": "-"}},
		"links":                 {before: map[string]string{"l": "->a"}, after: map[string]string{"l": "->dir"}},
		"line ends":             {before: map[string]string{"a": "one\r\ntwo\n"}, after: map[string]string{"a": "one\n"}},
		"a large file":          {before: map[string]string{"big": strings.Repeat("0123456789abcdef", 1<<17)}, after: map[string]string{"big": "small"}},
		"an empty file":         {before: map[string]string{"a": ""}, after: map[string]string{"a": "-"}},
		"what is ignored stays": {after: map[string]string{"build": "newer\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, root := newStore(t)
			plan := filepath.Join("plan", "prd.json")
			write(t, root, c.before)
			if c.stage {
				run(t, root, "git", "add", "--all")
			}
			want, head := tree(t, root), run(t, root, "git", "rev-parse", "HEAD")
			index := run(t, root, "git", "ls-files", "--stage")
			to := save(t, s, s.Iteration("r", 1), plan)
			if got := tree(t, root); !maps.Equal(got, want) || run(t, root, "git", "ls-files", "--stage") != index {
				t.Errorf("saving changed the worktree or the index: %v", got)
			}
			write(t, root, c.after)
			if c.commit {
				commit(t, root)
			}
			later := tree(t, root)
			now := save(t, s, s.Iteration("undo", 1), plan)
			if err := s.Restore(t.Context(), "main", now, now, to); err != nil {
				t.Fatal(err)
			}
			if c.after["build"] != "" {
				want["build"] = c.after["build"]
			}
			if got := tree(t, root); !maps.Equal(got, want) {
				t.Errorf("restored %v, want %v", got, want)
			}
			if got := run(t, root, "git", "rev-parse", "main"); got != head {
				t.Errorf("the branch is at %s, want %s", got, head)
			}
			back := save(t, s, s.Iteration("undo", 2), plan)
			if err := s.Restore(t.Context(), "main", back, back, now); err != nil {
				t.Fatal(err)
			}
			if got := tree(t, root); !maps.Equal(got, later) {
				t.Errorf("undone %v, want %v", got, later)
			}
			if c.commit {
				if got := run(t, root, "git", "status", "--porcelain"); got != "" {
					t.Errorf("what was committed differs: %s", got)
				}
			}
		})
	}
}

// TestRestoreGoesOn: a restore that was cut off after any step is completed by another one, and
// what others changed meanwhile stays.
func TestRestoreGoesOn(t *testing.T) {
	s, root := newStore(t)
	to := save(t, s, s.Iteration("r", 1))
	write(t, root, map[string]string{"a": "agent\n", "dir/b": "-", "new": "n\n"})
	commit(t, root)
	from := save(t, s, s.Parked("STORY-001"))
	want := map[string]string{".gitignore": "build\nplan\n", "a": "one\n", "dir/b": "two\n", "build": "object\n", "mine": "m\n"}
	for name, cut := range map[string]func(){
		"at once":         func() {},
		"after one file":  func() { write(t, root, map[string]string{"a": "one\n"}) },
		"after all files": func() { write(t, root, map[string]string{"a": "one\n", "dir/b": "two\n", "new": "-"}) },
		"after the branch too": func() {
			run(t, root, "git", "reset", "--quiet", "--hard", to.Head)
			os.Remove(filepath.Join(root, "new"))
		},
	} {
		run(t, root, "git", "reset", "--quiet", "--hard", from.Head)
		cut()
		write(t, root, map[string]string{"mine": "m\n"})
		now := save(t, s, s.Iteration("now", 1))
		if err := s.Restore(t.Context(), "main", now, from, to); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := tree(t, root); !maps.Equal(got, want) {
			t.Errorf("%s: %v", name, got)
		}
		if got := run(t, root, "git", "status", "--porcelain"); got != "?? mine" {
			t.Errorf("%s: status %q", name, got)
		}
		os.Remove(filepath.Join(root, "mine"))
	}
}

// TestRestoreRefuses to replace a file or to drop a commit of someone else.
func TestRestoreRefuses(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, root string){
		"a file":   func(t *testing.T, root string) { write(t, root, map[string]string{"a": "mine\n"}) },
		"a commit": func(t *testing.T, root string) { write(t, root, map[string]string{"mine": "m\n"}); commit(t, root) },
	} {
		s, root := newStore(t)
		to := save(t, s, s.Iteration("r", 1))
		write(t, root, map[string]string{"a": "agent\n", "dir/b": "agent\n"})
		from := save(t, s, s.Parked("S"))
		change(t, root)
		want, head := tree(t, root), run(t, root, "git", "rev-parse", "HEAD")
		now := save(t, s, s.Iteration("now", 1))
		var mixed *MixedError
		if err := s.Restore(t.Context(), "main", now, from, to); !errors.As(err, &mixed) {
			t.Errorf("%s: %v", name, err)
		}
		if got := tree(t, root); !maps.Equal(got, want) || run(t, root, "git", "rev-parse", "HEAD") != head {
			t.Errorf("%s: something was changed: %v", name, got)
		}
	}
}

// TestNothingOutside: a link in the place of a folder does not lead a restore elsewhere.
func TestNothingOutside(t *testing.T) {
	s, root := newStore(t)
	outside := t.TempDir()
	to := save(t, s, s.Iteration("r", 1))
	write(t, root, map[string]string{"dir": "-", ".gitignore": "build\nplan\ndir\n"})
	if err := os.Symlink(outside, filepath.Join(root, "dir")); err != nil {
		t.Fatal(err)
	}
	now := save(t, s, s.Iteration("now", 1))
	if err := s.Restore(t.Context(), "main", now, now, to); err == nil {
		t.Error("no error")
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("%v was written outside", left)
	}
}

// TestStagedIsKept: what is staged and nowhere else is the second parent.
func TestStagedIsKept(t *testing.T) {
	s, root := newStore(t)
	write(t, root, map[string]string{"a": "staged\n"})
	run(t, root, "git", "add", "a")
	write(t, root, map[string]string{"a": "edited\n"})
	kept := save(t, s, s.Iteration("r", 1))
	if got := run(t, root, "git", "show", kept.Commit+"^2:a"); got != "staged" {
		t.Errorf("the second parent has %q", got)
	}
	if got := run(t, root, "git", "show", s.Iteration("r", 1)+":a"); got != "edited" {
		t.Errorf("the state has %q", got)
	}
}

// TestPruneAndPoints: old states go, and work on stories that were accepted since. Those of the
// run stay, and earlier tests, and the work on other parked stories.
func TestPruneAndPoints(t *testing.T) {
	s, _ := newStore(t)
	for _, ref := range []string{s.Iteration("old", 1), s.Iteration("now", 10), s.Iteration("now", 2),
		s.Tests(), s.Parked("STORY-001"), s.Parked("STORY-002"), s.Parked("STORY-002") + older + "0123456789ab"} {
		save(t, s, ref)
	}
	accepted := map[string]bool{"STORY-001": false, "STORY-002": true}
	points, err := s.Points(t.Context(), "now")
	if err != nil || len(points) != 2 || points[0].N != 2 || points[1].N != 10 {
		t.Errorf("points %v, %v", points, err)
	}
	if n, err := s.Prune(t.Context(), noon, "now", accepted); n != 0 || err != nil {
		t.Errorf("%d pruned that are young enough, %v", n, err)
	}
	if n, err := s.Prune(t.Context(), noon.Add(time.Second), "now", accepted); n != 3 || err != nil {
		t.Errorf("%d pruned, %v", n, err)
	}
	refs, err := s.Repo.Refs(t.Context(), s.Prefix())
	if err != nil || len(refs) != 4 {
		t.Errorf("left %v, %v", refs, err)
	}
}

// TestEscape: git takes every name, and two names stay two.
func TestEscape(t *testing.T) {
	s, root := newStore(t)
	seen := map[string]string{}
	for _, id := range []string{"STORY-001", "STORY-002.1", ".hidden", "end.", "a..b", "x.lock", "a b", "a~b", "a^b", "a:b", "a?b", "a*b", "a[b", `a\b`,
		"@{", "a/b", "a%2Fb", "é", "", "-x", "tab\t", strings.Repeat("long", 80), strings.Repeat("long", 81)} {
		ref := s.Parked(id)
		run(t, root, "git", "check-ref-format", ref)
		if other, taken := seen[ref]; taken {
			t.Errorf("%q and %q are both %s", id, other, ref)
		}
		seen[ref] = id
		for part := range strings.SplitSeq(ref, "/") {
			if len(part) > 200 {
				t.Errorf("%s is too long for a file", ref)
			}
		}
	}
}
