package unit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ralph/internal/journal"
	"ralph/internal/run"
)

// Record is where what is known of a unit's runs lies.
type Record struct {
	Journal string // its path
	Folder  string // with logs/ in it: the unit's own, or that of the archive
	Archive string // the name of the archive, empty where the unit is not archived
	from    string // the unit's own folder from the worktree's root: the journal names logs below it
	root    string // of the worktree
}

// Record is the unit's own, else that of its newest archive, else nil: the unit
// never ran.
func (p *Place) Record() (*Record, error) {
	if p.Unit == "" {
		return nil, ErrDetached
	}
	r := p.OwnRecord()
	switch info, err := os.Stat(r.Journal); {
	case err == nil && info.Size() > 0: // an empty one is of a run that died before its first line
		return r, nil
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("the journal cannot be read: %w", err)
	}
	store := p.Archive()
	e, err := store.Find(p.Unit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r.Journal, r.Archive = store.Journal(e), e.Name
	r.Folder = filepath.Dir(r.Journal)
	if _, err := os.Stat(r.Journal); err != nil {
		return nil, nil //nolint:nilerr // an archive of a feature that never ran
	}
	return r, nil
}

// RecordedAt is the path of the record's journal, empty where the unit never ran.
func (p *Place) RecordedAt() (string, error) {
	r, err := p.Record()
	if r == nil || err != nil {
		return "", err
	}
	return r.Journal, nil
}

// OwnRecord is the unit's own, whether it is there or not.
func (p *Place) OwnRecord() *Record {
	return &Record{Journal: p.JournalPath(), Folder: filepath.Join(p.Repo.Root, p.Folder), from: p.Folder, root: p.Repo.Root}
}

// Log is where a log lies that the journal names from the worktree's root.
func (r *Record) Log(logFile string) string {
	if rel, err := filepath.Rel(r.from, filepath.FromSlash(logFile)); err == nil && filepath.IsLocal(rel) {
		return filepath.Join(r.Folder, rel)
	}
	return filepath.Join(r.root, filepath.FromSlash(logFile))
}

// Fold is the state of the unit by its record, and says what could not be read. keep is
// as for [run.State].
func (r *Record) Fold(t Notes, keep string) (*run.State, error) {
	done := t.Slowly("reading the journal")
	s := &run.State{Keep: keep}
	damage, err := journal.Scan(r.Journal, s.Apply)
	done()
	for _, w := range damage.Warnings(r.Journal) {
		t.Warn("%s", w)
	}
	return s, err
}
