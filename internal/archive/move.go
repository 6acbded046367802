package archive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Names next to a folder while it is copied or removed.
const (
	partial = ".partial"
	removed = ".removed"
)

func sibling(path, what string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+what)
}

// move renames a folder. To another file system, it first copies the folder next to the
// target and compares the copy with its source: a folder with the final name is always
// complete.
func (s *Store) move(ctx context.Context, from, to string) error {
	err := s.rename(from, to)
	if err == nil {
		return errors.Join(syncDir(filepath.Dir(to)), syncDir(filepath.Dir(from)))
	}
	if !errors.Is(err, unix.EXDEV) {
		return err
	}
	made := sibling(to, partial)
	if err := s.copyWhole(ctx, from, made); err != nil {
		return errors.Join(err, os.RemoveAll(made))
	}
	s.step("copied")
	if err := s.rename(made, to); err != nil {
		return err
	}
	if err := syncDir(filepath.Dir(to)); err != nil {
		return err
	}
	s.step("copy named")
	return s.discard(from)
}

// copyWhole copies a tree and makes sure that the copy is one. What an
// earlier try left of it is removed first.
func (s *Store) copyWhole(ctx context.Context, from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := copyTree(ctx, from, to); err != nil {
		return err
	}
	same, err := sameTree(from, to)
	if err == nil && !same {
		err = fmt.Errorf("%s changed while it was being copied", from)
	}
	return err
}

// discard removes a folder, which never is half removed under its own name. A missing
// folder is not an error.
func (s *Store) discard(folder string) error {
	away := sibling(folder, removed)
	if err := os.RemoveAll(away); err != nil { // of a try that was cut off
		return err
	}
	if err := os.Rename(folder, away); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	s.step("discarded")
	return os.RemoveAll(away)
}

// stage links or copies items from one folder into another and leaves them
// where they are. It can be done again.
func (s *Store) stage(ctx context.Context, from, to string, items []item) error {
	for _, it := range items {
		source, target := filepath.Join(from, it.From), filepath.Join(to, it.To)
		if _, err := os.Lstat(source); errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return err
		}
		if err := os.RemoveAll(target); err != nil {
			return err
		}
		// A link, where it is possible, keeps the journal one file: nothing
		// that is still appended to it gets lost.
		if s.link(source, target) == nil {
			continue
		}
		made := sibling(target, partial)
		if err := s.copyWhole(ctx, source, made); err != nil {
			return errors.Join(err, os.RemoveAll(made))
		}
		if err := os.Rename(made, target); err != nil {
			return err
		}
	}
	return syncDir(to)
}

// syncDir makes the names in a directory durable. Some file systems cannot
// sync a directory and need not: their refusal is no error.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	_ = d.Sync()
	return nil
}
