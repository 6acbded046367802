package loop

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ralph/internal/journal"
	"ralph/internal/stopwatch"
)

// sameReset is how far two words about one reset may lie apart: "in 2h39m" is told
// by the minute. A person who agreed to wait is not asked again for less.
const sameReset = time.Minute

// standStill waits at a limit, and ends early where the wait has lost its reason: an
// agent is free, another loop's try has been answered, or the reset has moved.
func (l *Loop) standStill(ctx context.Context, b blocked, until time.Time, why string) error {
	watch := stopwatch.Start()
	early, err := l.waitOr(ctx, limitWait, until, why, func(now time.Time) bool { return l.overtaken(b, now) })
	l.stood += watch.Passed().Real
	if !early && !b.probed {
		b.by.waited = b.until
	}
	return err
}

// overtaken tells whether something else than b is in the way by now, or nothing.
func (l *Loop) overtaken(b blocked, now time.Time) bool {
	if !b.probed && !now.Before(b.until) {
		return false // the rest is jitter
	}
	first, err := l.firstFree(now)
	if err != nil {
		return false // the end of the wait meets it again
	}
	moved := first.until.Sub(b.until).Abs()
	return first.by == nil || first.probed != b.probed || moved > sameReset || b.probed && moved > 0
}

// firstFree is what pickAgent would tell, without asking to be let in: its zero value
// where an agent can be called.
func (l *Loop) firstFree(now time.Time) (first blocked, err error) {
	for _, m := range l.team {
		if m.out {
			continue
		}
		b, err := m.look(now)
		if b.by == nil || err != nil {
			return blocked{}, err
		}
		if first.by == nil || b.until.Before(first.until) {
			first = b
		}
	}
	return first, nil
}

// tooLong says why a limit is not waited for, empty where it is. The waits add up
// until an agent is let in, whichever it is: else a limit whose end nobody tells, or
// two agents that are refused in turn, would be waited for without end.
func (l *Loop) tooLong(b blocked) string {
	hours := fmt.Sprintf("%g h", l.MaxWait.Hours())
	switch left := time.Until(b.until); {
	case b.reset.IsZero() && left > l.MaxWait:
		return fmt.Sprintf("nobody told when it ends, and usage_limit.max_wait_hours (%s) is too short for another try; start ralph again later", hours)
	case left > l.MaxWait:
		return fmt.Sprintf("the reset is further away than usage_limit.max_wait_hours allows (%s); start ralph again after it", hours)
	case l.stood+left > l.MaxWait:
		waited := strings.TrimSuffix(l.stood.Round(time.Minute).String(), "0s")
		return fmt.Sprintf("no call has gone through for %s of waiting, and usage_limit.max_wait_hours allows %s; start ralph again when the account can be used", waited, hours)
	}
	return ""
}

// standstill is, by the journal, how long a unit has waited at usage limits since an
// agent was last let in. A run that ends in order ends it: whoever starts the next
// one has decided anew. One that died does not.
type standstill struct {
	total       time.Duration
	from, until time.Time // of the wait that is going on
}

func (s *standstill) follow(e journal.Event) {
	switch b := e.Body.(type) {
	case journal.WaitStarted:
		if s.from = (time.Time{}); b.Reason == limitWait && b.Until != nil {
			s.from, s.until = e.Time, *b.Until
		}
	case journal.WaitEnded:
		if s.from = (time.Time{}); b.Reason == limitWait {
			s.total += time.Duration(b.Seconds * float64(time.Second))
		}
	case journal.AttemptEnded:
		switch b.Outcome {
		case journal.OutcomeUsageLimit, journal.OutcomeTransient, journal.OutcomeAuth:
		default:
			s.total = 0
		}
	case journal.RunEnded:
		switch {
		case b.Reason != journal.ReasonCrashed:
			s.total = 0
		case !s.from.IsZero(): // the death may have been found much later
			end := e.Time
			if s.until.Before(end) {
				end = s.until
			}
			s.total += max(end.Sub(s.from), 0)
		}
		s.from = time.Time{}
	}
}
