// Package flow holds the two workflows: the life of a feature, and the calls of an account. Their
// code is replayed from history, so it may depend only on its arguments, workflow.Now and the
// signals.
package flow

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"ralph/fleet/internal/feature"
)

const (
	// longestTurn bounds a turn only formally: a working host reports all the time.
	longestTurn = 30 * 24 * time.Hour
	// maxLost is how many hosts in a row may fall silent over a feature without an
	// iteration in between: it may be what brings them down.
	maxLost = 5
	// The waits after trouble double from the first to the longest.
	firstBackoff   = 10 * time.Second
	longestBackoff = 5 * time.Minute
	// unknownLimit is the wait at a usage limit without a known end.
	unknownLimit = 15 * time.Minute
)

// Life is what a feature's workflow begins with: only the Submission at first, all
// of it when a long history is cut and the workflow continues in a new one.
type Life struct {
	Submission   feature.Submission `json:"submission"`
	Epoch        int64              `json:"epoch,omitempty"`
	Turn         int                `json:"turn,omitempty"`
	Paused       bool               `json:"paused,omitempty"`
	Lost         int                `json:"lost,omitempty"`      // hosts in a row
	AllLost      int                `json:"allLost,omitempty"`   // hosts in all
	Iterations   int                `json:"iteration,omitempty"` // when the last one was lost
	Troubles     int                `json:"troubles,omitempty"`  // in a row
	TroubleSince time.Time          `json:"troubleSince,omitzero"`
	Last         *feature.Handback  `json:"last,omitempty"`
}

// life is a feature's workflow running.
type life struct {
	Life
	ctx      workflow.Context // which no cancellation ends
	standing feature.Standing
	began    int // the turns of earlier histories
	heard    int // what people have asked for
	stop     bool
	resumed  bool
	until    time.Time // nothing is to be done before
	why      string
	cancel   workflow.CancelFunc // of the turn running, nil if there is not one
}

// Feature is the life of a feature: turn after turn, until it is done, fails or is
// stopped. It ends with what it has become, and with an error only where the
// engine itself has one.
func Feature(ctx workflow.Context, begin Life) (feature.Standing, error) {
	own, _ := workflow.NewDisconnectedContext(ctx)
	w := &life{Life: begin, ctx: own, began: begin.Turn}
	if w.Epoch == 0 {
		w.Epoch = workflow.GetInfo(ctx).WorkflowStartTime.UnixNano()
	}
	w.standing = feature.Standing{Submission: begin.Submission, Submitted: time.Unix(0, w.Epoch).UTC(), Last: begin.Last, Since: workflow.Now(ctx)}
	if err := workflow.SetQueryHandler(ctx, feature.QueryStanding, func() (feature.Standing, error) { return w.standing, nil }); err != nil {
		return feature.Standing{}, err
	}
	w.listen(ctx)
	for w.standing.Phase != feature.Finished {
		if err := w.step(ctx); err != nil {
			return w.standing, err
		}
	}
	return w.standing, nil
}

// listen takes what people ask for: the signals, and a cancellation, which is a stop.
func (w *life) listen(ctx workflow.Context) {
	on := func(signal string, do func()) {
		workflow.Go(w.ctx, func(ctx workflow.Context) {
			for {
				workflow.GetSignalChannel(ctx, signal).Receive(ctx, nil)
				w.heard++
				do()
			}
		})
	}
	on(feature.SignalPause, func() { w.Paused, w.resumed = true, false; w.interrupt(feature.SignalPause) })
	on(feature.SignalResume, func() { w.Paused, w.resumed = false, true })
	on(feature.SignalStop, func() { w.stop = true; w.interrupt(feature.SignalStop) })
	workflow.Go(w.ctx, func(own workflow.Context) {
		ctx.Done().Receive(own, nil)
		w.heard++
		w.stop = true
		w.interrupt(feature.SignalStop)
	})
}

// renew continues in a new history, unless someone has asked for something meanwhile: a
// signal that came with the end of the turn has a coroutine that has not run yet, and
// would be gone with the old one.
func (w *life) renew() error {
	before, others := w.heard, false
	err := workflow.Await(w.ctx, func() bool { // false once, which lets the others run
		ran := others
		others = true
		return ran
	})
	if err != nil || w.heard > before {
		return err
	}
	return workflow.NewContinueAsNewError(w.ctx, feature.WorkflowName, w.Life)
}

// interrupt notifies the running host of a wish.
func (w *life) interrupt(wish string) {
	w.standing.Wish = wish
	if w.cancel != nil {
		w.cancel()
	}
}

// step does the next thing: ends, waits or has a turn done.
func (w *life) step(ctx workflow.Context) error {
	now := workflow.Now(ctx)
	switch {
	case w.stop:
		return w.finish(feature.Ended, "stopped", w.stopped())
	case w.Paused:
		if err := w.enter(feature.Paused, "paused by the user", time.Time{}); err != nil {
			return err
		}
		return workflow.Await(w.ctx, func() bool { return !w.Paused || w.stop })
	case w.until.After(now):
		if err := w.enter(feature.Waiting, w.why, w.until); err != nil {
			return err
		}
		w.resumed = false
		_, err := workflow.AwaitWithTimeout(w.ctx, w.until.Sub(now), func() bool { return w.Paused || w.stop || w.resumed })
		w.until = time.Time{}
		return err
	case workflow.GetInfo(ctx).GetContinueAsNewSuggested() && w.Turn > w.began:
		return w.renew()
	}
	return w.turn()
}

// stopped says what was stopped, and where it is.
func (w *life) stopped() string {
	switch {
	case w.Troubles > 0 && w.why != "":
		return "stopped by the user, with trouble: " + w.why
	case w.Lost > 0:
		return "stopped by the user; its host fell silent, and what it had not pushed is kept when it is back"
	case w.Last == nil:
		return "stopped by the user, before a host had started it"
	}
	return "stopped by the user; what was finished is on the branch"
}

// turn has a host work on the feature.
func (w *life) turn() error {
	w.Turn++
	if err := w.enter(feature.Working, "", time.Time{}); err != nil {
		return err
	}
	ctx, cancel := workflow.WithCancel(w.ctx)
	w.cancel = cancel
	s := w.Submission
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:             feature.QueueFor(s.Needs),
		StartToCloseTimeout:   longestTurn,
		HeartbeatTimeout:      s.Silence,
		WaitForCancellation:   true,
		DisableEagerExecution: true,
		ActivityID:            fmt.Sprintf("turn-%d", w.Turn),
		RetryPolicy:           &temporal.RetryPolicy{MaximumAttempts: 1}, // a new try is a new turn
		Priority:              temporal.Priority{PriorityKey: s.Priority},
	})
	var back feature.Handback
	err := workflow.ExecuteActivity(ctx, feature.TurnName, feature.Turn{
		Submission: s, Ordinal: feature.Ordinal{Epoch: w.Epoch, Turn: w.Turn},
	}).Get(w.ctx, &back)
	w.cancel = nil
	if err != nil {
		return w.failed(err)
	}
	return w.handedBack(back)
}

// handedBack takes a feature back from a host.
func (w *life) handedBack(back feature.Handback) error {
	w.Last, w.standing.Last = &back, &back
	w.Lost, w.Troubles = 0, 0
	switch back.Outcome {
	case feature.Done, feature.Failed:
		return w.finish(back.Outcome, back.Reason, back.Message)
	case feature.Limited:
		w.until, w.why = workflow.Now(w.ctx).Add(unknownLimit), back.Message
		if back.ResumesAt != nil {
			w.until = *back.ResumesAt
		}
	}
	return nil
}

// enter starts a phase, and shows it in lists.
func (w *life) enter(p feature.Phase, message string, until time.Time) error {
	now := workflow.Now(w.ctx)
	if w.standing.Phase != p {
		w.standing.Since = now
	}
	w.standing.Phase, w.standing.Message, w.standing.Until = p, message, nil
	w.standing.Turn, w.standing.Lost, w.standing.Wish = w.Turn, w.AllLost, ""
	if !until.IsZero() {
		w.standing.Until = &until
	}
	return workflow.UpsertMemo(w.ctx, map[string]any{feature.MemoStanding: w.standing.ForLists()})
}

// finish ends the feature.
func (w *life) finish(o feature.Outcome, reason, message string) error {
	w.standing.Outcome, w.standing.Reason = o, reason
	return w.enter(feature.Finished, message, time.Time{})
}
