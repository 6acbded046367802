package unit

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

// Account is a report together with where it was read.
type Account struct {
	report.Report
	Record *Record
}

// ReadAccount reads the record of a unit into a report about the run, or about
// the last one where no id is given. It is nil where the unit never ran. A run
// that is not in the record may be in an older archive of the unit.
func ReadAccount(t Notes, p *Place, run string) (*Account, error) {
	r, err := p.Record()
	if err != nil || r == nil {
		return nil, err
	}
	acc, err := r.Account(t, run)
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
		acc, err := old.Account(t, run)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil && acc.Run != nil {
			return acc, nil
		}
	}
	return nil, hint.With(fmt.Errorf("%s has no run %s", Name(p), run), "see: ralph history --json")
}

// Account folds a record.
func (r *Record) Account(t Notes, id string) (*Account, error) {
	s, err := r.Fold(t, cmp.Or(id, run.KeepLast))
	if err != nil {
		return nil, err
	}
	last := s.Status()
	dead := last.Active() && !LoopAlive(last)
	return &Account{report.Of(s, id, dead), r}, nil
}

// logLink is the path of a log from the directory of a page, empty where there
// is no such log.
func (r *Record) logLink(dir, logFile string) string {
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

// WritePage writes the page to a file. It is the owner's alone: what it quotes
// may hold secrets, as the journal may.
func (acc *Account) WritePage(path string) error {
	var page bytes.Buffer
	if err := acc.HTML(&page, acc.PageOptions(filepath.Dir(path))); err != nil {
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

// PageOptions are for a page in the directory dir.
func (acc *Account) PageOptions(dir string) report.PageOptions {
	return report.PageOptions{Now: time.Now(), Log: func(logFile string) string { return acc.Record.logLink(dir, logFile) }}
}

// ArchiveReport writes the page about the last run next to the journal of the unit's newest
// archive, and returns its path from the worktree's root. It warns where it cannot.
func ArchiveReport(t Notes, p *Place, name string) string {
	path := filepath.Join(".ralph", "archive", name, reportName)
	acc, err := ReadAccount(t, p, "")
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
