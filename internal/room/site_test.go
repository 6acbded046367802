package room

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWrites: a link leads out of the worktree, unless the user's settings allow its folder.
func TestWrites(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tree", "open", "closed"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(dir, name), filepath.Join(dir, "tree", "to-"+name)); err != nil {
			t.Fatal(err)
		}
	}
	s := Site{Root: filepath.Join(dir, "tree"), Home: dir, Write: []string{"~/open"}}
	for name, want := range map[string]bool{"": true, "new": true, "to-tree": true, "to-open": true, "to-closed": false} {
		if got := s.Writes(filepath.Join(s.Root, name)); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}
