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
	var odd error = &fs.PathError{Op: "open", Path: filepath.Join(dir, "pipe", "x"), Err: syscall.ENOTDIR}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, device := os.ReadFile("/dev/null/x/loops")
	missing := filepath.Join(dir, "no", "such")
	here := Places{Others: []string{"/nowhere", dir}}
	for _, c := range []struct {
		name string
		in   Places
		err  error
		want string
	}{
		{"a file in place of a folder", here, below, file + " is not a folder, but must be one: mv '" + file + "' '" + file + ".aside'"},
		{"a folder in place of a file", here, fmt.Errorf("wrapped: %w", folder), dir + " is a folder, and a file is needed there: mv " + dir + " " + dir + ".aside"},
		{"a folder around that of the user", Places{Home: filepath.Join(dir, "home")}, folder, dir + " is a folder, and a file is needed there: name another folder with RALPH_HOME"},
		{"another place", Places{Home: "/nowhere"}, below, file + " is not a folder, but must be one; see what it is: ls -ld '" + file + "'"},
		{"a device where the user's folder should be", Places{Home: "/dev/null/x"}, device, "/dev/null is not a folder, but must be one: name another folder with RALPH_HOME"},
		{"a device as the user's folder", Places{Home: "/dev/null"}, device, "/dev/null is not a folder, but must be one: name another folder with RALPH_HOME"},
		{"no plain file", here, odd, filepath.Join(dir, "pipe") + " is not a folder, but must be one; see what it is: ls -ld " + filepath.Join(dir, "pipe")},
		{"permissions", here, &fs.PathError{Op: "open", Path: missing, Err: syscall.EACCES}, "see to its owner and permissions: ls -ld " + dir},
		{"read only", here, &fs.PathError{Op: "open", Path: missing, Err: syscall.EROFS}, "the disk of " + dir + " can only be read"},
		{"full", here, &fs.PathError{Op: "write", Path: missing, Err: syscall.ENOSPC}, "make room on the disk: df -h " + dir},
		{"not there", here, &fs.PathError{Op: "open", Path: missing, Err: syscall.ENOENT}, ""},
		{"no path", here, syscall.ENOTDIR, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.in.Obstacle(c.err); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
