// Package calls makes the calls of a run: it picks the agent, counts the call in the ledger,
// waits at limits, calls the agent and records the result. It does not know the plan.
package calls

import (
	"context"
	"errors"
	"time"

	"ralph/internal/agent"
	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/ratelimit"
	"ralph/internal/recorder"
	"ralph/internal/run"
)

// Caller is an agent that a run may call, with its options.
type Caller struct {
	Harness agent.Harness
	Options agent.Options
}

// Team holds the agents of one run and makes their calls.
type Team struct {
	Recorder *recorder.Recorder
	Keeper   *proc.Keeper
	Env      []string
	Unit     string
	Story    string // story of the next call; empty if the plan names none
	Root     string // of the worktree
	LogDir   string // for iteration-N.log, from the worktree's root
	Limits   agent.Limits
	Promise  string
	Drained  func() // called when all output so far has been read; optional

	members []*member
	at      *member // the agent that works
	grant   ratelimit.Grant
	taken   time.Time // when the last call was counted
}

// member is one agent of the team, with what the run has learnt about it.
type member struct {
	Caller
	ledger *ratelimit.Ledger

	own      Block     // a limit that only this run knows: a model's, or one without a known reset
	waited   time.Time // until when a limit was waited out
	refusals int       // of the provider in a row
	probing  bool      // its next call tries whether a limit is over
	out      bool      // it cannot be called in this run: not installed, or not logged in
}

// Use sets the model of the first agent for later calls.
func (t *Team) Use(model string) { t.members[0].Options.Model = model }

// Block is the reason why an agent should not be called now. The zero value means that it can
// be called.
type Block struct {
	run.Limit
	by    *member
	model string // that is at its limit; empty for the account
}

// Assemble sets the agents of the team. The first one works. The others take over, in this
// order, while the agents before them are limited. If a name occurs twice, the first one
// counts. ledger belongs to the first agent.
func (t *Team) Assemble(agents []Caller, ledger *ratelimit.Ledger) {
	t.members = nil
	for _, c := range agents {
		if t.named(c.Harness.Name) == nil {
			t.members = append(t.members, &member{Caller: c, ledger: ledger.Of(c.Harness.Name)})
		}
	}
	t.at = t.members[0]
}

func (t *Team) named(name string) *member {
	for _, m := range t.members {
		if m.Harness.Name == name {
			return m
		}
	}
	return nil
}

// Current returns the agent that makes the next call.
func (t *Team) Current() Caller { return t.at.Caller }

// Present returns an error if the program of the run's own agent cannot be found.
func (t *Team) Present() error { return t.members[0].Harness.Present(t.Env) }

// Able returns the names of the agents that can still be called in this run.
func (t *Team) Able() []string {
	var names []string
	for _, m := range t.members {
		if !m.out {
			names = append(names, m.Harness.Name)
		}
	}
	return names
}

// Pick chooses the first agent that can be called and makes it the current one. The run's own
// agent returns as soon as its limit is over. If all are limited, Pick returns the Block that
// ends first.
func (t *Team) Pick(ctx context.Context) (Block, error) {
	var first Block
	for _, m := range t.members {
		if m.out {
			continue
		}
		b, err := m.admit(ctx, time.Now())
		if err != nil {
			return Block{}, err
		}
		if b.by == nil {
			if present, err := t.takeOver(m); present || err != nil {
				return Block{}, err
			}
			continue
		}
		if first.by == nil || b.Until.Before(first.Until) {
			first = b
		}
	}
	return first, nil
}

// Blocked reports whether the agent should not be called now.
func (b Block) Blocked() bool { return b.by != nil }

// takeOver makes m the agent that works, and records it where it was another. An
// agent that is not installed does not take over.
func (t *Team) takeOver(m *member) (present bool, err error) {
	if m == t.at {
		return true, nil
	}
	if err := m.Harness.Present(t.Env); err != nil {
		return false, t.leaveOut(m, err.Error())
	}
	e := journal.HarnessSwitched{From: t.at.Harness.Name, To: m.Harness.Name, Reason: "usage limit"}
	if t.isBefore(m, t.at) {
		e.Reason = "its limit is over"
	} else if t.at.out {
		e.Reason = t.at.Harness.Name + " cannot be called"
	} else if until, _, err := t.at.ledger.LimitedUntil(time.Now()); err == nil {
		e.Until = journal.TimePtr(until)
	}
	t.at = m
	return true, t.Recorder.Record(e)
}

// isBefore reports whether a is preferred to b.
func (t *Team) isBefore(a, b *member) bool {
	for _, m := range t.members {
		if m == a || m == b {
			return m == a && a != b
		}
	}
	return false
}

// leaveOut takes an agent out of the run and says why.
func (t *Team) leaveOut(m *member, why string) error {
	m.out = true
	return t.Recorder.Warn("%s cannot take over in this run: %s", m.Harness.Name, why)
}

// DropUnfit removes the current agent from the run if it cannot start or is not logged in. It
// never removes the first agent: a failure of that one ends the run.
func (t *Team) DropUnfit(o agent.Outcome, err error) (dropped bool, _ error) {
	var missing *agent.MissingError
	switch {
	case t.at == t.members[0]:
		return false, err
	case errors.As(err, &missing):
		return true, t.leaveOut(t.at, err.Error())
	case err != nil || o.Kind != journal.OutcomeAuth:
		return false, err
	}
	why := o.Message
	if o.Hint != "" {
		why += "; " + o.Hint
	}
	return true, t.leaveOut(t.at, why)
}
