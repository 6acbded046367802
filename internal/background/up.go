package background

import (
	"context"
	"errors"
	"syscall"
	"time"

	"ralph/internal/handover"
	"ralph/internal/journal"
)

// errUp ends the look into the journal.
var errUp = errors.New("the run is in the journal")

// UntilUp waits until the run of the loop that took over is in the journal at
// path, and returns the run's id, or until the loop has ended: then it returns what
// that reported, or handover.ErrLost. began is when the loop was started. When the
// context ends before that the loop is told to end, too: nobody would know of it.
// Behind it the sender can send signals and be closed, and no more.
func UntilUp(ctx context.Context, sent *handover.Sender, path string, began time.Time) (string, *handover.Report, error) {
	heard := ctx
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(heard, func() { _ = sent.Signal(syscall.SIGINT) })()
	run := make(chan string, 1)
	go func() {
		_ = journal.Follow(ctx, path, func(batch journal.Batch) error {
			for _, e := range batch.Events {
				if s, ok := e.Body.(journal.RunStarted); ok && s.PID == sent.PID() && !e.Time.Before(began.Truncate(time.Second)) {
					run <- e.Run
					return errUp
				}
			}
			return nil
		})
	}()
	type result struct {
		report handover.Report
		err    error
	}
	over := make(chan result, 1)
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		report, err := sent.Wait(waiting)
		over <- result{report, err}
	}()
	select {
	case id := <-run:
		stop()
		<-over // nobody reads from the sender any more
		return id, nil, nil
	case r := <-over:
		return "", &r.report, r.err
	}
}
