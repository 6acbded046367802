package main

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/google/renameio/v2"

	"ralph/internal/journal"
	"ralph/internal/regular"
	"ralph/internal/spec"
	"ralph/internal/stream"
	"ralph/internal/unit"
)

// recoverKeeping recovers from a run that died, as the next run would, but keeps spec.md.
// The user wants a plan from the current spec.md, and the recovery would restore the one
// before that run's last iteration.
func recoverKeeping(a *app, p *unit.Place) error {
	if ended, err := journal.Ended(p.JournalPath()); err != nil || ended || unit.Running(p) {
		return err
	}
	path := p.File("spec.md")
	text, unread := regular.Read(path, spec.MaxSize)
	if err := recoverFirst(a, p); err != nil || unread != nil {
		return err // a file that cannot be read is restored like the others
	}
	if now, err := regular.Read(path, spec.MaxSize); err == nil && bytes.Equal(now, text) {
		return nil
	}
	if err := renameio.WriteFile(path, text, 0o644, renameio.WithTempDir(filepath.Dir(path)), renameio.WithExistingPermissions()); err != nil {
		return fmt.Errorf("%s/spec.md cannot be written: %w", p.Folder, err)
	}
	a.t.Warn("%s/spec.md stays as you have it", stream.OneLine(p.Folder))
	return nil
}
