package loop

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"ralph/internal/agent"
	"ralph/internal/journal"
	"ralph/internal/stream"
)

// limitWait is the reason of waits for the end of a provider's limit, in the
// journal's words.
const limitWait = journal.ReasonUsageLimit

const (
	// firstGuess and longestGuess bound the waits at a usage limit whose end
	// nobody told.
	firstGuess   = 5 * time.Minute
	longestGuess = time.Hour
	// longestJitter bounds how long behind a reset a loop goes on: not all at
	// once, and not a second before the provider's own clock has turned.
	longestJitter = 15 * time.Second
)

// jitter is a random moment to wait behind a reset, a small part of the wait.
func jitter(wait time.Duration) time.Duration {
	return rand.N(max(1, min(wait/20, longestJitter)))
}

// tellLimit tells the other loops of the account's limit. A limit of which nobody
// said when it ends, or that should be over already, is tried again after a pause
// that doubles, and is not told: it would be a guess. Nor is one of a model: loops
// with another one can go on.
func (l *Loop) tellLimit(ctx context.Context, o agent.Outcome) error {
	m := l.at
	m.refusals++
	m.waited = time.Time{} // for this limit nobody has waited yet
	m.own = blocked{by: m, until: o.ResetsAt, reset: o.ResetsAt, note: o.Message, hint: o.Hint}
	if !o.ResetsAt.After(time.Now()) {
		m.own.until, m.own.reset = time.Now().Add(guess(m.refusals)), time.Time{}
		return l.probed(ctx, false)
	}
	if o.OfModel {
		return l.probed(ctx, true)
	}
	m.own = blocked{} // the ledger knows
	if err := m.ledger.SetLimited(ctx, o.ResetsAt, o.Message); err != nil {
		m.own = blocked{by: m, until: o.ResetsAt, reset: o.ResetsAt, note: o.Message}
		return l.warn("other loops cannot be told of the limit: %v", err)
	}
	return nil
}

// guess is how long to wait behind so many refusals in a row whose end nobody told.
func guess(refusals int) time.Duration {
	pause := firstGuess
	for range min(refusals-1, 10) {
		pause = min(2*pause, longestGuess)
	}
	return pause
}

// probed tells the other loops, where they wait for that, whether the call went
// through that was to try whether a limit is over.
func (l *Loop) probed(ctx context.Context, over bool) error {
	if !l.at.probing {
		return nil
	}
	l.at.probing = false
	if err := l.at.ledger.Probed(context.WithoutCancel(ctx), over); err != nil {
		return l.warn("other loops cannot be told whether the limit is over: %v", err)
	}
	return nil
}

// settleProbe reports what a call that tried a limit came to, where nothing of its
// output has told before.
func (l *Loop) settleProbe(ctx context.Context, o agent.Outcome) error {
	switch o.Kind {
	case journal.OutcomeUsageLimit: // tellLimit does
		return nil
	case journal.OutcomeOK, journal.OutcomeError:
		return l.probed(ctx, true)
	}
	return l.probed(ctx, false)
}

// listening hands an agent's events on, and tells the loops that wait for the end of
// a limit as soon as the model has said anything: the call may take an hour.
func (l *Loop) listening(ctx context.Context) func(stream.Event) {
	ledger, waited := l.at.ledger, l.at.probing
	return func(e stream.Event) {
		if waited && (e.Kind == stream.KindText || e.Kind == stream.KindTool) {
			waited = false
			_ = ledger.Probed(context.WithoutCancel(ctx), true) // the end of the call tells again
		}
		l.hear(e)
	}
}

// atLimit decides what becomes of a run while all of its agents are refused.
func (l *Loop) atLimit(ctx context.Context, b blocked) (*End, error) {
	if b.probed {
		return nil, l.standStill(ctx, b, b.until, "another loop tries whether the limit of "+b.by.Harness.Name+" is over")
	}
	note := b.note
	if able := l.able(); len(able) > 1 {
		note = fmt.Sprintf("%s are at their limits, %s is free first: %s", list(able), b.by.Harness.Name, b.note)
	}
	end := &End{Reason: journal.ReasonUsageLimit, Message: "the provider's usage limit is reached: " + note, ResumesAt: b.reset}
	if end.Hint = l.tooLong(b); end.Hint != "" {
		return end, nil
	}
	question := "The provider's usage limit is reached. Wait until " + clock(b.until) + "?"
	if l.OnLimit == "wait" || l.OnLimit == "ask" && l.Ask != nil && l.Ask(ctx, question, l.AskTimeout) {
		return nil, l.standStill(ctx, b, b.until.Add(jitter(time.Until(b.until))), note)
	}
	end.Hint = "go on after it with 'ralph run', or let ralph wait with --on-limit wait"
	if b.hint != "" {
		end.Hint = b.hint + "; or " + end.Hint
	}
	return end, cause(ctx)
}

// able are the names of the agents that can be called in this run.
func (l *Loop) able() []string {
	var names []string
	for _, m := range l.team {
		if !m.out {
			names = append(names, m.Harness.Name)
		}
	}
	return names
}
