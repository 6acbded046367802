package flow

import (
	"errors"
	"fmt"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"ralph/fleet/internal/feature"
)

// failed decides what follows a turn that ended with an error: another turn at once, another one
// later, or the end.
func (w *life) failed(err error) error {
	var silent *temporal.TimeoutError
	var app *temporal.ApplicationError
	switch {
	case temporal.IsCanceledError(err):
		return nil // before a host had started it
	case errors.As(err, &silent):
		return w.lost(silent)
	case errors.As(err, &app):
		return w.refused(app)
	}
	return w.finish(feature.Failed, "error", err.Error())
}

// refused decides by what the host says of its error.
func (w *life) refused(app *temporal.ApplicationError) error {
	var at feature.Handback
	if app.HasDetails() && app.Details(&at) == nil {
		w.remember(at)
	}
	switch app.Type() {
	case feature.ErrBusy:
		w.until, w.why = workflow.Now(w.ctx).Add(time.Second), app.Message()
		return nil
	case feature.ErrTrouble:
		return w.trouble(app.Message())
	}
	return w.finish(feature.Failed, app.Type(), app.Message())
}

// remember takes down how far a host was that did not hand the feature back.
func (w *life) remember(at feature.Handback) {
	if p := at.Progress; p.Spent.Iterations > 0 || p.StoriesTotal > 0 { // else it had hardly started
		w.Last, w.standing.Last = &at, &at
	}
}

// lost continues without a host that fell silent, unless too many have.
func (w *life) lost(err *temporal.TimeoutError) error {
	var p feature.Progress
	if err.TimeoutType() == enums.TIMEOUT_TYPE_HEARTBEAT && err.HasLastHeartbeatDetails() {
		if err := err.LastHeartbeatDetails(&p); err != nil {
			return w.finish(feature.Failed, "error", "cannot read the host's last report: "+err.Error())
		}
	}
	p.Event, p.Lines = "", nil
	w.remember(feature.Handback{Outcome: feature.Ended, Reason: "silent", Message: p.Host + " fell silent", Host: p.Host, Progress: p})
	if p.Spent.Iterations > w.Iterations {
		w.Lost = 0
	}
	w.Lost++
	w.AllLost++
	w.Iterations = max(w.Iterations, p.Spent.Iterations)
	if w.Lost >= maxLost {
		return w.finish(feature.Failed, "hosts_lost",
			fmt.Sprintf("%d hosts in a row fell silent over it, the last one was %s; look what it does to a machine before it is submitted again", w.Lost, p.Host))
	}
	return nil
}

// trouble waits for what may pass, as long as the submission is patient.
func (w *life) trouble(message string) error {
	now := workflow.Now(w.ctx)
	if w.Troubles == 0 {
		w.TroubleSince = now
	}
	if now.Sub(w.TroubleSince) >= w.Submission.Patience {
		return w.finish(feature.Failed, "trouble", fmt.Sprintf("%s; it has lasted %s: fix it and submit the branch again", message, now.Sub(w.TroubleSince).Round(time.Second)))
	}
	pause := firstBackoff
	for range min(w.Troubles, 10) {
		pause = min(2*pause, longestBackoff)
	}
	w.Troubles++
	// The last try is at the end of the patience, not after it.
	w.until, w.why = now.Add(min(pause, w.TroubleSince.Add(w.Submission.Patience).Sub(now))), message
	return nil
}
