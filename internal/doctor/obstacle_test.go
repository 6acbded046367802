package doctor

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestObstacle(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, below := os.ReadFile(filepath.Join(file, "x", "lock"))
	_, folder := os.ReadFile(dir)
	missing := filepath.Join(dir, "no", "such")
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"a file in place of a folder", below, file + " is no folder, and one is needed there: mv '" + file + "' '" + file + ".aside'"},
		{"a folder in place of a file", fmt.Errorf("wrapped: %w", folder), dir + " is a folder, and a file is needed there: mv " + dir + " " + dir + ".aside"},
		{"permissions", &fs.PathError{Op: "open", Path: missing, Err: syscall.EACCES}, "see to its owner and permissions: ls -ld " + dir},
		{"read only", &fs.PathError{Op: "open", Path: missing, Err: syscall.EROFS}, "the disk of " + dir + " can only be read"},
		{"full", &fs.PathError{Op: "write", Path: missing, Err: syscall.ENOSPC}, "make room on the disk: df -h " + dir},
		{"not there", &fs.PathError{Op: "open", Path: missing, Err: syscall.ENOENT}, ""},
		{"no path", syscall.ENOTDIR, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Obstacle(c.err); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
