package check

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestPlace puts the plan into worktrees of commits that hold it, hold none, and
// hold links in its place.
func TestPlace(t *testing.T) {
	const rel = ".ralph/x/prd.json"
	outside := t.TempDir()
	write(t, filepath.Join(outside, "x/prd.json"), "a person's")
	for _, c := range []struct {
		name   string
		commit func(root string)
		status string // of git, afterwards
		fails  bool
	}{
		{"another state", func(root string) { write(t, filepath.Join(root, rel), "open") }, "", false},
		{"the same state", func(root string) { write(t, filepath.Join(root, rel), "marked") }, "", false},
		{"no plan", func(string) {}, "?? .ralph/", false},
		{"a link to another file", func(root string) {
			if err := errors.Join(os.MkdirAll(filepath.Join(root, ".ralph/x"), 0o755), os.Symlink("../../a", filepath.Join(root, rel))); err != nil {
				t.Fatal(err)
			}
		}, "", false},
		{"a link to a folder elsewhere", func(root string) {
			if err := os.Symlink(outside, filepath.Join(root, ".ralph")); err != nil {
				t.Fatal(err)
			}
		}, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			repo, _, temp, state := newRepo(t)
			c.commit(repo.Root)
			command(t, repo.Root, "git", "add", "-A")
			command(t, repo.Root, "git", "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "y")
			head := command(t, repo.Root, "git", "rev-parse", "HEAD")
			clean, err := NewCleanWorktree(t.Context(), repo, head, state)
			if err != nil {
				t.Fatal(err)
			}
			err = clean.AddFile(t.Context(), rel, []byte("marked"))
			var none *CheckoutError
			if errors.As(err, &none) != c.fails || err != nil && !c.fails {
				t.Errorf("placed: %v", err)
			}
			dir, err := clean.Dir(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if data, err := os.ReadFile(filepath.Join(dir, rel)); !c.fails && (err != nil || string(data) != "marked") {
				t.Errorf("the plan is %q, %v", data, err)
			}
			if got := command(t, dir, "git", "status", "--porcelain"); got != c.status {
				t.Errorf("git shows %q, want %q", got, c.status)
			}
			if data, err := os.ReadFile(filepath.Join(dir, "a")); err != nil || string(data) != "one\n" {
				t.Errorf("a file of the project is %q, %v", data, err)
			}
			if data, err := os.ReadFile(filepath.Join(outside, "x/prd.json")); err != nil || string(data) != "a person's" {
				t.Errorf("a file elsewhere is %q, %v", data, err)
			}
			if err := clean.Remove(); err != nil {
				t.Error(err)
			}
			nothingLeft(t, repo, temp, state)
		})
	}
}
