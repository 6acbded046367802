package stopwatch

import (
	"context"
	"time"
)

// Tick is how often a sleep reads the wall clock. A timer alone is still while
// the machine sleeps, and fires late by as much.
const Tick = time.Second

// Sleep waits until a deadline that counts from the start of the watch. It ends early
// as soon as sooner reports true, which is called once a second; nil never does. The
// error is the context's cause.
func Sleep(ctx context.Context, w Watch, d Deadline, sooner func(now time.Time) bool) (early bool, err error) {
	for {
		now := time.Now()
		left := d.Left(w.Passed(), now)
		if left <= 0 {
			return false, context.Cause(ctx)
		}
		if sooner != nil && sooner(now) {
			return true, context.Cause(ctx)
		}
		if err := doze(ctx, min(left, Tick)); err != nil {
			return false, err
		}
	}
}

func doze(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
