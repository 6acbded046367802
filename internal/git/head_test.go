package git

import (
	"os"
	"path/filepath"
	"testing"
)

// wantHead compares with git's own answer, by whatever way the head was found.
func wantHead(t *testing.T, repo *Repo, want Head) {
	t.Helper()
	got, err := repo.Head(t.Context())
	if err != nil || got != want {
		t.Errorf("Head = %+v, %v; want %+v", got, err, want)
	}
	asked, err := repo.askHead(t.Context())
	if err != nil || asked != want {
		t.Errorf("git says %+v, %v; want %+v", asked, err, want)
	}
}

func TestHeadOfBranches(t *testing.T) {
	repo := newRepo(t)
	first := git(t, repo.Root, "rev-parse", "HEAD")
	for _, branch := range []string{"feature/user-auth", "üñí/☃", "a@b", "x.y"} {
		git(t, repo.Root, "switch", "--quiet", "--create", branch)
		wantHead(t, repo, Head{branch, first})
	}
	git(t, repo.Root, "update-ref", "refs/heads/-dash", first)
	git(t, repo.Root, "symbolic-ref", "HEAD", "refs/heads/-dash")
	wantHead(t, repo, Head{"-dash", first})

	git(t, repo.Root, "pack-refs", "--all")
	wantHead(t, repo, Head{"-dash", first})
	second := commit(t, repo.Root)
	wantHead(t, repo, Head{"-dash", second})

	git(t, repo.Root, "switch", "--quiet", "--detach", first)
	wantHead(t, repo, Head{"", first})
	git(t, repo.Root, "switch", "--quiet", "--orphan", "unborn")
	wantHead(t, repo, Head{"unborn", ""})
	git(t, repo.Root, "symbolic-ref", "HEAD", "refs/heads/feature")
	wantHead(t, repo, Head{"feature", ""}) // feature/user-auth is there, packed
}

func TestHeadOfALinkedWorktree(t *testing.T) {
	repo := newRepo(t)
	dir := filepath.Join(t.TempDir(), "linked")
	git(t, repo.Root, "worktree", "add", "--quiet", "-b", "other", dir)
	hash := commit(t, dir)
	wantHead(t, open(t, dir), Head{"other", hash})
}

func TestHeadOfUnusualFiles(t *testing.T) {
	repo := newRepo(t)
	hash := git(t, repo.Root, "rev-parse", "HEAD")
	t.Run("reference to a reference", func(t *testing.T) {
		git(t, repo.Root, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
		write(t, repo.GitDir, "HEAD", "ref: refs/heads/alias\n")
		got, err := repo.Head(t.Context())
		if err != nil || got.Commit != hash {
			t.Errorf("Head = %+v, %v", got, err)
		}
	})
	t.Run("symbolic link", func(t *testing.T) {
		file := filepath.Join(repo.GitDir, "HEAD")
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("refs/heads/main", file); err != nil {
			t.Fatal(err)
		}
		wantHead(t, repo, Head{"main", hash})
	})
	t.Run("broken", func(t *testing.T) {
		if err := os.Remove(filepath.Join(repo.GitDir, "HEAD")); err != nil {
			t.Fatal(err)
		}
		if got, err := repo.Head(t.Context()); err == nil {
			t.Errorf("Head = %+v, want an error", got)
		}
	})
}

func TestHeadOfASHA256Repository(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	git(t, dir, "init", "--quiet", "--object-format=sha256", "--initial-branch=main")
	wantHead(t, open(t, dir), Head{"main", commit(t, dir)})
}

func BenchmarkHead(b *testing.B) {
	repo := newRepo(b)
	for b.Loop() {
		if _, err := repo.Head(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
