package calls

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ralph/internal/agent"
	"ralph/internal/journal"
	"ralph/internal/review"
	"ralph/internal/run"
	"ralph/internal/words"
)

// Reviewer calls a second agent, which judges claims. Its calls and their cost count for the
// run.
type Reviewer struct {
	own *Team // of the reviewer alone
}

// Reviewer returns a reviewer with the agent c. limit bounds the time of each call.
func (t *Team) Reviewer(c Caller, limit time.Duration) *Reviewer {
	own := &Team{
		Recorder: t.Recorder, Keeper: t.Keeper, Env: t.Env, Unit: t.Unit, Root: t.Root,
		LogDir: t.LogDir, Limits: agent.Limits{Timeout: limit},
	}
	own.Assemble([]Caller{c}, t.members[0].ledger)
	return &Reviewer{own}
}

// Name returns the name of the reviewing agent, with its model.
func (r *Reviewer) Name() string {
	c := r.own.Current()
	if c.Options.Model == "" {
		return c.Harness.Name
	}
	return c.Harness.Name + " (" + c.Options.Model + ")"
}

// Past returns the earlier reviews of the stories since their last acceptance. Made is the
// highest number for one story. Refused is true if the last verdict about any story was a
// refusal.
func (r *Reviewer) Past(stories []string) (past run.Reviews) {
	r.own.Recorder.Read(func(s *run.State) {
		if len(stories) == 0 {
			past = s.Claims.Reviews[""]
		}
		for _, id := range stories {
			one := s.Claims.Reviews[id]
			past.Made, past.Refused = max(past.Made, one.Made), past.Refused || one.Refused
		}
	})
	return past
}

// Review asks the reviewer once about a claim and records the answer. The verdict is
// journal.ReviewNone if the reviewer cannot be called, fails, or answers in another form.
func (r *Reviewer) Review(ctx context.Context, n int, stories []string, prompt []byte) (
	end journal.ReviewEnded, err error,
) {
	t := r.own
	end.N, end.Stories, end.Harness = n, stories, t.at.Harness.Name
	end.Verdict = journal.ReviewNone
	if end.Message, err = r.hindrance(ctx); end.Message != "" || err != nil {
		return end, errors.Join(err, t.Recorder.Record(end))
	}
	g, err := t.Keeper.Get()
	if err != nil {
		return end, err
	}
	a, err := t.started(n, 1+r.Past(stories).Made, fmt.Sprintf("iteration-%d-review.log", n))
	if err != nil {
		return end, err
	}
	start := journal.ReviewStarted{
		N: n, Stories: stories, Harness: a.Harness, Model: a.Model,
		LogFile: a.LogFile, LogOffset: a.LogOffset, Output: a.Output,
		CallsUsed: a.CallsUsed, CallsLimit: a.CallsLimit, CallsResetAt: a.CallsResetAt,
	}
	if err := t.Recorder.Record(start); err != nil {
		return end, err
	}
	t.Story = strings.Join(stories, " ")
	call := t.call(a, prompt)
	call.Extra = append(call.Extra, "RALPH_REVIEW=true")
	o, err := t.make(ctx, g, call)
	var missing *agent.MissingError
	if errors.As(err, &missing) {
		o.Kind, o.Message, err = journal.OutcomeError, err.Error(), nil
	}
	if o.Kind == journal.OutcomeUsageLimit && err == nil {
		err = t.Refused(ctx, o)
	}
	read(&end, o)
	return end, errors.Join(err, t.Recorder.RecordOrRetry(end))
}

// hindrance counts a call of the reviewer. It returns why none can be made now, empty where
// it can: a claim does not wait for its reviewer.
func (r *Reviewer) hindrance(ctx context.Context) (string, error) {
	t := r.own
	if err := t.Present(); err != nil {
		return err.Error(), nil
	}
	b, err := t.Pick(ctx)
	switch {
	case err != nil:
		return "", err
	case b.Blocked():
		until := words.Clock(b.Until, time.Now())
		return fmt.Sprintf("%s is at its usage limit until %s", t.at.Harness.Name, until), nil
	}
	grant, err := t.Take(ctx)
	if err != nil || grant.OK {
		return "", err
	}
	return fmt.Sprintf("%d of %d calls of this hour are used", grant.Used, grant.Limit), nil
}

// read reads what came of the call.
func read(end *journal.ReviewEnded, o agent.Outcome) {
	s := o.Summary
	end.Model, end.Outcome, end.DurationSeconds = s.Model, o.Kind, o.Duration.Seconds()
	end.Session, end.Limits = s.Session, windows(s.Limits)
	end.Tokens, end.TokensEstimated, end.CostUSD = s.Tokens, s.Estimated, cost(s)
	switch answer, err := review.Parse(o.Final); {
	case o.Kind != journal.OutcomeOK:
		end.Message = o.Message
	case !o.HasFinal:
		end.Message = "it ended without a final message"
	case err != nil:
		end.Message = err.Error()
	default:
		end.Verdict, end.Reasons = answer.Verdict, answer.Reasons
	}
}
