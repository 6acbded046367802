package loop

import (
	"context"
	"sync"
	"time"

	"ralph/internal/journal"
	"ralph/internal/recorder"
	"ralph/internal/stopwatch"
)

// watchClock records every jump of the wall clock, in calls, checks, waits and pauses alike,
// until the returned function is called.
func watchClock(ctx context.Context, rec *recorder.Recorder) (stop func()) {
	// A run that was asked to end still waits for its agent's grace.
	ctx, end := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(stopwatch.Tick)
		defer tick.Stop()
		watch := stopwatch.Start()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				// The loop's own next event meets the same error and acts on it.
				_ = recordJumps(rec, watch.Lap())
			}
		}
	})
	return func() { end(); wg.Wait() }
}

// recordJumps records the jumps in the time that has passed.
func recordJumps(rec *recorder.Recorder, p stopwatch.Passed) error {
	for _, j := range p.Jumps() {
		if err := rec.Record(journal.ClockJumped{Seconds: j.By.Round(time.Millisecond).Seconds(), Slept: j.Slept, Message: j.String()}); err != nil {
			return err
		}
	}
	return nil
}
