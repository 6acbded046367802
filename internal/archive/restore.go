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

// Restore moves an archive, with its journal, back to the feature folder. It fails if the unit
// has a feature folder again. A newer journal of the unit stays in the state directory under
// another name. The error is fs.ErrNotExist if no archive has this name.
func (s *Store) Restore(ctx context.Context, name string) (Entry, error) {
	in, err := s.manifest(name)
	if err != nil {
		return Entry{}, fmt.Errorf("the archive %q cannot be restored: %w", name, err)
	}
	feature := s.feature(in.Unit)
	if exists(feature) {
		return Entry{}, fmt.Errorf("the archive %q cannot be restored: %s exists; archive it or move it away first", name, feature)
	}
	in.Restore = true
	if err := errors.Join(ctx.Err(), writeIntent(s.intent(in.Unit), in)); err != nil {
		return Entry{}, fmt.Errorf("the archive %q cannot be restored: %w", name, err)
	}
	s.step("intent")
	if err := s.carryBack(ctx, in); err != nil {
		return Entry{}, fmt.Errorf("the archive %q is not restored yet, the next command tries again: %w", name, err)
	}
	e := in.entry()
	e.Path = ".ralph/" + in.Unit
	return e, nil
}

// manifest returns what an archive contains. One without a manifest, such as one made by
// hand, is described by its name.
func (s *Store) manifest(name string) (intent, error) {
	if name == "" || strings.HasPrefix(name, ".") || strings.ContainsAny(name, "/\x00") {
		return intent{}, fs.ErrNotExist
	}
	folder := s.folder(name)
	if err := errors.Join(checkFolder(s.root()), checkFolder(folder)); err != nil {
		return intent{}, err
	}
	in, err := readIntent(filepath.Join(folder, manifestName))
	if err == nil && in.Name == name {
		return in, nil
	}
	unit, at, ok := s.guess(name)
	if !ok {
		return intent{}, fmt.Errorf("%s is not an archive: its name does not start with a time", folder)
	}
	in = intent{Name: name, Unit: unit, ArchivedAt: at}
	if exists(filepath.Join(folder, journalName)) {
		in.State = []item{{journalName, journalName}}
	}
	return in, checkUnit(unit)
}

// guess reads the name of an archive without a manifest. A number after the time can also
// be the start of the unit's name: it is the archive's number only if the name without it
// is taken.
func (s *Store) guess(name string) (unit string, at time.Time, ok bool) {
	if len(name) <= len(timeLayout)+1 || name[len(timeLayout)] != '-' {
		return "", time.Time{}, false
	}
	stamp, unit := name[:len(timeLayout)], name[len(timeLayout)+1:]
	at, err := time.Parse(timeLayout, stamp)
	if err != nil {
		return "", time.Time{}, false
	}
	if _, rest, found := strings.Cut(unit, "-"); found {
		if _, isSeq := seqOf(name, rest); isSeq && exists(s.folder(stamp+"-"+rest)) {
			unit = rest
		}
	}
	return unit, at, true
}

// carryBack does what an intent to restore says, from wherever it was cut off.
func (s *Store) carryBack(ctx context.Context, in intent) error {
	from, to := s.folder(in.Name), s.feature(in.Unit)
	_, gone := os.Lstat(from)
	_, free := os.Lstat(to)
	if gone == nil && errors.Is(free, fs.ErrNotExist) {
		if err := s.bringState(ctx, in); err != nil {
			return err
		}
		s.step("staged")
		// So that the folder is recognised in its new place.
		if err := writeIntent(filepath.Join(from, manifestName), in); err != nil {
			return err
		}
		if err := s.move(ctx, from, to); err != nil {
			return err
		}
	}
	s.step("moved")
	if s.manifestOf(to) != in.Name {
		return s.forget(in) // a new feature has been started in its place, or all is done
	}
	if err := s.discard(from); err != nil {
		return err
	}
	if err := s.unpack(to, in.State); err != nil {
		return err
	}
	s.step("unpacked")
	return s.forget(in)
}

// bringState puts the journal and what else was kept back into the state
// directory, and sets aside what took its place there meanwhile.
func (s *Store) bringState(ctx context.Context, in intent) error {
	dir, from := s.stateDir(in.Unit), s.folder(in.Name)
	for _, it := range in.State {
		path := filepath.Join(dir, it.From)
		same, err := sameTree(path, filepath.Join(from, it.To))
		if err == nil && !same && it.From == journalName {
			if err := s.setAside(path); err != nil {
				return err
			}
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	back := make([]item, len(in.State))
	for i, it := range in.State {
		back[i] = item{From: it.To, To: it.From}
	}
	return s.stage(ctx, from, dir, back)
}

// setAside renames a journal to journal-1.jsonl or the next free number.
func (s *Store) setAside(path string) error {
	for n := 1; ; n++ {
		free := filepath.Join(filepath.Dir(path), fmt.Sprintf("journal-%d.jsonl", n))
		if _, err := os.Lstat(free); errors.Is(err, fs.ErrNotExist) {
			return os.Rename(path, free)
		}
	}
}

// unpack removes from a restored feature folder what belongs to the archive:
// the manifest last, by which a cut off restore is recognised.
func (s *Store) unpack(folder string, items []item) error {
	for _, it := range slices.Backward(items) {
		if err := os.RemoveAll(filepath.Join(folder, it.To)); err != nil {
			return err
		}
	}
	_ = os.Remove(filepath.Join(folder, stateFolder)) // where nothing else is in it
	return os.Remove(filepath.Join(folder, manifestName))
}
