package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"

	"ralph/internal/journal"
	"ralph/internal/regular"
	"ralph/internal/spec"
	"ralph/internal/stream"
	"ralph/internal/terminal"
)

// recoverKeeping finishes what a run that died has left, as the next run would, and
// keeps spec.md as it stands: who calls for a new plan has the last word on it, and
// the recovery would put it back to what it was before that run's last iteration.
func recoverKeeping(a *app, p *place) error {
	if ended, err := journal.Ended(p.journalPath()); err != nil || ended || running(p) {
		return err
	}
	path := filepath.Join(p.repo.Root, p.folder, "spec.md")
	text, unread := regular.Read(path, spec.MaxSize)
	if err := recoverFirst(a, p); err != nil || unread != nil {
		return err // what cannot be read is put back like everything else
	}
	if now, err := regular.Read(path, spec.MaxSize); err == nil && bytes.Equal(now, text) {
		return nil
	}
	if err := renameio.WriteFile(path, text, 0o644, renameio.WithTempDir(filepath.Dir(path)), renameio.WithExistingPermissions()); err != nil {
		return fmt.Errorf("%s/spec.md cannot be written: %w", p.folder, err)
	}
	a.t.Warn("%s/spec.md stays as you have it", stream.OneLine(p.folder))
	return nil
}

// tellPutBack says which files of the plan the recovery of the last run has put back.
func tellPutBack(t *terminal.Terminal, p *place) {
	s, err := p.state(t)
	if err != nil || s.Last() == nil {
		return // the record is for those who ask for it
	}
	for _, b := range slices.Backward(s.Last().Restored) {
		t.Warn("%s", putBack(b))
	}
}
