package archive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// What stands beside a folder while it is being copied or removed.
const (
	partial = ".partial"
	removed = ".removed"
)

func beside(path, what string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+what)
}

// move renames a folder. Where the target is on another file system it is
// copied beside the target first, compared with its source, and only then
// given its name: a folder under that name is always whole.
func (s *Store) move(ctx context.Context, from, to string) error {
	err := s.rename(from, to)
	if err == nil {
		return errors.Join(syncDir(filepath.Dir(to)), syncDir(filepath.Dir(from)))
	}
	if !errors.Is(err, unix.EXDEV) {
		return err
	}
	made := beside(to, partial)
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

// discard removes a folder so that it never stands half removed under its own
// name. One that is not there is no error.
func (s *Store) discard(folder string) error {
	away := beside(folder, removed)
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
		made := beside(target, partial)
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
