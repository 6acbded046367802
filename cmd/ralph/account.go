package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"ralph/internal/hint"
	"ralph/internal/report"
	"ralph/internal/run"
)

// account is a report together with where it was read.
type account struct {
	report.Report
	record *record
}

// readAccount reads the record of a unit into a report about the run, or about
// the last one where no id is given. It is nil where the unit never ran. A run
// that is not in the record may be in an older archive of the unit.
func readAccount(t notes, p *place, run string) (*account, error) {
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
func (r *record) account(t notes, id string) (*account, error) {
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

// reportName is the page's name in an archive.
const reportName = "report.html"

// writePage writes the page to a file. It is the owner's alone: what it quotes
// may hold secrets, as the journal may.
func (acc *account) writePage(path string) error {
	var page bytes.Buffer
	if err := acc.HTML(&page, acc.pageOptions(filepath.Dir(path))); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("the report cannot be written: %s is not a plain file", path)
	}
	if err := renameio.WriteFile(path, page.Bytes(), 0o600, renameio.WithTempDir(filepath.Dir(path)), renameio.IgnoreUmask()); err != nil {
		return fmt.Errorf("the report cannot be written: %w", err)
	}
	return nil
}

// pageOptions are for a page in the directory dir.
func (acc *account) pageOptions(dir string) report.PageOptions {
	return report.PageOptions{Now: time.Now(), Log: func(logFile string) string { return acc.record.logLink(dir, logFile) }}
}

// archiveReport puts the page about the last run beside the journal of the
// unit's newest archive, and returns its path from the worktree's root. It is
// for people: where it cannot be written the archive is as good as ever.
func archiveReport(t notes, p *place, name string) string {
	path := filepath.Join(".ralph", "archive", name, reportName)
	acc, err := readAccount(t, p, "")
	if err == nil && (acc == nil || acc.record.archive != name) {
		err = errors.New("its journal is not there")
	}
	if err == nil {
		err = acc.writePage(filepath.Join(p.repo.Root, path))
	}
	if err != nil {
		t.Warn("the archive %s has no report: %v", name, err)
		return ""
	}
	return path
}
