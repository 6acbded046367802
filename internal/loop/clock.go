package loop

import (
	"context"
	"sync"
	"time"

	"ralph/internal/journal"
	"ralph/internal/stopwatch"
)

// watchClock writes down every jump of the wall clock, in turns, checks, waits and
// pauses alike, until the returned function is called.
func (l *Loop) watchClock(ctx context.Context) (stop func()) {
	// A run that is told to end still has its agent's grace ahead of it.
	ctx, end := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	wg.Go(func() {
		look := time.NewTicker(stopwatch.Tick)
		defer look.Stop()
		watch := stopwatch.Start()
		for {
			select {
			case <-ctx.Done():
				return
			case <-look.C:
				// An error is met again by the loop's own next event, which acts on it.
				_ = l.jumped(watch.Lap())
			}
		}
	})
	return func() { end(); wg.Wait() }
}

// jumped records the jumps in what has passed since the last look.
func (l *Loop) jumped(p stopwatch.Passed) error {
	for _, j := range p.Jumps() {
		if err := l.record(journal.ClockJumped{Seconds: j.By.Round(time.Millisecond).Seconds(), Slept: j.Slept, Message: j.String()}); err != nil {
			return err
		}
	}
	return nil
}
