package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ralph/internal/git"
	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/registry"
	"ralph/internal/run"
	"ralph/internal/terminal"
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
func (r *record) fold(t *terminal.Terminal, keep string) (*run.State, error) {
	done := t.Slowly("reading the journal")
	s := &run.State{Keep: keep}
	damage, err := journal.Scan(r.journal, s.Apply)
	done()
	for _, w := range damage.Warnings(r.journal) {
		t.Warn("%s", w)
	}
	return s, err
}

// look finds a unit that was named, which may be anywhere on this machine. A name
// may be given as the branch's, with its slashes.
func look(a *app, unit string) (*place, error) {
	p, err := here(a.ctx, "")
	if err != nil && !errors.Is(err, git.ErrNotWorktree) {
		return nil, err
	}
	if unit, err = git.UnitOf(unit); err != nil {
		return nil, err
	}
	if p != nil {
		p = placeAt(p.repo, unit)
		if p.ran() {
			return p, nil
		}
	}
	far, err := elsewhere(a, unit)
	if p != nil && errors.Is(err, errNoUnit) {
		if _, folder := os.Stat(filepath.Join(p.repo.Root, p.folder)); folder == nil {
			return p, nil // it is planned here, and has not run yet
		}
	}
	return far, err
}

// errNoUnit is that no unit of a name is known.
var errNoUnit = errors.New("there is no such unit")

// placeAt is a unit of a worktree.
func placeAt(repo *git.Repo, unit string) *place {
	p := &place{repo: repo}
	p.work(unit, p.folderOf(unit))
	return p
}

// placeOf is a unit of the list of loops. Where the state directory is says where
// the git directory is, without asking git.
func placeOf(e registry.Entry) *place {
	return &place{repo: &git.Repo{Root: e.Worktree, GitDir: filepath.Dir(filepath.Dir(e.StateDir))},
		unit: e.Unit, branch: e.Branch, folder: e.Folder, stateDir: e.StateDir}
}

// ran tells whether there is a record of the unit, or one that cannot be looked
// for.
func (p *place) ran() bool {
	r, err := p.record()
	return r != nil || err != nil
}

// elsewhere finds a unit in the list of loops of this user.
func elsewhere(a *app, unit string) (*place, error) {
	entries, _, err := registry.Entries(a.home)
	if err != nil {
		return nil, err
	}
	var found []*place
	var roots []string
	for _, e := range entries {
		if e.Unit != unit {
			continue
		}
		if p := placeOf(e); p.ran() {
			found, roots = append(found, p), append(roots, e.Worktree)
		}
	}
	switch len(found) {
	case 0:
		return nil, hint.With(fmt.Errorf("%w: %s, neither here nor among the loops that have run elsewhere", errNoUnit, unit), "see: ralph list")
	case 1:
		return found[0], nil
	}
	return nil, hint.With(&severalError{unit, roots}, "call ralph in the one that you mean")
}

// severalError is that a unit's name does not tell which one is meant.
type severalError struct {
	unit  string
	roots []string // of the worktrees
}

func (e *severalError) Error() string {
	return fmt.Sprintf("%s is in %d worktrees: %s", e.unit, len(e.roots), strings.Join(e.roots, ", "))
}
