package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ralph/internal/journal"
	"ralph/internal/run"
)

// record is where what is known of a unit's runs lies.
type record struct {
	journal string // its path
	folder  string // with logs/ in it: the unit's own, or that of the archive
	archive string // the name of the archive, empty where the unit is not archived
	from    string // the unit's own folder from the worktree's root: the journal names logs below it
	root    string // of the worktree
}

// record is the unit's own, else that of its newest archive, else nil: the unit
// never ran.
func (p *place) record() (*record, error) {
	if p.unit == "" {
		return nil, errDetached
	}
	r := p.ownRecord()
	if info, err := os.Stat(r.journal); err == nil && info.Size() > 0 { // an empty one is of a run that died before its first line
		return r, nil
	}
	store := p.archive()
	e, err := store.Find(p.unit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r.journal, r.archive = store.Journal(e), e.Name
	r.folder = filepath.Dir(r.journal)
	if _, err := os.Stat(r.journal); err != nil {
		return nil, nil //nolint:nilerr // an archive of a feature that never ran
	}
	return r, nil
}

// recordedAt is the path of the record's journal, empty where the unit never ran.
func (p *place) recordedAt() (string, error) {
	r, err := p.record()
	if r == nil || err != nil {
		return "", err
	}
	return r.journal, nil
}

// ownRecord is the unit's own, whether it is there or not.
func (p *place) ownRecord() *record {
	return &record{journal: p.journalPath(), folder: filepath.Join(p.repo.Root, p.folder), from: p.folder, root: p.repo.Root}
}

// log is where a log lies that the journal names from the worktree's root.
func (r *record) log(logFile string) string {
	if rel, err := filepath.Rel(r.from, filepath.FromSlash(logFile)); err == nil && filepath.IsLocal(rel) {
		return filepath.Join(r.folder, rel)
	}
	return filepath.Join(r.root, filepath.FromSlash(logFile))
}

// fold is the state of the unit by its record, and says what could not be read. keep is
// as for [run.State].
func (r *record) fold(t notes, keep string) (*run.State, error) {
	done := t.Slowly("reading the journal")
	s := &run.State{Keep: keep}
	damage, err := journal.Scan(r.journal, s.Apply)
	done()
	for _, w := range damage.Warnings(r.journal) {
		t.Warn("%s", w)
	}
	return s, err
}
