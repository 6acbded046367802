package run

import "ralph/internal/journal"

// MaxDuds is after how many duds in a row the breaker opens by default: an agent that
// ends at once three times in a row is broken, whatever it says each time.
const MaxDuds = 3

// Streak counts iterations in a row that got nowhere. Its zero value is a fresh start.
type Streak struct {
	NoProgress int    // without progress
	SameError  int    // that ended with Error
	Error      string // of the last one, raw or normalized; empty where it had none
	Duds       int    // in which the agent ended at once, without having done anything
}

// Result is what the breaker has to know about an iteration.
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

// Verdict is why the breaker opens; the zero value is that it stays closed.
type Verdict struct {
	Reason journal.Reason // no_progress or same_error
	Count  int            // iterations in a row
	Duds   bool           // in which the agent ended at once
}

// Stuck says whether the breaker opens. Where several rules apply it is the same error,
// which says more. Thresholds of 0 are off.
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
