package run

import (
	"time"

	"ralph/internal/journal"
)

// Limits records the usage limits that a unit's agents met last. It survives a run that died.
// After an orderly end it is cleared: the user who starts the next run decides again.
type Limits struct {
	WaitedAtLimits time.Duration           // time waited at usage limits since the last call that went through
	Refused        map[string]LimitRefusal // by harness

	from, until time.Time // of the present wait
}

// LimitRefusal records the last refusals of an agent by its provider's limit.
type LimitRefusal struct {
	At    time.Time
	Model string
	Times int // in a row
	Ended journal.AttemptEnded
}

func (l *Limits) waitStarted(at time.Time, b journal.WaitStarted) {
	l.from = time.Time{}
	if b.Reason == journal.ReasonUsageLimit && b.Until != nil {
		l.from, l.until = at, *b.Until
	}
}

func (l *Limits) waitEnded(b journal.WaitEnded) {
	l.from = time.Time{}
	if b.Reason == journal.ReasonUsageLimit {
		l.WaitedAtLimits += time.Duration(b.Seconds * float64(time.Second))
	}
}

func (l *Limits) attemptEnded(at time.Time, call journal.AttemptStarted, b journal.AttemptEnded) {
	switch b.Outcome {
	case journal.OutcomeUsageLimit:
		if l.Refused == nil {
			l.Refused = map[string]LimitRefusal{}
		}
		times := l.Refused[call.Harness].Times + 1
		l.Refused[call.Harness] = LimitRefusal{At: at, Model: call.Model, Times: times, Ended: b}
	case journal.OutcomeTransient:
	case journal.OutcomeAuth:
		delete(l.Refused, call.Harness)
	default:
		delete(l.Refused, call.Harness)
		l.WaitedAtLimits = 0
	}
}

func (l *Limits) runEnded(at time.Time, b journal.RunEnded) {
	switch {
	case b.Reason != journal.ReasonCrashed:
		clear(l.Refused)
		l.WaitedAtLimits = 0
	case !l.from.IsZero(): // the death may have been found much later
		end := at
		if l.until.Before(end) {
			end = l.until
		}
		l.WaitedAtLimits += max(end.Sub(l.from), 0)
	}
	l.from = time.Time{}
}
