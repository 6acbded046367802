package host

import (
	"context"
	"os/exec"
	"time"

	"ralph/fleet/internal/feature"
	"ralph/fleet/internal/hold"
)

// hear reacts to the answer to a sign of life.
func (t *turn) hear(w word) {
	switch w {
	case fine:
		t.heard()
	case wished:
		t.heard()
		if t.asking.CompareAndSwap(false, true) { // signs of life continue meanwhile
			go func() {
				defer t.asking.Store(false)
				t.askWish()
			}()
		}
	case givenUp:
		t.mu.Lock()
		t.ousted = true
		t.mu.Unlock()
		t.setCutOff(true) // until the run has ended
		t.end()
	case unheard:
		t.mu.Lock()
		if t.cutOff.IsZero() {
			t.cutOff = time.Now()
		}
		since := t.cutOff
		t.mu.Unlock()
		t.setCutOff(true)
		t.host.trouble("the server cannot be reached since " + since.UTC().Format("15:04:05") + " UTC; the current iteration continues")
	}
}

func (t *turn) heard() {
	t.mu.Lock()
	t.cutOff = time.Time{}
	t.mu.Unlock()
	t.setCutOff(false)
}

// setCutOff holds the calls of this host back, or lets them continue.
func (t *turn) setCutOff(is bool) { t.host.ledger.SetCutOff(t.Submission.ID(), is) }

// askWish asks the workflow what the user wishes: a pause lets the iteration running
// end, everything else ends it now.
func (t *turn) askWish() {
	ctx, cancel := context.WithTimeout(context.Background(), longestPulse)
	defer cancel()
	answer, err := t.host.engine.Client.QueryWorkflow(ctx, t.Submission.ID(), "", feature.QueryStanding)
	var s feature.Standing
	if err == nil {
		err = answer.Get(&s)
	}
	switch {
	case err != nil:
		return // the next sign of life asks again
	case s.Wish == feature.SignalPause:
		t.pause()
	default:
		t.end()
	}
}

// pause asks ralph to hold after the iteration running; when it does, the run is ended.
func (t *turn) pause() {
	t.mu.Lock()
	before := t.pausing
	started := t.run != nil && t.run.started
	t.pausing = true // no further run begins
	t.mu.Unlock()
	if before {
		return
	}
	if !started { // no iteration is running, and ralph would say that there is no loop
		t.end()
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, t.host.Ralph, "pause")
	cmd.Dir, cmd.Env = t.tree.Dir, hold.Environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.host.Log.Warn("ralph cannot be asked to pause, and is ended", "feature", t.Submission.ID(), "error", err, "said", tail(out))
		t.end()
	}
}

// end ends the claim or the run running, and lets no further one begin.
func (t *turn) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	if t.unclaim != nil {
		t.unclaim()
	}
	if t.run != nil {
		t.run.stop()
	}
}
