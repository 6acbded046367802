package check

import (
	"os"
	"path/filepath"
	"testing"
)

// TestBorrow: a clean worktree gets the dependencies that git ignores, and no builds.
func TestBorrow(t *testing.T) {
	repo, _, _, state := newRepo(t)
	write(t, filepath.Join(repo.Root, ".gitignore"), "node_modules/\n.env\nbuild/\n")
	command(t, repo.Root, "git", "add", "-A")
	command(t, repo.Root, "git", "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "x")
	for _, name := range []string{"node_modules/x/index.js", "web/node_modules/y.js", ".env", "build/out"} {
		write(t, filepath.Join(repo.Root, name), "x")
	}
	head := command(t, repo.Root, "git", "rev-parse", "HEAD")
	clean, err := NewCleanWorktree(t.Context(), repo, head, state)
	if err != nil {
		t.Fatal(err)
	}
	if err := clean.Borrow(t.Context()); err != nil {
		t.Fatal(err)
	}
	dir, err := clean.Dir(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"node_modules/x/index.js": true, "web/node_modules/y.js": true, ".env": true, "build": false} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := clean.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(repo.Root, "node_modules/x/index.js")); err != nil {
		t.Error("what was borrowed was removed")
	}
}
