// Package breaker is the rule for "stuck": a run that makes no progress, or
// fails the same way, several iterations in a row is not worth going on with.
// It is pure: no clock, no files, no goroutines.
package breaker

// Reasons for which the breaker opens.
const (
	NoProgress = "no_progress"
	SameError  = "same_error"
)

// MaxDuds is after how many duds in a row the breaker opens where nobody asked for
// more: an agent that ends at once, three times over, is broken, whatever it says
// each time.
const MaxDuds = 3

// Thresholds say after how many iterations in a row the breaker opens. With 0
// that rule is off.
type Thresholds struct {
	NoProgress int
	SameError  int
	Duds       int
}

// State is what the rule remembers between iterations. Its zero value is that
// of a run's beginning; set from the counts of the last recorded iteration, it
// goes on where that one ended.
type State struct {
	NoProgress int    // iterations in a row without progress
	SameError  int    // iterations in a row that ended with Error
	Error      string // of the last iteration, raw or normalized; empty where it had none
	Duds       int    // iterations in a row in which the agent ended at once, without having done anything
}

// Verdict is what the rule says after an iteration.
type Verdict struct {
	Open   bool
	Reason string // NoProgress or SameError where Open, else empty
	Count  int    // iterations in a row that opened it
}

// Step takes one more iteration into account: whether it made progress, and the
// error that it ended with, if any. An iteration without an error ends the row
// of errors. Where both rules open at once the verdict is SameError, which tells
// a person more.
func (s *State) Step(limits Thresholds, progress bool, errText string) Verdict {
	s.countProgress(progress)
	s.countError(Normalize(errText))
	switch {
	case limits.SameError > 0 && s.SameError >= limits.SameError:
		return Verdict{Open: true, Reason: SameError, Count: s.SameError}
	case limits.NoProgress > 0 && s.NoProgress >= limits.NoProgress:
		return Verdict{Open: true, Reason: NoProgress, Count: s.NoProgress}
	}
	return Verdict{}
}

// CountDud takes into account whether the iteration of the last Step was a dud. Its
// verdict is SameError.
func (s *State) CountDud(limits Thresholds, dud bool) Verdict {
	if !dud {
		s.Duds = 0
		return Verdict{}
	}
	if s.Duds++; limits.Duds > 0 && s.Duds >= limits.Duds {
		return Verdict{Open: true, Reason: SameError, Count: s.Duds}
	}
	return Verdict{}
}

func (s *State) countProgress(progress bool) {
	if progress {
		s.NoProgress = 0
		return
	}
	s.NoProgress++
}

func (s *State) countError(text string) {
	switch {
	case text == "":
		s.SameError = 0
	case text == Normalize(s.Error):
		s.SameError++
	default:
		s.SameError = 1
	}
	s.Error = text
}
