package stopwatch

import (
	"context"
	"time"
)

// Tick is the interval at which Sleep reads the wall clock. A timer alone stops while the
// machine sleeps, and fires too late.
const Tick = time.Second

// Sleep waits until the deadline, which counts from the start of the watch. It calls sooner
// once a second, and returns early when sooner returns true. sooner may be nil. The error is
// the cause of ctx.
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
