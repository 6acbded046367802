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

// Record locates the record of a unit's runs: its journal and its logs.
type Record struct {
	Journal string // its path
	Folder  string // with logs/ in it: the unit's own, or that of the archive
	Archive string // the name of the archive, empty if the unit is not archived
	from    string // the unit's own folder from the worktree's root: the journal names logs below it
	root    string // of the worktree
}

// Record finds the record of the unit: its own, or else that of its newest archive. It
// returns nil if the unit never ran.
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

// RecordedAt returns the path of the record's journal, or "" if the unit never ran.
func (p *Place) RecordedAt() (string, error) {
	r, err := p.Record()
	if r == nil || err != nil {
		return "", err
	}
	return r.Journal, nil
}

// OwnRecord returns where the unit's own record is or would be. It does not check whether it
// exists.
func (p *Place) OwnRecord() *Record {
	return &Record{Journal: p.JournalPath(), Folder: filepath.Join(p.Repo.Root, p.Folder), from: p.Folder, root: p.Repo.Root}
}

// Log returns the path of a log. The journal names it from the worktree's root; an archive
// may have moved it.
func (r *Record) Log(logFile string) string {
	if rel, err := filepath.Rel(r.from, filepath.FromSlash(logFile)); err == nil && filepath.IsLocal(rel) {
		return filepath.Join(r.Folder, rel)
	}
	return filepath.Join(r.root, filepath.FromSlash(logFile))
}

// Fold reads the journal of the record into a state, and warns about damaged lines. keep sets
// State.Keep of [run.State].
func (r *Record) Fold(t Notes, keep string) (*run.State, error) {
	done := t.ShowActivity("reading the journal")
	s := &run.State{Keep: keep}
	damage, err := journal.Scan(r.Journal, s.Apply)
	done()
	for _, w := range damage.Warnings(r.Journal) {
		t.Warn("%s", w)
	}
	return s, err
}
