package regular_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ralph/internal/regular"
)

func TestRead(t *testing.T) {
	file := func(text string) func(string) error {
		return func(p string) error { return os.WriteFile(p, []byte(text), 0o644) }
	}
	link := func(to string) func(string) error { return func(p string) error { return os.Symlink(to, p) } }
	for name, c := range map[string]struct {
		make               func(path string) error
		want, noLink, text string // the error without the path; "" for none
	}{
		"a file":     {file("abc"), "", "", ""},
		"empty":      {file(""), "", "", ""},
		"a folder":   {func(p string) error { return os.Mkdir(p, 0o755) }, " is a directory, not a file", "=", "="},
		"a FIFO":     {func(p string) error { return syscall.Mkfifo(p, 0o644) }, " is not a regular file", "=", "="},
		"a device":   {link("/dev/zero"), " is not a regular file", " is a symbolic link: put the file itself in its place", "="},
		"a link":     {link("/dev/../etc/passwd"), "", " is a symbolic link: put the file itself in its place", ""},
		"dangling":   {link("gone"), " is a link to gone, which does not exist: file does not exist", " is a symbolic link: put the file itself in its place", "="},
		"a loop":     {func(p string) error { return os.Symlink(p, p) }, " cannot be read: too many levels of symbolic links", " is a symbolic link: put the file itself in its place", "="},
		"none":       {func(string) error { return nil }, " cannot be read: no such file or directory", "=", "="},
		"too large":  {file(strings.Repeat("x", 1<<20+1)), " is larger than 1 MB", "=", "="},
		"the limit":  {file(strings.Repeat("x", 1<<20)), "", "", ""},
		"Latin-1":    {file("# a\n\nf\xfcr \ufffd\n"), "", "", ":3: the file is not valid UTF-8: save it as UTF-8"},
		"not ASCII":  {file("für \ufffd\n"), "", "", ""},
		"a pipe end": {link("/proc/self/fd/99"), " is a link to /proc/self/fd/99, which does not exist: file does not exist", " is a symbolic link: put the file itself in its place", "="},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			if err := c.make(path); err != nil {
				t.Fatal(err)
			}
			same := func(want string) string {
				if want == "=" {
					want = c.want
				}
				return want
			}
			_, err := regular.Read(path, 1<<20)
			expect(t, "Read", err, path, c.want)
			_, err = regular.ReadNoLink(path, 1<<20)
			expect(t, "ReadNoLink", err, path, same(c.noLink))
			_, err = regular.ReadText(path, 1<<20)
			expect(t, "ReadText", err, path, same(c.text))
			if name == "none" && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%v is not fs.ErrNotExist", err)
			}
		})
	}
}

func expect(t *testing.T, what string, err error, path, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || err.Error() != path+want) {
		t.Errorf("%s: error = %v, want %q", what, err, want)
	}
}
