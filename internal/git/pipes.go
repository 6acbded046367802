package git

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// stuck is how long a call of git may take before named pipes are searched.
const stuck = 5 * time.Second

// removePipes removes the named pipes below dir that git may be reading: its own files in every
// folder, and all in the git directory. An agent can leave such a file, and git would wait for
// a writer until its time limit. A pipe holds no content, and git can store none.
func removePipes(dir string) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read holds no one
		}
		if e.Name() == "objects" && e.IsDir() && filepath.Base(filepath.Dir(path)) == ".git" {
			return filepath.SkipDir
		}
		ofGit := strings.HasPrefix(e.Name(), ".git") || strings.Contains(strings.TrimPrefix(path, dir), "/.git/")
		if e.Type() == fs.ModeNamedPipe && ofGit {
			// To open it for both finds no reader missing: one that comes until it is removed
			// does not wait either.
			fd, openErr := unix.Open(path, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
			_ = os.Remove(path) // no other call waits for it
			if openErr == nil {
				_ = unix.Close(fd) // git reads the end of the file
			}
		}
		return nil
	})
}

// readFile reads a file of git's as os.ReadFile does, but refuses a named pipe in its place, which
// would wait for a writer.
func readFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(f)
}
