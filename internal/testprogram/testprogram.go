// Package testprogram writes the programs that tests start in place of real ones.
package testprogram

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Write writes an executable file. No test of this process starts another program meanwhile: a
// child has all files of its parent open for a moment, and the system refuses to start a program
// that is open for writing ("text file busy", https://go.dev/issue/22315).
func Write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, []byte(text), 0o755)
	syscall.ForkLock.RUnlock()
	if err == nil {
		err = os.Chmod(path, 0o755) // whatever the umask is
	}
	if err != nil {
		t.Fatal(err)
	}
}
