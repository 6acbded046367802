package unit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/stream"
)

// lockWait is how long a lock that is held is waited for: the guardian of a run
// that has just died holds it while it records the crash.
const lockWait = 2 * time.Second

// State holds the locks, the journal and the inbox of a unit while a command changes the
// unit.
type State struct {
	locks  []*journal.Lock
	Writer *journal.Writer
	Inbox  *journal.Inbox
	Since  time.Time // when the unit's lock was taken
}

// LockState takes the locks of the worktree and of the unit. It finishes an interrupted
// archive or restore.
func LockState(ctx context.Context, t Notes, p *Place) (*State, error) {
	self, err := proc.Self()
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	me := journal.Holder{Unit: p.Unit, PID: self.PID, PIDStart: self.Start, Host: host, Since: time.Now()}
	s := &State{Since: me.Since}
	for _, dir := range []string{filepath.Dir(p.StateDir), p.StateDir} {
		lock, err := journal.Acquire(ctx, dir, me, lockWait)
		if err != nil {
			s.Close()
			return nil, sharedWorktree(err, p.Unit)
		}
		s.locks = append(s.locks, lock)
	}
	p.clearHalfWritten()
	if err := finishArchives(ctx, t, p, me); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Record adds an event to the last run in the unit's journal, while no loop is running. It
// does nothing if the unit never ran.
func (s *State) Record(p *Place, b journal.Body) error {
	w, err := journal.OpenWriter(p.JournalPath())
	if err != nil {
		return err
	}
	s.Writer = w
	events, _, err := journal.ReadFile(p.JournalPath())
	if err != nil || len(events) == 0 {
		return err
	}
	_, err = w.Append(events[len(events)-1].Run, time.Now(), b)
	return err
}

// sharedWorktree adds to the error why another unit's loop is in the way.
func sharedWorktree(err error, unit string) error {
	var held *journal.LockedError
	if !errors.As(err, &held) || held.Holder.PID == 0 || held.Holder.Unit == unit {
		return err
	}
	return hint.With(fmt.Errorf("this worktree is in use: %w", err),
		"two loops would mix their edits; a worktree of its own is made with: git worktree add ../"+stream.ShellWord(unit))
}

// finishArchives completes the archives and restores of the worktree that were
// cut off. The caller holds the lock of its own unit. It skips units with a lock that another
// process holds.
func finishArchives(ctx context.Context, t Notes, p *Place, me journal.Holder) error {
	store := p.Archive()
	pending, err := store.Pending()
	if err != nil {
		return err
	}
	for _, unit := range pending {
		if unit != p.Unit {
			me.Unit = unit
			lock, err := journal.Acquire(ctx, filepath.Join(filepath.Dir(p.StateDir), unit), me, 0)
			var held *journal.LockedError
			if errors.As(err, &held) {
				continue
			}
			if err != nil {
				return err
			}
			defer lock.Release()
		}
		if _, err := store.Finish(ctx, unit); err != nil {
			return err
		}
		if e, err := store.Find(unit); err == nil { // else it was brought back
			t.Archived(PlaceAt(p.Repo, unit), e.Name)
		}
	}
	return nil
}

// NothingToRun returns the error that nothing is left to run, because ralph has just finished
// an interrupted archive of the unit.
func NothingToRun(unit string) error {
	return hint.With(fmt.Errorf("an archive of %s had been cut off, and is finished now: there is nothing left to run", unit),
		"bring the feature back with: ralph archive --restore NAME (see ralph archive --list)")
}

// OpenState takes the locks and opens the journal and the inbox.
func OpenState(ctx context.Context, t Notes, p *Place) (*State, error) {
	s, err := LockState(ctx, t, p)
	if err != nil {
		return nil, err
	}
	if s.Writer, err = journal.OpenWriter(p.JournalPath()); err != nil {
		s.Close()
		return nil, err
	}
	if s.Inbox, err = journal.OpenInbox(p.StateDir); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// CloseWriter closes the journal.
func (s *State) CloseWriter() {
	if s.Writer != nil {
		_ = s.Writer.Close()
		s.Writer = nil
	}
}

// Close closes the journal and releases the locks.
func (s *State) Close() {
	s.CloseWriter()
	for _, l := range s.locks {
		_ = l.Release()
	}
}
