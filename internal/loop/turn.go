package loop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ralph/internal/agent"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/proc"
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
	if err := l.team[0].Harness.Present(l.Env); err != nil {
		return nil, err // before a call is counted
	}
	for attempt := 1; ; attempt++ {
		end, err := l.awaitCall(ctx)
		if end != nil || err != nil {
			return end, err
		}
		prompt, err := l.prompt() // anew: it may be for another agent, and people may have had a word
		if err != nil {
			return nil, err
		}
		o, err := l.attempt(ctx, it.n, attempt, prompt)
		unfit, err := l.unfitAfter(o, err)
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

// tryAgain tells whether a call did not count, and waits where that is due.
func (l *Loop) tryAgain(ctx context.Context, it *iteration) (bool, error) {
	switch it.outcome.Kind {
	case journal.OutcomeUsageLimit:
		if err := l.tellLimit(ctx, it.outcome); err != nil {
			return false, err
		}
	case journal.OutcomeTransient:
		if it.overloads++; it.overloads >= maxTransient {
			it.gaveUp = true
			return false, nil
		}
		until := time.Now().Add(l.backoff(it.overloads))
		if err := l.wait(ctx, journal.WaitTransient, until, "the provider cannot be reached or is overloaded: "+it.outcome.Message); err != nil {
			return false, err
		}
	default:
		l.at.refusals, l.stood = 0, 0
		return false, nil
	}
	// The next try must not read a plan that the last one has changed.
	return true, firstErr(l.protect(it), l.reread(ctx))
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

// backoff doubles from one overload to the next.
func (l *Loop) backoff(times int) time.Duration {
	d := l.Transient
	for range times - 1 {
		d = min(2*d, longestBackoff)
	}
	return min(d, longestBackoff)
}

// awaitCall waits until an agent can be called, and takes the call from its
// ledger. The end is set where the accounts are limited and the user does not want
// to wait.
func (l *Loop) awaitCall(ctx context.Context) (*End, error) {
	for {
		// Another loop, or the run before, may have found out about a limit.
		b, err := l.pickAgent(ctx)
		if err != nil {
			return nil, err
		}
		if b.by != nil {
			if end, err := l.atLimit(ctx, b); end != nil || err != nil {
				return end, err
			}
			if err := l.reread(ctx); err != nil {
				return nil, err
			}
			continue
		}
		granted, err := l.takeCall(ctx)
		if granted || err != nil {
			return nil, err
		}
	}
}

// takeCall counts a call, or waits for the next hour where none is left.
func (l *Loop) takeCall(ctx context.Context) (granted bool, err error) {
	l.taken = time.Now()
	if l.grant, err = l.at.ledger.Take(ctx, l.taken); err != nil {
		return false, err
	}
	if l.grant.Damaged != nil {
		if err := l.warn("%v", l.grant.Damaged); err != nil {
			return false, err
		}
	}
	if l.grant.OK {
		return true, nil
	}
	why := fmt.Sprintf("%d of %d calls of this hour are used", l.grant.Used, l.grant.Limit)
	return false, l.wait(ctx, journal.WaitRateLimit, l.grant.ResetsAt, why)
}

// attempt is one call of the agent, recorded before and after.
func (l *Loop) attempt(ctx context.Context, n, attempt int, prompt []byte) (agent.Outcome, error) {
	g, err := l.guard()
	if err != nil {
		return agent.Outcome{}, err
	}
	log := filepath.Join(l.LogDir, fmt.Sprintf("iteration-%d.log", n))
	// An agent that tidied up may have taken the folder with it.
	if err := os.MkdirAll(filepath.Join(l.Repo.Root, l.LogDir), 0o755); err != nil {
		return agent.Outcome{}, fmt.Errorf("the agent's log cannot be written: %w", err)
	}
	offset := int64(0) // an earlier attempt may have begun the log
	if info, err := os.Stat(filepath.Join(l.Repo.Root, log)); err == nil {
		offset = info.Size()
	}
	if err := l.record(journal.AttemptStarted{
		N: n, Attempt: attempt, Harness: l.at.Harness.Name, Model: l.at.Options.Model, LogFile: log, LogOffset: offset, Output: l.at.Harness.Output.String(),
		CallsUsed: l.grant.Used, CallsLimit: l.grant.Limit, CallsResetAt: timePtr(l.grant.ResetsAt),
	}); err != nil {
		return agent.Outcome{}, err
	}
	var recordErr error
	o, err := agent.Run(ctx, g, agent.Call{
		Harness: l.at.Harness, Options: l.at.Options, Prompt: prompt, Dir: l.Repo.Root, Env: l.Env,
		Extra:  []string{"RALPH_UNIT=" + l.Unit, fmt.Sprintf("RALPH_ITERATION=%d", n), fmt.Sprintf("RALPH_ATTEMPT=%d", attempt)},
		Limits: l.Limits, Log: filepath.Join(l.Repo.Root, log), Event: l.listening(ctx), Drained: l.Drained,
		Started: func(id proc.ID) {
			recordErr = l.record(journal.AgentStarted{N: n, Attempt: attempt, PID: id.PID, PIDStart: id.Start})
		},
	})
	if err == nil {
		err = recordErr
	}
	if err == nil && o.LogLost != nil {
		err = l.warn("%v", o.LogLost)
	}
	told := o
	if err != nil && o.Kind == "" {
		told.Kind, told.Message = journal.OutcomeError, err.Error()
	}
	var missing *agent.MissingError
	if errors.As(err, &missing) { // no call was made: the ledger was asked for nothing
		err = firstErr(l.at.ledger.GiveBack(context.WithoutCancel(ctx), l.taken), err)
	}
	// Every call that was begun is ended on record, whatever it came to.
	return o, firstErr(l.settleProbe(ctx, o), err, l.recordAttempt(n, attempt, told))
}

func (l *Loop) recordAttempt(n, attempt int, o agent.Outcome) error {
	s := o.Summary
	e := journal.AttemptEnded{
		N: n, Attempt: attempt, Outcome: o.Kind, Message: o.Message, Hint: o.Hint, ExitCode: o.Exit.Code,
		DurationSeconds: o.Duration.Seconds(), Tokens: s.Tokens, TokensEstimated: s.Estimated,
		Session: s.Session, Model: s.Model, ResetsAt: timePtr(o.ResetsAt), ModelLimit: o.Kind == journal.OutcomeUsageLimit && o.OfModel, Promised: l.promised(o),
		Strays: o.Strays, BrokenLines: s.Broken, Limits: windows(s.Limits),
	}
	if o.Exit.Signal != 0 {
		e.Signal = o.Exit.Signal.String()
	}
	if s.HasCost {
		cost := s.CostUSD
		e.CostUSD = &cost
		sum := cost
		if l.cost != nil {
			sum += *l.cost
		}
		l.cost = &sum
	}
	l.tokens = l.tokens.Add(s.Tokens)
	for _, d := range s.Denied {
		e.Denied = append(e.Denied, d.Tool)
	}
	if err := l.Recorder.Surely(e); err != nil {
		return err
	}
	if len(e.Denied) > 0 {
		return l.warn("the agent was not permitted to use %s (%s); %s", list(e.Denied), count(len(e.Denied), "call"), l.at.Harness.Permission)
	}
	return nil
}

// promised reports whether the outcome holds the agent's promise.
func (l *Loop) promised(o agent.Outcome) bool {
	return o.HasFinal && plan.Promised(o.Final, l.Promise)
}
