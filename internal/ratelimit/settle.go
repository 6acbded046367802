package ratelimit

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"time"
)

// A call is counted before it is in the journal, and a process can be killed between the two. So
// the book also keeps how many calls each of the last runs has taken, for the next run to compare
// with the journal.

const (
	maxRuns = 12 // that the book remembers
	runName = 10 // how much of a run's name is kept: the names are random
)

// taken is what one run has taken.
type taken struct {
	Calls int    `json:"n"`
	Hour  string `json:"h"` // of the last one
	At    uint64 `json:"s"` // sequence of the book then
}

// For returns the same ledger with its calls attributed to one run. run is a random name.
func (l *Ledger) For(run string) *Ledger {
	own := *l
	own.run = run
	return &own
}

// settle subtracts the calls that a dead run took but did not record. calls is the number that
// it recorded. A second call has no effect.
func (l *Ledger) settle(ctx context.Context, run string, calls int) error {
	if l.socket != "" {
		_, err := l.ask(ctx, request{Op: "settle", Run: run, Calls: calls})
		return err
	}
	key := runKey(run)
	if b, err := readBook(l.file); err != nil || b.Runs[key].Calls <= calls {
		return err // nearly always
	}
	return l.update(ctx, func(b *book) bool {
		t, ok := b.Runs[key]
		if over := t.Calls - calls; ok && over > 0 && b.Hours[t.Hour] >= over {
			b.Hours[t.Hour] -= over
		}
		delete(b.Runs, key)
		return ok
	})
}

// SettleAll calls settle for every harness, because a run may have switched between them.
// calls has the recorded calls of each harness.
func (l *Ledger) SettleAll(ctx context.Context, run string, calls map[string]int) error {
	names := slices.Sorted(maps.Keys(calls))
	if l.socket == "" {
		var err error
		if names, err = Harnesses(filepath.Dir(l.file)); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := l.Of(name).settle(ctx, run, calls[name]); err != nil {
			return err
		}
	}
	return nil
}

// GiveBack subtracts a call that was never made, because the agent could not be started. at is
// the time of its Take. A shared ledger ignores it: one call too many does less harm than one
// too few.
func (l *Ledger) GiveBack(ctx context.Context, at time.Time) error {
	if l.socket != "" {
		return nil
	}
	return l.update(ctx, func(b *book) bool {
		hour := hourOf(at)
		if b.Hours[hour] == 0 {
			return false
		}
		b.Hours[hour]--
		if t, ok := b.Runs[runKey(l.run)]; ok && t.Calls > 0 {
			t.Calls--
			b.Runs[runKey(l.run)] = t
		}
		return true
	})
}

func runKey(run string) string { return run[:min(len(run), runName)] }

// note remembers a call of a run, and forgets the runs that called longest ago.
func (b *book) note(run string, now time.Time) {
	if run == "" {
		return
	}
	if b.Runs == nil {
		b.Runs = map[string]taken{}
	}
	b.Runs[runKey(run)] = taken{Calls: b.Runs[runKey(run)].Calls + 1, Hour: hourOf(now), At: b.Sequence}
	for len(b.Runs) > maxRuns {
		oldest, at := "", b.Sequence+1
		for key, t := range b.Runs {
			if t.At < at {
				oldest, at = key, t.At
			}
		}
		delete(b.Runs, oldest)
	}
}
