package agent

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// putBack writes the log of a turn again where the agent has removed it, as
// "git clean -fdx" does: the file that is still open has every byte. Nothing is
// written outside of dir, wherever links that the agent made may lead.
func putBack(log *os.File, path, dir string) error {
	open, err := log.Stat()
	if err != nil || !open.Mode().IsRegular() {
		return err
	}
	if there, err := os.Lstat(path); err == nil && os.SameFile(there, open) {
		return nil
	}
	if err := copyInto(dir, path, io.NewSectionReader(log, 0, open.Size())); err != nil {
		return fmt.Errorf("the agent has removed its log %s, which cannot be written again: %w", path, err)
	}
	return nil
}

// copyInto makes a file of its owner below dir, in the place of what is there.
func copyInto(dir, path string, content io.Reader) error {
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, content); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
