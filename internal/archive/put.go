package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Put moves the unit's feature into the archive. It calls record, if not nil, when the
// archive's name is fixed and before anything moves. record should write the journal's last
// events and close it.
//
// An error up to then leaves everything unchanged. After a later error, Store.Finish completes
// the archive. The error is fs.ErrNotExist if the feature folder is missing.
func (s *Store) Put(ctx context.Context, unit string, now time.Time, record func(Entry) error) (Entry, error) {
	in, err := s.prepare(ctx, unit, now)
	if err == nil && record != nil {
		err = record(in.entry())
	}
	if err != nil {
		return Entry{}, errors.Join(fmt.Errorf("the feature cannot be archived: %w", err), s.undo(in))
	}
	s.step("recorded")
	if err := s.carry(ctx, in); err != nil {
		return Entry{}, fmt.Errorf("the archive %s is not complete, the next command tries again: %w", in.Name, err)
	}
	return in.entry(), nil
}

// prepare checks everything and writes down what is going to be done. The
// intent that it returns together with an error is empty until there is
// something to undo.
func (s *Store) prepare(ctx context.Context, unit string, now time.Time) (intent, error) {
	if err := errors.Join(ctx.Err(), checkUnit(unit)); err != nil {
		return intent{}, err
	}
	if err := checkFolder(s.feature(unit)); err != nil {
		return intent{}, err
	}
	err := checkFolder(s.root())
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(s.root(), 0o755)
	}
	if err != nil {
		return intent{}, err
	}
	items, err := s.worthKeeping(unit)
	if err != nil {
		return intent{}, err
	}
	for _, it := range append([]item{{To: manifestName}}, items...) {
		if path := filepath.Join(s.feature(unit), it.To); exists(path) && !s.leftOver(unit) {
			return intent{}, fmt.Errorf("%s is in the way of the archive's own; rename it", path)
		}
	}
	name, err := s.freeName(unit, now)
	if err != nil {
		return intent{}, err
	}
	in := intent{Name: name, Unit: unit, ArchivedAt: now.UTC().Truncate(time.Second), State: items}
	if err := writeIntent(s.intent(unit), in); err != nil {
		return in, err
	}
	s.step("intent")
	err = writeIntent(filepath.Join(s.feature(unit), manifestName), in)
	s.step("manifest")
	return in, err
}

// worthKeeping lists what of the state directory goes into the archive: the
// journal, those that were set aside, and what the guard of the plan replaced.
func (s *Store) worthKeeping(unit string) ([]item, error) {
	items := []item{{From: journalName, To: journalName}}
	entries, err := os.ReadDir(s.stateDir(unit))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "journal-") {
			items = append(items, item{e.Name(), filepath.Join(stateFolder, e.Name())})
		}
	}
	items = append(items, item{filepath.Join("snapshot", "replaced"), filepath.Join(stateFolder, "replaced")})
	return slices.DeleteFunc(items, func(it item) bool {
		return !exists(filepath.Join(s.stateDir(unit), it.From))
	}), nil
}

func exists(path string) bool { _, err := os.Lstat(path); return err == nil }

// leftOver reports whether the feature folder has a manifest: an archive of it was started
// and abandoned.
func (s *Store) leftOver(unit string) bool {
	_, err := readIntent(filepath.Join(s.feature(unit), manifestName))
	return err == nil
}

// undo removes what prepare wrote.
func (s *Store) undo(in intent) error {
	if in.Name == "" {
		return nil
	}
	var err error
	if path := filepath.Join(s.feature(in.Unit), manifestName); exists(path) {
		err = os.Remove(path)
	}
	return errors.Join(err, s.forget(in))
}

// carry does what an intent to archive says, from wherever it was cut off.
func (s *Store) carry(ctx context.Context, in intent) error {
	from, to := s.feature(in.Unit), s.folder(in.Name)
	if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
		if err := checkFolder(from); errors.Is(err, fs.ErrNotExist) {
			return s.forget(in) // someone removed the feature: there is nothing to archive
		} else if err != nil {
			return err
		}
		if err := s.stage(ctx, s.stateDir(in.Unit), from, in.State); err != nil {
			return err
		}
		if err := writeIntent(filepath.Join(from, manifestName), in); err != nil {
			return err
		}
		s.step("staged")
		if err := s.move(ctx, from, to); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	s.step("moved")
	// Another file system: the copy is complete, its source may still be there.
	if s.manifestOf(from) == in.Name {
		if err := s.discard(from); err != nil {
			return err
		}
	}
	if err := s.clear(in); err != nil {
		return err
	}
	s.step("cleared")
	return s.forget(in)
}

// manifestOf is the name of the archive that the folder is or was to become.
func (s *Store) manifestOf(folder string) string {
	in, err := readIntent(filepath.Join(folder, manifestName))
	if err != nil {
		return ""
	}
	return in.Name
}

// clear removes from the state directory what the archive has, and what was
// of use to a run alone. A journal that differs from the archive's belongs to
// a later run and stays.
func (s *Store) clear(in intent) error {
	dir, to := s.stateDir(in.Unit), s.folder(in.Name)
	for _, it := range in.State {
		from := filepath.Join(dir, it.From)
		same, err := sameTree(from, filepath.Join(to, it.To))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if !same {
			return nil
		}
		if err := os.RemoveAll(from); err != nil {
			return err
		}
		s.step("cleared " + it.From)
	}
	var err error
	for _, name := range []string{"snapshot", "inbox", "branch"} { // the last one names the branch of the folder
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, name)))
	}
	return err
}

// forget removes what is left over at the side, and then the intent: all is done.
func (s *Store) forget(in intent) error {
	for _, folder := range []string{s.feature(in.Unit), s.folder(in.Name)} {
		if err := errors.Join(os.RemoveAll(sibling(folder, removed)), os.RemoveAll(sibling(folder, partial))); err != nil {
			return err
		}
	}
	return os.RemoveAll(s.intent(in.Unit)) // there may be none
}
