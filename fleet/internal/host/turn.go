package host

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"ralph/fleet/internal/feature"
	"ralph/fleet/internal/repo"
)

// badSkew is a difference of clocks that the user should know of.
const badSkew = 30 * time.Second

// turn is a turn of this host running.
type turn struct {
	feature.Turn
	host  *Host
	pulse *pulse
	tree  *repo.Tree
	push  *pusher

	record repo.Record   // as the next snapshot has it
	change string        // the change that the plan is, if it is one
	skew   time.Duration // of this host's clock relative to the server's
	clock  string        // what is wrong with it, if anything
	asking atomic.Bool   // what the user wishes

	mu      sync.Mutex // over the rest
	unclaim func()     // ends a claim that is under way
	run     *run       // nil where none is running
	over    bool       // no further run may begin
	ousted  bool       // the feature is another host's by now
	pausing bool       // after the iteration running
	cutOff  time.Time  // since when the server was not heard
}

// Turn is the activity: it works on a feature until that is done, fails, meets the
// provider's limit, or is to be handed back.
func (h *Host) Turn(ctx context.Context, asked feature.Turn) (feature.Handback, error) {
	if !h.slots.enter() {
		return feature.Handback{}, temporal.NewNonRetryableApplicationError(h.Name+" has no free slot", feature.ErrBusy, nil)
	}
	defer h.slots.leave()
	if err := h.room(); err != nil { // since it asked for work
		h.trouble(err.Error())
		return feature.Handback{}, temporal.NewNonRetryableApplicationError(err.Error(), feature.ErrBusy, nil)
	}
	info := activity.GetInfo(ctx)
	t := &turn{Turn: asked, host: h, skew: time.Since(info.StartedTime)}
	t.pulse = &pulse{engine: h.engine, token: info.TaskToken, hear: t.hear, soon: make(chan struct{}, 1),
		every: min(longestPulse, asked.Submission.Silence/4), limit: asked.Submission.Silence / 2,
		progress: feature.Progress{Host: h.Name, Status: "fetching"}}
	// The SDK's context ends with the first failed sign of life, and the worker's with
	// the worker: the turn has its own, and hears of both.
	own, end := context.WithCancel(context.WithoutCancel(ctx))
	defer t.setCutOff(false)
	var wg sync.WaitGroup
	wg.Go(func() { t.pulse.beat(own) })
	defer wg.Wait()
	defer end()
	defer context.AfterFunc(h.going, func() { t.end() })()
	t.checkClock()

	lock := h.turnLock(asked.Submission.ID())
	lock.Lock()
	defer lock.Unlock()
	back, err := t.work(own)
	if err != nil {
		h.Log.Warn("turn ended", "feature", asked.Submission.ID(), "turn", asked.Ordinal.Turn, "error", err)
		return back, asActivityError(err, t.back("", "", err.Error()))
	}
	h.Log.Info("turn ended", "feature", asked.Submission.ID(), "turn", asked.Ordinal.Turn, "outcome", back.Outcome, "reason", back.Reason, "message", back.Message)
	return back, nil
}

// checkClock compares the host's clock with the server's.
func (t *turn) checkClock() {
	if t.skew.Abs() < badSkew {
		t.skew = 0
	}
	t.host.ledger.SetSkew(t.skew)
	if t.skew == 0 {
		return
	}
	way := "ahead of"
	if t.skew < 0 {
		way = "behind"
	}
	t.clock = fmt.Sprintf("the clock of %s is %s %s the server's", t.host.Name, t.skew.Abs().Round(time.Second), way)
	t.host.trouble(t.clock + ": set it; limits are reckoned by the server's until then")
	t.pulse.change(func(p *feature.Progress) { p.Trouble = t.clock })
}

// serverTime converts a moment of this host's clock to the server's.
func (t *turn) serverTime(at time.Time) time.Time { return at.Add(-t.skew).UTC() }

// work claims the feature, has runs work on it, and hands it back.
func (t *turn) work(ctx context.Context) (feature.Handback, error) {
	s := t.Submission
	t.host.Log.Info("turn begins", "feature", s.ID(), "turn", t.Ordinal.Turn)
	tree, err := t.claim(ctx)
	var trouble *repo.TroubleError
	switch {
	case err != nil && t.isOver():
		return t.back(feature.Ended, "stopped", "ended before it began"), nil
	case errors.As(err, &trouble):
		return feature.Handback{}, &repo.TroubleError{Err: fmt.Errorf("on %s: %w", t.host.Name, err)}
	case err != nil:
		return feature.Handback{}, err
	}
	defer tree.Close()
	t.tree, t.record = tree, tree.Record
	if tree.Note != "" {
		t.troubled(tree.Note)
	}
	if ended := tree.Record.Ended; ended != nil { // a host did it, and could not report it
		return *ended, tree.Remove(ctx)
	}
	t.pulse.change(func(p *feature.Progress) { p.Spent, p.Pushed = t.record.Spent, t.serverTime(tree.PushedAt()) })
	t.push = startPusher(ctx, t)
	back, err := t.runs(ctx)
	return t.handBack(ctx, back, err)
}

// claim gets the feature for this host, unless it is asked to end meanwhile: a remote that does
// not answer may take long.
func (t *turn) claim(ctx context.Context) (*repo.Tree, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t.mu.Lock()
	t.unclaim = cancel
	if t.over {
		cancel()
	}
	t.mu.Unlock()
	tree, err := t.host.space.Claim(ctx, t.Turn, t.host.Name)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unclaim = nil
	return tree, err
}

// runs has one run after the other until the turn is over.
func (t *turn) runs(ctx context.Context) (feature.Handback, error) {
	for {
		if reason, message := t.record.Spent.Verdict(t.Submission.Flags); reason != "" {
			return t.back(feature.Failed, reason, message), nil
		}
		end, err := t.oneRun(ctx)
		if err != nil {
			return feature.Handback{}, err
		}
		back := t.judge(end)
		if back.Outcome == feature.Failed && back.Reason == "max_iterations" {
			// It may have been given one iteration only, after those of another host.
			reason, message := t.record.Spent.Verdict(t.Submission.Flags)
			if reason == "" {
				continue
			}
			back.Reason, back.Message = reason, message
		}
		return back, nil
	}
}

// judge says what the end of a run means for the feature.
func (t *turn) judge(end ending) feature.Handback {
	back := t.back(feature.Failed, end.reason, end.message)
	back.ExitCode = end.code
	switch {
	case end.code == 0:
		back.Outcome = feature.Done
	case end.code == 2:
		back.Outcome, back.ResumesAt = feature.Limited, end.resumesAt
		if end.resumesAt != nil {
			at := t.serverTime(*end.resumesAt)
			back.ResumesAt = &at
		}
	case end.code == 130 || end.code == 143:
		back.Outcome = feature.Ended
	}
	return back
}

func (t *turn) back(o feature.Outcome, reason, message string) feature.Handback {
	return feature.Handback{Outcome: o, Reason: reason, Message: message, Host: t.host.Name, Progress: t.atLast()}
}

// atLast is how far the feature is, without what only signs of life carry: it stays in
// the workflow's history, in the list and in the record.
func (t *turn) atLast() feature.Progress {
	p := t.pulse.now()
	p.Event, p.Lines = "", nil
	return p
}

// asActivityError gives an error the type by which the workflow decides, and how far the
// feature is.
func asActivityError(err error, at feature.Handback) error {
	kind := feature.ErrTrouble
	switch {
	case errors.Is(err, repo.ErrOusted):
		kind = feature.ErrOusted
	case errors.Is(err, repo.ErrBranch):
		kind = feature.ErrFeature
	}
	return temporal.NewNonRetryableApplicationError(err.Error(), kind, nil, at)
}
