package calls

import (
	"context"
	"time"

	"ralph/internal/agent"
	"ralph/internal/journal"
	"ralph/internal/ratelimit"
	"ralph/internal/run"
	"ralph/internal/stream"
)

// firstGuess and longestGuess bound the waits at a usage limit without a known reset.
const (
	firstGuess   = 5 * time.Minute
	longestGuess = time.Hour
)

// backoff returns the wait after n refusals in a row without a known reset.
func backoff(refusals int) time.Duration {
	pause := firstGuess
	for range min(refusals-1, 10) {
		pause = min(2*pause, longestGuess)
	}
	return pause
}

// Refused records that a call met a usage limit, and reports a limit of the account to other
// loops. It does not report a limit of one model: loops with another model can continue.
//
// A limit without a reset time in the future is not reported either. It is tried again after a
// pause, which doubles with each refusal.
func (t *Team) Refused(ctx context.Context, o agent.Outcome) error {
	m := t.at
	m.refusals++
	m.waited = time.Time{} // this limit has not been waited out yet
	m.own = Block{Limit: run.Limit{Agent: m.Harness.Name, Until: o.ResetsAt, Reset: o.ResetsAt, Note: o.Message, Hint: o.Hint}, by: m}
	if o.OfModel {
		m.own.model = m.Options.Model
	}
	if !o.ResetsAt.After(time.Now()) {
		m.own.Until, m.own.Reset = time.Now().Add(backoff(m.refusals)), time.Time{}
		return t.probed(ctx, false)
	}
	if o.OfModel {
		return t.probed(ctx, true)
	}
	own := m.own
	m.own = Block{} // the ledger knows
	if err := m.ledger.SetLimited(ctx, o.ResetsAt, o.Message); err != nil {
		m.own = own
		return t.Recorder.Warn("cannot record the limit for other loops: %v", err)
	}
	return nil
}

// ResetRefusals resets the count of refusals after the provider accepted a call.
func (t *Team) ResetRefusals() { t.at.refusals = 0 }

// admit asks whether the agent may be called now.
func (m *member) admit(ctx context.Context, now time.Time) (Block, error) {
	m.probing = false
	if m.held(now) {
		return m.own, nil
	}
	g, err := m.ledger.Admit(ctx, now, m.waited)
	m.probing = g.Probe
	return m.blockedBy(g), err
}

// wouldAdmit returns what admit would, without asking to be let in.
func (m *member) wouldAdmit(now time.Time) (Block, error) {
	if m.held(now) {
		return m.own, nil
	}
	g, err := m.ledger.WouldAdmit(now, m.waited)
	return m.blockedBy(g), err
}

// held reports whether a limit that only this run knows is in the way.
func (m *member) held(now time.Time) bool {
	ofOther := m.own.model != "" && m.own.model != m.Options.Model
	return !ofOther && m.own.Until.After(now) && m.own.Until.After(m.waited)
}

// blockedBy turns the ledger's answer into a Block.
func (m *member) blockedBy(g ratelimit.Admission) Block {
	if g.Until.IsZero() {
		return Block{}
	}
	return Block{Limit: run.Limit{Agent: m.Harness.Name, Until: g.Until, Reset: g.Until, Note: g.Note, Probed: g.Probed}, by: m}
}

// firstFree returns what Pick would, without asking to be let in: the zero value where
// an agent can be called.
func (t *Team) firstFree(now time.Time) (first Block, err error) {
	for _, m := range t.members {
		if m.out {
			continue
		}
		b, err := m.wouldAdmit(now)
		if b.by == nil || err != nil {
			return Block{}, err
		}
		if first.by == nil || b.Until.Before(first.Until) {
			first = b
		}
	}
	return first, nil
}

// probed reports to the other loops, where this one was let in to try, whether the
// provider took the call.
func (t *Team) probed(ctx context.Context, over bool) error {
	if !t.at.probing {
		return nil
	}
	t.at.probing = false
	if err := t.at.ledger.Probed(context.WithoutCancel(ctx), over); err != nil {
		return t.Recorder.Warn("cannot record for other loops whether the limit is over: %v", err)
	}
	return nil
}

// settleProbe reports the result of a call that tried a limit, where its output has
// not shown it before.
func (t *Team) settleProbe(ctx context.Context, o agent.Outcome) error {
	switch o.Kind {
	case journal.OutcomeUsageLimit: // Refused does
		return nil
	case journal.OutcomeOK, journal.OutcomeError:
		return t.probed(ctx, true)
	}
	return t.probed(ctx, false)
}

// listening passes an agent's events on to hear. Loops that wait for the end of a
// limit learn as soon as the model has said anything: the call may take an hour.
func (t *Team) listening(ctx context.Context, hear func(stream.Event)) func(stream.Event) {
	ledger, waiting := t.at.ledger, t.at.probing
	return func(e stream.Event) {
		if waiting && (e.Kind == stream.KindText || e.Kind == stream.KindTool) {
			waiting = false
			_ = ledger.Probed(context.WithoutCancel(ctx), true) // the end of the call reports it again
		}
		hear(e)
	}
}
