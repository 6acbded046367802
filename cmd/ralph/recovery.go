package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"ralph/internal/doctor"
	"ralph/internal/journal"
	"ralph/internal/loop"
	"ralph/internal/proc"
	"ralph/internal/run"
	"ralph/internal/stream"
)

// recoverFirst finishes what a run that died has left, before anybody looks at the
// plan: its agent may have left that in pieces, or an archive half made.
func recoverFirst(ctx context.Context, t notes, p *place) error {
	if p.unit == "" {
		return nil // a detached HEAD, which the checks tell of
	}
	pending, err := p.archive().Pending()
	if err != nil {
		return err
	}
	if err := recoverOthers(ctx, t, p); err != nil {
		return err
	}
	ended, err := journal.Ended(p.journalPath())
	putAway := slices.Contains(pending, p.unit)
	if err != nil || ended && !putAway && !p.pidFileLeft() {
		return err
	}
	end, _, err := recordDeath(ctx, t, p, time.Time{})
	switch {
	case err != nil:
		return err
	case end != nil:
		t.Warn("the last run was cut off: %s; what it left is on record", end.Message)
		tellPutBack(t, p)
	case putAway && !p.hasFolder():
		return nothingLeft(p.unit)
	case putAway:
		t.Warn("the archive of %s had been cut off, and is completed", p.unit)
	}
	return nil
}

// recoverOthers does the same for the worktree's other units, on whose branch the
// last run may have died: what it left alive would work in the same files.
func recoverOthers(ctx context.Context, t notes, p *place) error {
	holder, _ := journal.ReadHolder(filepath.Dir(p.stateDir))
	if (proc.ID{PID: holder.PID, Start: holder.PIDStart}).Alive() {
		return nil // a loop is at work here, as the lock will tell
	}
	dirs, err := doctor.Units(filepath.Dir(p.stateDir))
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if dir == p.stateDir {
			continue
		}
		if ended, err := journal.Ended(journal.Path(dir)); ended || err != nil {
			continue // it has no run that died, or none that can be told of
		}
		other := placeAt(p.repo, filepath.Base(dir))
		end, _, err := recordDeath(ctx, t, other, time.Time{})
		if err != nil {
			return err
		}
		if end != nil {
			t.Warn("the last run of %s was cut off: %s; what it left is on record", stream.OneLine(other.unit), end.Message)
		}
	}
	return nil
}

// pidFileLeft tells whether the file is there whose removal is the last that a run
// does: where it died just before, the status files may tell of a run at work.
func (p *place) pidFileLeft() bool {
	_, err := os.Lstat(filepath.Join(p.repo.Root, ".claude", pidFile))
	return err == nil
}

// recordDeath finishes the record of the unit's last run if that died without an
// end, and brings the status files in line with it. It returns nil where there was
// nothing to record, else the end and what the status files say. died is when it died;
// zero where nobody was there.
func recordDeath(ctx context.Context, t notes, p *place, died time.Time) (*loop.End, run.Status, error) {
	defer t.Slowly("bringing the last run to its end")()
	s, err := lockState(ctx, p) // it completes an archive, too
	if err != nil {
		return nil, run.Status{}, err
	}
	defer s.close()
	return s.recordDeath(ctx, t, p, died, func(journal.Event) {})
}

// recordDeath is recordDeath for whoever holds the locks; tell is told of each event.
func (s *state) recordDeath(ctx context.Context, t notes, p *place, died time.Time, tell func(journal.Event)) (end *loop.End, _ run.Status, err error) {
	if _, err := os.Stat(p.journalPath()); errors.Is(err, fs.ErrNotExist) {
		return nil, run.Status{}, nil // the unit is archived
	}
	if s.writer, err = journal.OpenWriter(p.journalPath()); err != nil {
		return nil, run.Status{}, err
	}
	f := newFiles(t, p)
	defer f.settled()
	end, err = loop.Recover(ctx, s.writer, p.repo, p.stateDir, died, func(e journal.Event) { f.event(e); tell(e) })
	if err == nil {
		f.renew()
	}
	return end, f.summary(), err
}

// renew writes the files as the journal has them: whoever wrote its last events
// may have died before it came to this.
func (f *files) renew() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := os.Stat(filepath.Dir(f.statusAt)); err != nil || f.state.Last() == nil || f.state.Last().Active() {
		return
	}
	f.write()
	_ = os.Remove(filepath.Join(f.claudeDir, pidFile))
}

// halfWritten matches files that were to replace another one when their writer
// died, and that nobody writes without the unit's lock.
var halfWritten = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\.(status\.json|state\.json|loop-state\.json|archive\.json|archiving\.json|branch)\d+$`)
})

// halfPlanned matches the same of the plan, which 'ralph prd' writes without a lock,
// in a moment.
var halfPlanned = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\.(prd\.json|spec\.md|progress\.txt)\d+$`)
})

// clearHalfWritten removes what writers that died have left. The caller holds the
// unit's lock; what cannot be removed harms nobody.
func (p *place) clearHalfWritten() {
	for _, dir := range []string{filepath.Join(p.repo.Root, p.folder), filepath.Join(p.repo.Root, ".claude"), p.stateDir} {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			info, err := e.Info()
			old := err == nil && time.Since(info.ModTime()) > time.Minute
			if e.Type().IsRegular() && (halfWritten().MatchString(e.Name()) || old && halfPlanned().MatchString(e.Name())) {
				_ = os.Remove(filepath.Join(dir, e.Name()))
			}
		}
	}
}

// tellPutBack says which files of the plan the recovery of the last run has put back.
func tellPutBack(t notes, p *place) {
	s, err := p.state(t)
	if err != nil || s.Last() == nil {
		return // the record is for those who ask for it
	}
	for _, b := range slices.Backward(s.Last().Restored) {
		t.Warn("%s", putBack(b))
	}
}

// putBack says what the guard of the plan did with a file.
func putBack(b journal.PlanRestored) string {
	text := fmt.Sprintf("put back %s: %s", b.Path, b.What)
	if b.Kept != "" {
		text += "; what stood there is kept in " + b.Kept
	}
	return text
}
