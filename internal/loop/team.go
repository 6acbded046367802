package loop

import (
	"context"
	"errors"
	"time"

	"ralph/internal/agent"
	"ralph/internal/journal"
	"ralph/internal/ratelimit"
)

// Caller is an agent that a run may call, and how.
type Caller struct {
	Harness agent.Harness
	Options agent.Options
}

// member is one of a run's agents, with what the run has learnt of it.
type member struct {
	Caller
	ledger *ratelimit.Ledger

	own      blocked   // a limit that only this run knows: a model's, or one whose end nobody told
	waited   time.Time // until when a limit was waited out
	refusals int       // of the provider in a row
	probing  bool      // its next call tries whether a limit is over
	out      bool      // it cannot be called in this run: not there, or not logged in
}

// blocked says that an agent should not be called now; its zero value that it can be.
type blocked struct {
	by     *member
	until  time.Time // when it can be called again, a guess where reset is zero
	reset  time.Time // of the provider's limit
	note   string    // the provider's words
	hint   string    // what a person can do but wait, may be empty
	probed bool      // the limit should be over, and another loop is finding out
}

// assemble makes the run's agents out of what it was given. Who is named twice
// is called as it was named first.
func (l *Loop) assemble() {
	l.team = nil
	for _, c := range l.Agents {
		if l.memberNamed(c.Harness.Name) == nil {
			l.team = append(l.team, &member{Caller: c, ledger: l.Ledger.Of(c.Harness.Name)})
		}
	}
	l.at = l.team[0]
}

func (l *Loop) memberNamed(name string) *member {
	for _, m := range l.team {
		if m.Harness.Name == name {
			return m
		}
	}
	return nil
}

// pickAgent lets the first agent do the work that can be called: that is the run's
// own one again as soon as its limit is over. Where none can, it tells which one
// is the first to be free.
func (l *Loop) pickAgent(ctx context.Context) (blocked, error) {
	var first blocked
	for _, m := range l.team {
		if m.out {
			continue
		}
		b, err := m.knock(ctx, time.Now())
		if err != nil {
			return blocked{}, err
		}
		if b.by == nil {
			if present, err := l.takeOver(m); present || err != nil {
				return blocked{}, err
			}
			continue
		}
		if first.by == nil || b.until.Before(first.until) {
			first = b
		}
	}
	return first, nil
}

// knock asks whether the agent may be called now.
func (m *member) knock(ctx context.Context, now time.Time) (blocked, error) {
	m.probing = false
	if m.held(now) {
		return m.own, nil
	}
	g, err := m.ledger.Knock(ctx, now, m.waited)
	m.probing = g.Probe
	return m.behind(g), err
}

// look tells what knock would answer, without asking to be let in.
func (m *member) look(now time.Time) (blocked, error) {
	if m.held(now) {
		return m.own, nil
	}
	g, err := m.ledger.Look(now, m.waited)
	return m.behind(g), err
}

// held tells whether a limit that only this run knows is in the way.
func (m *member) held(now time.Time) bool {
	return m.own.until.After(now) && m.own.until.After(m.waited)
}

// behind is what the ledger knows of, in the run's words.
func (m *member) behind(g ratelimit.Gate) blocked {
	if g.Until.IsZero() {
		return blocked{}
	}
	return blocked{by: m, until: g.Until, reset: g.Until, note: g.Note, probed: g.Probed}
}

// takeOver makes the agent the one that works, and records that where it was
// another. An agent that is not there does not take over.
func (l *Loop) takeOver(m *member) (present bool, err error) {
	if m == l.at {
		return true, nil
	}
	if err := m.Harness.Present(l.Env); err != nil {
		return false, l.leaveOut(m, err.Error())
	}
	e := journal.HarnessSwitched{From: l.at.Harness.Name, To: m.Harness.Name, Reason: "usage limit"}
	if l.isBefore(m, l.at) {
		e.Reason = "its limit is over"
	} else if l.at.out {
		e.Reason = l.at.Harness.Name + " cannot be called"
	} else if until, _, err := l.at.ledger.LimitedUntil(time.Now()); err == nil {
		e.Until = timePtr(until)
	}
	l.at = m
	return true, l.record(e)
}

// isBefore tells whether a is preferred to b.
func (l *Loop) isBefore(a, b *member) bool {
	for _, m := range l.team {
		if m == a || m == b {
			return m == a && a != b
		}
	}
	return false
}

// leaveOut says that an agent cannot take over in this run, and why.
func (l *Loop) leaveOut(m *member, why string) error {
	m.out = true
	return l.warn("%s cannot take over in this run: %s", m.Harness.Name, why)
}

// unfitAfter takes an agent that was to take over out of the run where its call
// showed that it cannot: it is not logged in, or cannot be started. The run's own
// agent is never taken out: its trouble is the run's.
func (l *Loop) unfitAfter(o agent.Outcome, err error) (bool, error) {
	var missing *agent.MissingError
	switch {
	case l.at == l.team[0]:
		return false, err
	case errors.As(err, &missing):
		return true, l.leaveOut(l.at, err.Error())
	case err != nil || o.Kind != journal.OutcomeAuth:
		return false, err
	}
	why := o.Message
	if o.Hint != "" {
		why += "; " + o.Hint
	}
	return true, l.leaveOut(l.at, why)
}
