package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ralph/internal/hint"
	"ralph/internal/report"
	"ralph/internal/run"
	"ralph/internal/terminal"
)

// account is a report together with where it was read.
type account struct {
	report.Report
	record *record
}

// readAccount reads the record of a unit into a report about the run, or about
// the last one where no id is given. It is nil where the unit never ran. A run
// that is not in the record may be in an older archive of the unit.
func readAccount(t *terminal.Terminal, p *place, run string) (*account, error) {
	r, err := p.record()
	if err != nil || r == nil {
		return nil, err
	}
	acc, err := r.account(t, run)
	if err != nil || acc.Run != nil {
		return acc, err
	}
	if run == "" {
		return nil, fmt.Errorf("%s holds no run", r.journal)
	}
	entries, _, err := p.archive().List()
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		path := p.archive().Journal(e)
		if e.Unit != p.unit || path == r.journal {
			continue
		}
		old := *r
		old.journal, old.folder, old.archive = path, filepath.Dir(path), e.Name
		acc, err := old.account(t, run)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil && acc.Run != nil {
			return acc, nil
		}
	}
	return nil, hint.With(fmt.Errorf("%s has no run %s", nameOf(p), run), "see: ralph history --json")
}

// account folds a record.
func (r *record) account(t *terminal.Terminal, id string) (*account, error) {
	s, err := r.fold(t, cmp.Or(id, run.KeepLast))
	if err != nil {
		return nil, err
	}
	last := s.Status()
	dead := last.Active() && !loopAlive(last)
	return &account{report.Of(s, id, dead), r}, nil
}

// logLink is the path of a log from the directory of a page, empty where there
// is no such log.
func (r *record) logLink(dir, logFile string) string {
	if logFile == "" {
		return ""
	}
	path := r.log(logFile)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}
