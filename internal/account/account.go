// Package account makes the report of a run from the record of its unit, and writes it as a page.
package account

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
	"ralph/internal/unit"
)

// Account is a report and the record that it was made from.
type Account struct {
	report.Report
	Record *unit.Record
}

// Read makes a report about a run of the unit, or about the last one if run is "". It
// returns nil if the unit never ran. It also looks for the run in older archives of the unit.
func Read(t unit.Notes, p *unit.Place, run string) (*Account, error) {
	r, err := p.Record()
	if err != nil || r == nil {
		return nil, err
	}
	acc, err := Of(t, r, run)
	if err != nil || acc.Run != nil {
		return acc, err
	}
	if run == "" {
		return nil, fmt.Errorf("%s holds no run", r.Journal)
	}
	entries, _, err := p.Archive().List()
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		path := p.Archive().Journal(e)
		if e.Unit != p.Unit || path == r.Journal {
			continue
		}
		old := *r
		old.Journal, old.Folder, old.Archive = path, filepath.Dir(path), e.Name
		acc, err := Of(t, &old, run)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil && acc.Run != nil {
			return acc, nil
		}
	}
	return nil, hint.With(fmt.Errorf("%s has no run %s", unit.Name(p), run), "see: ralph history --json")
}

// Of makes a report about a run of the record, or about the last one if id is "".
func Of(t unit.Notes, r *unit.Record, id string) (*Account, error) {
	s, err := r.Fold(t, cmp.Or(id, run.KeepLast))
	if err != nil {
		return nil, err
	}
	last := s.Status()
	dead := last.Active() && !unit.LoopAlive(last)
	return &Account{report.New(s, id, dead), r}, nil
}

// logLink is the path of a log from the directory of a page, empty where there
// is no such log.
func logLink(r *unit.Record, dir, logFile string) string {
	if logFile == "" {
		return ""
	}
	path := r.Log(logFile)
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

// WritePage writes the report's page to a file that only the owner can read. Like the
// journal, it may quote secrets.
func (acc *Account) WritePage(path string) error {
	var page bytes.Buffer
	if err := acc.HTML(&page, acc.PageOptions(filepath.Dir(path))); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return fmt.Errorf("the report cannot be written: %w", err)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("the report cannot be written: %s is not a plain file", path)
	}
	if err := renameio.WriteFile(path, page.Bytes(), 0o600, renameio.WithTempDir(filepath.Dir(path)), renameio.IgnoreUmask()); err != nil {
		return fmt.Errorf("the report cannot be written: %w", err)
	}
	return nil
}

// PageOptions returns the options for a page that is written to the directory dir.
func (acc *Account) PageOptions(dir string) report.PageOptions {
	return report.PageOptions{Now: time.Now(), Log: func(logFile string) string { return logLink(acc.Record, dir, logFile) }}
}

// WriteArchived writes the report of the last run into the unit's newest archive. It returns
// the report's path from the worktree's root. If it fails, it warns and returns "".
func WriteArchived(t unit.Notes, p *unit.Place, name string) string {
	path := filepath.Join(".ralph", "archive", name, reportName)
	acc, err := Read(t, p, "")
	if err == nil && (acc == nil || acc.Record.Archive != name) {
		err = errors.New("its journal is not there")
	}
	if err == nil {
		err = acc.WritePage(filepath.Join(p.Repo.Root, path))
	}
	if err != nil {
		t.Warn("the archive %s has no report: %v", name, err)
		return ""
	}
	return path
}
