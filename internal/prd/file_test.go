package prd_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/prd"
)

func TestLoadRefusesWhatIsNoPlainFile(t *testing.T) {
	tests := map[string]struct {
		make func(path string) error
		want string
	}{
		"directory":    {func(p string) error { return os.Mkdir(p, 0o755) }, "is a directory, not a file"},
		"FIFO":         {func(p string) error { return syscall.Mkfifo(p, 0o644) }, "is not a regular file"},
		"device":       {func(p string) error { return os.Symlink("/dev/null", p) }, "is not a regular file"},
		"symlink loop": {func(p string) error { return os.Symlink(p, p) }, "cannot be read: too many levels of symbolic links"},
		"missing":      {func(string) error { return nil }, "cannot be read: no such file or directory"},
		"too large":    {func(p string) error { return sparse(p, prd.MaxSize+1) }, "is larger than 64 MB"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "prd.json")
			if err := tt.make(path); err != nil {
				t.Fatal(err)
			}
			_, _, err := prd.Load(path)
			if err == nil || err.Error() != path+" "+tt.want {
				t.Errorf("error = %v, want %q", err, path+" "+tt.want)
			}
		})
	}
}

func sparse(path string, size int64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Close())
}

func TestLoadWithoutPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	path := filepath.Join(t.TempDir(), "prd.json")
	if err := os.WriteFile(path, []byte(valid), 0); err != nil {
		t.Fatal(err)
	}
	if _, _, err := prd.Load(path); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error = %v, want fs.ErrPermission", err)
	}
}

func TestLoadMissingFileCanBeRecognised(t *testing.T) {
	if _, _, err := prd.Load(filepath.Join(t.TempDir(), "x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error = %v, want fs.ErrNotExist", err)
	}
}

func TestSaveLeavesEqualBytesAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prd.json")
	if err := os.WriteFile(path, []byte(valid), 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	p := mustParse(t, valid)
	if err := p.Save(path); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Error("the file was replaced although nothing changed")
	}
	p.Stories[1].Passes = true
	if err := p.Save(path); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil || os.SameFile(before, after) || after.Mode() != before.Mode() {
		t.Errorf("the file was not replaced with its mode kept: %v, %v", after.Mode(), err)
	}
	if again, _, err := prd.Load(path); err != nil || !cmp.Equal(again.Bytes(), p.Bytes()) {
		t.Errorf("what was saved is not what was loaded: %v", err)
	}
}

func TestSaveWritesBehindASymbolicLink(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "prd.json")
	if err := errors.Join(os.WriteFile(real, nil, 0o644), os.Symlink(real, link)); err != nil {
		t.Fatal(err)
	}
	if err := mustParse(t, valid).Save(link); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(real); err != nil || string(got) != valid {
		t.Errorf("the file behind the link holds %q, %v", got, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link was replaced by a file")
	}
}

func TestSaveTellsWhereItCannotWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gone", "prd.json")
	err := mustParse(t, valid).Save(path)
	if err == nil || !strings.HasPrefix(err.Error(), path+" cannot be written: ") {
		t.Errorf("error = %v", err)
	}
}
