package loop

import (
	"context"
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
	// firstGuess and longestGuess bound the waits at a usage limit whose end
	// nobody told.
	firstGuess   = 5 * time.Minute
	longestGuess = time.Hour
)

// turn calls the agent until a call counts as an iteration: what only met a
// limit or an overload does not. The end is set where the run is to end instead.
func (l *Loop) turn(ctx context.Context, it *iteration, prompt []byte) (*End, error) {
	if err := l.Harness.Present(l.Env); err != nil {
		return nil, err // before a call is counted
	}
	transients := 0
	for attempt := 1; ; attempt++ {
		if attempt > 1 {
			// The next try must not read a plan that the last one has changed.
			if err := l.protect(it); err != nil {
				return nil, err
			}
		}
		end, err := l.awaitCall(ctx)
		if end != nil || err != nil {
			return end, err
		}
		if it.outcome, err = l.attempt(ctx, it.n, attempt, prompt); err != nil {
			return nil, err
		}
		switch it.outcome.Kind {
		case agent.UsageLimit:
			if end, err := l.tellLimit(ctx, it.outcome); end != nil || err != nil {
				return end, err
			}
		case agent.Transient:
			if transients++; transients >= maxTransient {
				it.gaveUp = true
				return nil, nil
			}
			until := time.Now().Add(l.backoff(transients))
			if err := l.wait(ctx, "transient", until, "the provider cannot be reached or is overloaded: "+it.outcome.Message); err != nil {
				return nil, err
			}
		default:
			l.limits = 0
			return nil, nil
		}
	}
}

// backoff doubles from one overload to the next.
func (l *Loop) backoff(times int) time.Duration {
	d := l.Transient
	for range times - 1 {
		d = min(2*d, longestBackoff)
	}
	return min(d, longestBackoff)
}

// awaitCall waits until the ledger allows a call, and takes it. The end is set
// where the account is limited and the user does not want to wait.
func (l *Loop) awaitCall(ctx context.Context) (*End, error) {
	for {
		until, note, err := l.Ledger.LimitedUntil(time.Now())
		if err != nil {
			return nil, err
		}
		// Another loop, or the run before, has found out. A limit that was waited out
		// is tried, even where the clock was set back meanwhile.
		if until.After(l.waited) {
			if end, err := l.atLimit(ctx, until, until, note); end != nil || err != nil {
				return end, err
			}
		}
		grant, err := l.Ledger.Take(ctx, time.Now())
		if err != nil {
			return nil, err
		}
		l.grant = grant
		if grant.Mended != nil {
			if err := l.warn("%v", grant.Mended); err != nil {
				return nil, err
			}
		}
		if grant.OK {
			return nil, nil
		}
		why := fmt.Sprintf("%d of %d calls of this hour are used", grant.Used, grant.Limit)
		if err := l.wait(ctx, "rate_limit", grant.ResetsAt, why); err != nil {
			return nil, err
		}
	}
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
		N: n, Attempt: attempt, Harness: l.Harness.Name, Model: l.Agent.Model, LogFile: log, LogOffset: offset, Output: l.Harness.Output.String(),
		CallsUsed: l.grant.Used, CallsLimit: l.grant.Limit, CallsResetAt: timePtr(l.grant.ResetsAt),
	}); err != nil {
		return agent.Outcome{}, err
	}
	var recordErr error
	o, err := agent.Run(ctx, g, agent.Call{
		Harness: l.Harness, Options: l.Agent, Prompt: prompt, Dir: l.Repo.Root, Env: l.Env,
		Extra:  []string{"RALPH_UNIT=" + l.Unit, fmt.Sprintf("RALPH_ITERATION=%d", n), fmt.Sprintf("RALPH_ATTEMPT=%d", attempt)},
		Limits: l.Limits, Log: filepath.Join(l.Repo.Root, log), Event: l.hear, Drained: l.Drained,
		Started: func(id proc.ID) {
			recordErr = l.record(journal.AgentStarted{N: n, Attempt: attempt, PID: id.PID, PIDStart: id.Start})
		},
	})
	if err == nil {
		err = recordErr
	}
	told := o
	if err != nil && o.Kind == "" {
		told.Kind, told.Message = agent.Error, err.Error()
	}
	// Every call that was begun is ended on record, whatever it came to.
	return o, firstErr(err, l.recordAttempt(n, attempt, told))
}

func (l *Loop) recordAttempt(n, attempt int, o agent.Outcome) error {
	s := o.Summary
	e := journal.AttemptEnded{
		N: n, Attempt: attempt, Outcome: string(o.Kind), Message: o.Message, Hint: o.Hint, ExitCode: o.Exit.Code,
		DurationSeconds: o.Duration.Seconds(), Tokens: s.Tokens, TokensEstimated: s.Estimated,
		Session: s.Session, Model: s.Model, ResetsAt: timePtr(o.ResetsAt), Promised: l.promised(o),
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
	if err := l.recordSurely(e); err != nil {
		return err
	}
	if len(e.Denied) > 0 {
		return l.warn("the agent was not permitted to use %s (%s); %s", list(e.Denied), count(len(e.Denied), "call"), l.Harness.Permission)
	}
	return nil
}

// promised reports whether the outcome holds the agent's promise.
func (l *Loop) promised(o agent.Outcome) bool {
	return o.HasFinal && plan.Promised(o.Final, l.Promise)
}

// tellLimit tells the other loops of the account's limit, and decides. A limit of
// which nobody said when it ends, or that should be over already, is tried again
// after a pause that doubles, and is not told: it would be a guess.
func (l *Loop) tellLimit(ctx context.Context, o agent.Outcome) (*End, error) {
	l.limits++
	if !o.ResetsAt.After(time.Now()) {
		pause := firstGuess
		for range min(l.limits-1, 10) {
			pause = min(2*pause, longestGuess)
		}
		return l.atLimit(ctx, time.Now().Add(pause), time.Time{}, o.Message)
	}
	if err := l.Ledger.SetLimited(ctx, o.ResetsAt, o.Message); err != nil {
		if err := l.warn("other loops cannot be told of the limit: %v", err); err != nil {
			return nil, err
		}
	}
	return l.atLimit(ctx, o.ResetsAt, o.ResetsAt, o.Message)
}

// limitCleared tells a wait for the end of a limit whether a person has taken that
// back meanwhile. One that is not in the ledger nobody can take back.
func (l *Loop) limitCleared() func() bool {
	known, _, err := l.Ledger.LimitedUntil(time.Now())
	if err != nil || known.IsZero() {
		return func() bool { return false }
	}
	return func() bool {
		until, _, err := l.Ledger.LimitedUntil(time.Now())
		return err == nil && until.IsZero()
	}
}

// atLimit decides what becomes of a run while the provider refuses calls: until
// is when it would go on, reset when the limit ends, zero where unknown.
func (l *Loop) atLimit(ctx context.Context, until, reset time.Time, message string) (*End, error) {
	end := &End{Reason: UsageLimit, Message: "the provider's usage limit is reached: " + message, ResumesAt: reset}
	if time.Until(until) > l.MaxWait {
		end.Hint = fmt.Sprintf("the reset is further away than usage_limit.max_wait_hours allows (%s); start ralph again after it", l.MaxWait)
		return end, nil
	}
	question := "The provider's usage limit is reached. Wait until " + clock(until) + "?"
	if l.OnLimit == "wait" || l.OnLimit == "ask" && l.Ask != nil && l.Ask(ctx, question, l.AskTimeout) {
		l.waited = until
		return nil, l.waitUnless(ctx, "usage_limit", until, message, l.limitCleared())
	}
	end.Hint = "go on after it with 'ralph run', or let ralph wait with --on-limit wait"
	return end, cause(ctx)
}
