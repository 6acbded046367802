package main

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

// state is what whoever works on a unit holds meanwhile.
type state struct {
	locks  []*journal.Lock
	writer *journal.Writer
	inbox  *journal.Inbox
	since  time.Time // when the unit's lock was taken
}

// lockState takes the locks of the worktree and of the unit, and finishes an
// archive or a restore that was cut off.
func lockState(ctx context.Context, p *place) (*state, error) {
	self, err := proc.Self()
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	me := journal.Holder{Unit: p.unit, PID: self.PID, PIDStart: self.Start, Host: host, Since: time.Now()}
	s := &state{since: me.Since}
	for _, dir := range []string{filepath.Dir(p.stateDir), p.stateDir} {
		lock, err := journal.Acquire(ctx, dir, me, lockWait)
		if err != nil {
			s.close()
			return nil, sharedWorktree(err, p.unit)
		}
		s.locks = append(s.locks, lock)
	}
	p.clearHalfWritten()
	if err := finishArchives(ctx, p, me); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// sharedWorktree adds to the error why another unit's loop stands in the way.
func sharedWorktree(err error, unit string) error {
	var held *journal.LockedError
	if !errors.As(err, &held) || held.Holder.PID == 0 || held.Holder.Unit == unit {
		return err
	}
	return hint.With(fmt.Errorf("this worktree is in use: %w", err),
		"two loops would mix their edits; a worktree of its own is made with: git worktree add ../"+stream.ShellWord(unit))
}

// finishArchives completes the archives and restores of the worktree that were
// cut off. The caller holds the lock of its own unit; another unit whose lock is
// held is left to whoever holds it.
func finishArchives(ctx context.Context, p *place, me journal.Holder) error {
	store := p.archive()
	pending, err := store.Pending()
	if err != nil {
		return err
	}
	for _, unit := range pending {
		if unit != p.unit {
			me.Unit = unit
			lock, err := journal.Acquire(ctx, filepath.Join(filepath.Dir(p.stateDir), unit), me, 0)
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
			archiveReport(silent(), placeAt(p.repo, unit), e.Name)
		}
	}
	return nil
}

// nothingLeft says where a feature went whose archive was only now finished.
func nothingLeft(unit string) error {
	return hint.With(fmt.Errorf("an archive of %s had been cut off, and is finished now: there is nothing left to run", unit),
		"bring the feature back with: ralph archive --restore NAME (see ralph archive --list)")
}

// openState takes the locks and opens the journal and the inbox.
func openState(ctx context.Context, p *place) (*state, error) {
	s, err := lockState(ctx, p)
	if err != nil {
		return nil, err
	}
	if s.writer, err = journal.OpenWriter(p.journalPath()); err != nil {
		s.close()
		return nil, err
	}
	if s.inbox, err = journal.OpenInbox(p.stateDir); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *state) closeWriter() {
	if s.writer != nil {
		_ = s.writer.Close()
		s.writer = nil
	}
}

func (s *state) close() {
	s.closeWriter()
	for _, l := range s.locks {
		_ = l.Release()
	}
}
