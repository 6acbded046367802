package run

import "ralph/internal/journal"

// MaxDuds is the default number of duds in a row that opens the breaker. An agent that ends
// at once three times in a row is broken, whatever it prints.
const MaxDuds = 3

// Streak counts iterations in a row that got nowhere. Its zero value is a fresh start.
type Streak struct {
	NoProgress int    // without progress
	SameError  int    // that ended with Error
	Error      string // the last error, raw or normalized; empty without an error
	Duds       int    // in which the agent ended at once, without having done anything
}

// Result holds what the circuit breaker needs to know about an iteration.
type Result struct {
	Progress bool
	// TooEarly: the promise would have ended the run, but for --min-iterations. Such
	// an iteration is neither progress nor a step towards the breaker.
	TooEarly bool
	Error    string
	Dud      bool
}

// After returns the streak with one more iteration. An iteration without an error ends
// the row of errors.
func (s Streak) After(r Result) Streak {
	switch {
	case r.Progress:
		s.NoProgress = 0
	case !r.TooEarly:
		s.NoProgress++
	}
	text := Normalize(r.Error)
	switch {
	case text == "":
		s.SameError = 0
	case text == Normalize(s.Error):
		s.SameError++
	default:
		s.SameError = 1
	}
	s.Error = text
	if s.Duds++; !r.Dud {
		s.Duds = 0
	}
	return s
}

// Verdict says why the circuit breaker opens. The zero value means that it stays closed.
type Verdict struct {
	Reason journal.Reason // no_progress or same_error
	Count  int            // iterations in a row
	Duds   bool           // in which the agent ended at once
}

// Stuck returns why the breaker opens, or a zero Verdict if it stays closed. If several rules
// apply, the same error wins because it says more. A threshold of 0 turns a rule off.
func (s Streak) Stuck(r journal.Rules) Verdict {
	switch {
	case r.SameError > 0 && s.SameError >= r.SameError:
		return Verdict{Reason: journal.ReasonSameError, Count: s.SameError}
	case r.NoProgress > 0 && s.NoProgress >= r.NoProgress:
		return Verdict{Reason: journal.ReasonNoProgress, Count: s.NoProgress}
	case r.Duds > 0 && s.Duds >= r.Duds:
		return Verdict{Reason: journal.ReasonSameError, Count: s.Duds, Duds: true}
	}
	return Verdict{}
}
