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

// UntilUp waits until the loop has started its run, and returns the run's id. It reads the
// journal at path. began is when the loop was started.
//
// If the loop ends first, UntilUp returns the loop's report or handover.ErrLost. If ctx ends
// first, UntilUp stops the loop. After UntilUp, the sender can only send signals and be closed.
func UntilUp(ctx context.Context, sent *handover.Sender, path string, began time.Time) (string, *handover.CommandResult, error) {
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
		report handover.CommandResult
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
		<-over // no one reads from the sender any more
		return id, nil, nil
	case r := <-over:
		return "", &r.report, r.err
	}
}
