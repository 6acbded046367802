package calls

import (
	"context"
	"math/rand/v2"
	"time"

	"ralph/internal/journal"
	"ralph/internal/stopwatch"
)

// longestJitter bounds how long after a reset a loop continues: not all loops at
// once, and not a second before the provider's own clock has turned.
const longestJitter = 15 * time.Second

// jitter returns a random time to wait after a reset, a small part of the wait.
func jitter(wait time.Duration) time.Duration {
	return rand.N(max(1, min(wait/20, longestJitter)))
}

// sameReset is how far two reports of one reset may be apart: "in 2h39m" is rounded to
// the minute. The user who agreed to wait is not asked again for less.
const sameReset = time.Minute

// Wait waits until w.Until by the wall clock, and records the wait in the journal.
func (t *Team) Wait(ctx context.Context, w journal.WaitStarted) error {
	_, err := t.wait(ctx, w, nil)
	return err
}

// WaitForLimit waits until the limit b is over. It ends early if an agent becomes free, another
// loop has tried the limit, or the reset time has changed.
func (t *Team) WaitForLimit(ctx context.Context, b Block, w journal.WaitStarted) error {
	if !b.Probed {
		w.Until = journal.TimePtr(b.Until.Add(jitter(time.Until(b.Until))))
	}
	early, err := t.wait(ctx, w, func(now time.Time) bool { return t.overtaken(b, now) })
	if !early && !b.Probed {
		b.by.waited = b.Until
	}
	return err
}

// wait records a wait and ends early as soon as sooner reports true.
func (t *Team) wait(ctx context.Context, w journal.WaitStarted, sooner func(now time.Time) bool) (early bool, err error) {
	watch := stopwatch.Start()
	if err := t.Recorder.Record(w); err != nil {
		return false, err
	}
	if early, err = stopwatch.Sleep(ctx, watch, stopwatch.Until(*w.Until, watch.Began()), sooner); err != nil {
		return false, err
	}
	return early, t.Recorder.Record(journal.WaitEnded{Reason: w.Reason, Seconds: watch.Passed().Real.Seconds()})
}

// overtaken reports whether something else than b is in the way by now, or nothing.
func (t *Team) overtaken(b Block, now time.Time) bool {
	if !b.Probed && !now.Before(b.Until) {
		return false // the rest is jitter
	}
	first, err := t.firstFree(now)
	if err != nil {
		return false // the end of the wait meets it again
	}
	moved := first.Until.Sub(b.Until).Abs()
	return first.by == nil || first.Probed != b.Probed || moved > sameReset || b.Probed && moved > 0
}
