package loop

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ralph/internal/calls"
	"ralph/internal/journal"
)

const (
	// maxTransient is how many overloads in a row are waited out before they
	// count as an iteration with an error.
	maxTransient = 10
	// longestBackoff bounds the wait after an overload.
	longestBackoff = time.Minute
)

// turn calls the agent until a call counts as an iteration: what only met a
// limit or an overload does not. The end is set where the run is to end instead.
func (l *Loop) turn(ctx context.Context, it *iteration) (*End, error) {
	if err := l.team.Present(); err != nil {
		return nil, err // before a call is counted
	}
	for attempt := 1; ; attempt++ {
		end, err := l.awaitCall(ctx)
		if end != nil || err != nil {
			return end, err
		}
		prompt, err := l.prompt() // each time: another agent may be called, and the user may have added context
		if err != nil {
			return nil, err
		}
		o, err := l.team.Call(ctx, it.n, attempt, prompt, l.hear)
		unfit, err := l.team.DropUnfit(o, err)
		if unfit && err == nil {
			continue // what the iteration came to is what the agent before it left
		}
		it.outcome = o // also where the record failed: the agent has worked
		if err != nil {
			return nil, err
		}
		if again, err := l.tryAgain(ctx, it); !again || err != nil {
			return nil, err
		}
	}
}

// awaitCall waits until an agent can be called, and takes the call from its
// ledger. The end is set where the accounts are limited and the user does not want
// to wait.
func (l *Loop) awaitCall(ctx context.Context) (*End, error) {
	for {
		// Another loop, or the run before, may have found out about a limit.
		b, err := l.team.Pick(ctx)
		if err != nil {
			return nil, err
		}
		if b.Blocked() {
			if end, err := l.atLimit(ctx, b); end != nil || err != nil {
				return end, err
			}
			if err := l.reread(ctx); err != nil {
				return nil, err
			}
			continue
		}
		g, err := l.team.Take(ctx)
		if g.OK || err != nil {
			return nil, err
		}
		why := fmt.Sprintf("%d of %d calls of this hour are used", g.Used, g.Limit)
		if err := l.team.Wait(ctx, journal.WaitRateLimit, g.ResetsAt, why); err != nil {
			return nil, err
		}
	}
}

// atLimit decides what becomes of a run while all of its agents are refused.
func (l *Loop) atLimit(ctx context.Context, b calls.Block) (*End, error) {
	if b.Probed {
		return nil, l.team.StandStill(ctx, b, "another loop tries whether the limit of "+b.Agent+" is over")
	}
	note := b.Note
	if able := l.team.Able(); len(able) > 1 {
		note = fmt.Sprintf("%s are at their limits, %s is free first: %s", list(able), b.Agent, b.Note)
	}
	end := &End{Reason: journal.ReasonUsageLimit, Message: "the provider's usage limit is reached: " + note, ResumesAt: b.Reset}
	if end.Hint = l.tooLong(b); end.Hint != "" {
		return end, nil
	}
	question := "The provider's usage limit is reached. Wait until " + clock(b.Until) + "?"
	if l.OnLimit == "wait" || l.OnLimit == "ask" && l.Ask != nil && l.Ask(ctx, question, l.AskTimeout) {
		return nil, l.team.StandStill(ctx, b, note)
	}
	end.Hint = "go on after it with 'ralph run', or let ralph wait with --on-limit wait"
	if b.Hint != "" {
		end.Hint = b.Hint + "; or " + end.Hint
	}
	return end, context.Cause(ctx)
}

// tooLong says why a limit is not waited for, empty where it is. The waits add up
// until an agent is let in, whichever it is: else a limit without a known reset, or
// two agents that are refused in turn, would be waited for without end.
func (l *Loop) tooLong(b calls.Block) string {
	hours := fmt.Sprintf("%g h", l.MaxWait.Hours())
	switch left := time.Until(b.Until); {
	case b.Reset.IsZero() && left > l.MaxWait:
		return fmt.Sprintf("nobody told when it ends, and usage_limit.max_wait_hours (%s) is too short for another try; start ralph again later", hours)
	case left > l.MaxWait:
		return fmt.Sprintf("the reset is further away than usage_limit.max_wait_hours allows (%s); start ralph again after it", hours)
	case l.team.Stood+left > l.MaxWait:
		waited := strings.TrimSuffix(l.team.Stood.Round(time.Minute).String(), "0s")
		return fmt.Sprintf("no call has gone through for %s of waiting, and usage_limit.max_wait_hours allows %s; start ralph again when the account can be used", waited, hours)
	}
	return ""
}

// tryAgain reports whether a call did not count, and waits where that is due.
func (l *Loop) tryAgain(ctx context.Context, it *iteration) (bool, error) {
	switch it.outcome.Kind {
	case journal.OutcomeUsageLimit:
		if err := l.team.Refused(ctx, it.outcome); err != nil {
			return false, err
		}
	case journal.OutcomeTransient:
		if it.overloads++; it.overloads >= maxTransient {
			it.gaveUp = true
			return false, nil
		}
		until := time.Now().Add(l.backoff(it.overloads))
		if err := l.team.Wait(ctx, journal.WaitTransient, until, "the provider cannot be reached or is overloaded: "+it.outcome.Message); err != nil {
			return false, err
		}
	default:
		l.team.LetIn()
		return false, nil
	}
	// The next try must not read a plan that the last one has changed.
	if err := l.protect(it); err != nil {
		return true, err
	}
	return true, l.reread(ctx)
}

// backoff doubles from one overload to the next.
func (l *Loop) backoff(times int) time.Duration {
	d := l.Transient
	for range times - 1 {
		d = min(2*d, longestBackoff)
	}
	return min(d, longestBackoff)
}

// reread is what comes between two calls of one iteration, as between two
// iterations: people may have asked for something meanwhile.
func (l *Loop) reread(ctx context.Context) error {
	if err := l.between(ctx); err != nil {
		return err
	}
	state, err := l.Plan.Read()
	l.state = state
	return err
}
