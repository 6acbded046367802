package run

import "ralph/internal/journal"

// MaxInstantExits is the default number of instant exits in a row that opens the breaker. An agent
// that ends at once three times in a row is broken, whatever it prints.
const MaxInstantExits = 3

// Streak counts iterations in a row that got nowhere. Its zero value is a fresh start.
type Streak struct {
	NoProgress   int    // without progress
	SameError    int    // that ended with Error
	Error        string // the last error, raw or normalized; empty without an error
	InstantExits int    // in which the agent ended at once, without having done anything
}

// BreakerFacts holds what the circuit breaker needs to know about an iteration.
type BreakerFacts struct {
	Progress bool
	// TooEarly: the promise would have ended the run, but for --min-iterations. Such
	// an iteration is neither progress nor a step towards the breaker.
	TooEarly    bool
	Error       string
	InstantExit bool
}

// After returns the streak with one more iteration. An iteration without an error ends
// the row of errors.
func (s Streak) After(r BreakerFacts) Streak {
	switch {
	case r.Progress:
		s.NoProgress = 0
	case !r.TooEarly:
		s.NoProgress++
	}
	text := normalize(r.Error)
	switch {
	case text == "":
		s.SameError = 0
	case text == normalize(s.Error):
		s.SameError++
	default:
		s.SameError = 1
	}
	s.Error = text
	if s.InstantExits++; !r.InstantExit {
		s.InstantExits = 0
	}
	return s
}

// Opening says why the circuit breaker opens. The zero value means that it stays closed.
type Opening struct {
	Reason       journal.Reason // no_progress or same_error
	Count        int            // iterations in a row
	InstantExits bool           // in which the agent ended at once
}

// opening returns why the breaker opens, or a zero Opening if it stays closed. If several rules
// apply, the same error wins because it says more. A threshold of 0 turns a rule off.
func (s Streak) opening(r journal.RunRules) Opening {
	switch {
	case r.SameError > 0 && s.SameError >= r.SameError:
		return Opening{Reason: journal.ReasonSameError, Count: s.SameError}
	case r.NoProgress > 0 && s.NoProgress >= r.NoProgress:
		return Opening{Reason: journal.ReasonNoProgress, Count: s.NoProgress}
	case r.InstantExits > 0 && s.InstantExits >= r.InstantExits:
		return Opening{Reason: journal.ReasonSameError, Count: s.InstantExits, InstantExits: true}
	}
	return Opening{}
}
