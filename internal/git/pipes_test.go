package git

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A named pipe in the place of a file of git does not hold git: the reader ends.
func TestRemovePipes(t *testing.T) {
	dir := t.TempDir()
	pipe, other := filepath.Join(dir, "sub/.gitignore"), filepath.Join(dir, "pipe")
	if err := os.Mkdir(filepath.Dir(pipe), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, other} {
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := make(chan error, 1)
	go func() {
		_, err := os.ReadFile(pipe)
		read <- err
	}()
	removePipes(dir)
	if err := <-read; err != nil && !os.IsNotExist(err) { // it may be removed before it is opened
		t.Error(err)
	}
	if _, err := os.Lstat(pipe); err == nil {
		t.Error("the pipe is still there")
	}
	if _, err := os.Lstat(other); err != nil {
		t.Errorf("a pipe that git does not read was removed: %v", err)
	}
}

// TestReadFileDoesNotWait: a pipe in the place of a branch is left to git: its calls end.
func TestReadFileDoesNotWait(t *testing.T) {
	repo := newRepo(t)
	branch := filepath.Join(repo.GitDir, "refs", "heads", "main")
	if err := os.Remove(branch); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(branch, 0o600); err != nil {
		t.Fatal(err)
	}
	if head, ok := repo.readHead(); ok {
		t.Errorf("readHead returned %+v of a named pipe", head)
	}
}
