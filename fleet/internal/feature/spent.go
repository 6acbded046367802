package feature

import (
	"fmt"
	"strings"
	"unicode"
)

// Tokens are the journal's counts of tokens.
type Tokens struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
}

// Plus is the sum of both.
func (t Tokens) Plus(o Tokens) Tokens {
	return Tokens{t.Input + o.Input, t.Output + o.Output, t.CacheRead + o.CacheRead, t.CacheWrite + o.CacheWrite}
}

// Limits are the thresholds that ralph reported at the start of the first run: from the flags, or
// from the settings without a flag.
type Limits struct {
	MaxIterations int `json:"maxIterations"`
	Stall         int `json:"stallThreshold"`
	SameError     int `json:"sameError"`
}

// Row is what the circuit breaker remembers from one iteration to the next: how
// many in a row brought no progress, and how many ended with the same error.
type Row struct {
	NoProgress int    `json:"noProgress"`
	SameError  int    `json:"sameError"`
	Error      string `json:"error,omitempty"`
}

// Spent is what a submission has used up on all hosts so far.
type Spent struct {
	Runs       int     `json:"runs"`
	Iterations int     `json:"iterations"`
	Calls      int     `json:"calls"`
	Commits    int     `json:"commits"`
	Tokens     Tokens  `json:"tokens"`
	CostUSD    float64 `json:"costUsd"`
	Limits     Limits  `json:"limits"`
	Row        Row     `json:"row"`
}

// Carried reports whether the next run inherits a row from the one before. It must
// be watched then, because ralph counts from nothing.
func (s Spent) Carried() bool { return s.Row.NoProgress > 0 || s.Row.SameError > 0 }

// Begin starts a run.
func (s *Spent) Begin(l Limits) {
	if s.Runs == 0 {
		s.Limits = l
	}
	s.Runs++
}

// Iteration counts an iteration that ended: whether it made progress, and its
// error, empty where it had none.
func (s *Spent) Iteration(progress bool, failure string) {
	s.Iterations++
	if s.Row.NoProgress++; progress {
		s.Row.NoProgress = 0
	}
	switch {
	case failure == "":
		s.Row.SameError = 0
	case s.Row.SameError > 0 && alike(failure) == alike(s.Row.Error):
		s.Row.SameError++
	default:
		s.Row.SameError = 1
	}
	s.Row.Error = cut(failure, 500)
}

// Verdict returns why the submission may not continue: the reason in the journal's word and a
// sentence. Both are empty if it may.
func (s Spent) Verdict(f Flags) (reason, message string) {
	budget := f.MaxIterations
	if budget == 0 {
		budget = s.Limits.MaxIterations
	}
	spent := s.Tokens.Input + s.Tokens.Output
	switch {
	case s.Limits.SameError > 0 && s.Row.SameError >= s.Limits.SameError:
		return "same_error", fmt.Sprintf("the same error %d times in a row, on all hosts: %s", s.Row.SameError, s.Row.Error)
	case s.Limits.Stall > 0 && s.Row.NoProgress >= s.Limits.Stall:
		return "no_progress", fmt.Sprintf("%d iterations in a row without progress, on all hosts", s.Row.NoProgress)
	case budget > 0 && s.Iterations >= budget:
		return "max_iterations", fmt.Sprintf("%d iterations are used up, on all hosts", s.Iterations)
	case f.MaxTokens > 0 && spent >= f.MaxTokens:
		return "budget", fmt.Sprintf("%d tokens are spent, the budget is %d", spent, f.MaxTokens)
	case f.MaxCost > 0 && s.CostUSD >= f.MaxCost:
		return "budget", fmt.Sprintf("$%.2f are spent, the budget is $%.2f", s.CostUSD, f.MaxCost)
	}
	return "", ""
}

// alike is an error without what changes from time to time: its digits.
func alike(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, s)
}

// cut bounds a text, in bytes, without leaving half a character.
func cut(s string, n int) string {
	if len(s) > n {
		s = s[:n]
	}
	return strings.ToValidUTF8(s, "")
}
