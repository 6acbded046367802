package run

import (
	"maps"
	"slices"
	"time"

	"ralph/internal/journal"
)

// maxOverloads is how many overloads in a row are waited out before they count as an
// iteration with an error.
const maxOverloads = 10

// Position holds the part of a [State] that [Next] reads: the situation of the last run.
type Position struct {
	Harness        string // the run's own agent
	Branch         string
	Last           *EndedIteration // the last one that ended in this run
	Open           *OpenIteration  // the one that has not ended
	Streak         Streak
	Breaker        *journal.BreakerOpened // nil while it is closed
	Left           string                 // why the branch is not the run's any more
	Outside        *journal.CheckEnded    // a check that passes only outside of its room, where only rooms count
	Paused         bool
	Tokens         int64 // of this run, without the cache
	Cost           *float64
	WaitedAtLimits time.Duration // since the last call that went through
	Parking

	began   time.Time                      // when the run's time began to count
	windows map[string]journal.LimitWindow // of the account of the last call, by name
	print   string
	facts   factSeqs
}

// OpenIteration holds what the rules need about the iteration that has not ended.
type OpenIteration struct {
	N int
	Tried

	Model    string // the model that its story asks for
	Failures int    // iterations that failed on the story since it was accepted last
}

// EndedIteration holds what the rules need about the last iteration that ended.
type EndedIteration struct {
	N       int
	Outcome journal.Outcome
	Message string
	Hint    string
	Done    journal.Reason // why the plan is done, empty if it is not
	At      time.Time      // when it ended
}

// factSeqs are the sequence numbers, in the run, of the events that a rule may use.
type factSeqs struct {
	Row     []int // iterations in a row without progress, or with the same error
	Last    int   // the end of the last iteration
	Attempt int   // the end of the last attempt
	Breaker int
	Moved   int
	Outside int
	Paused  int
}

// Position returns the part of the state that [Next] reads. Later events do not change it.
func (s *State) Position() Position {
	p := Position{Streak: s.Streak, Breaker: s.Breaker, WaitedAtLimits: s.Limits.WaitedAtLimits, Parking: s.Parking}
	r := s.Last()
	if r == nil {
		return p
	}
	p.Harness, p.Branch, p.Left, p.Outside, p.Paused = r.Start.Harness, r.Start.Branch, r.left, r.outside, r.paused
	p.Tokens, p.Cost = r.Calls.Tokens.Total(), r.Calls.CostUSD
	p.began, p.print, p.facts = r.began, r.print, r.facts
	caller := r.Start.Harness
	if r.Calls.Last != nil {
		caller = r.Calls.Last.Harness
	}
	p.windows = maps.Clone(s.windows[caller])
	if it := r.Open(); it != nil {
		p.Open = &OpenIteration{N: it.N, Tried: it.Tried, Failures: s.Failures[it.story()]}
		if it.Story != nil {
			p.Open.Model = it.Story.Model
		}
	}
	for _, it := range slices.Backward(r.Iterations) {
		if it.End != nil {
			p.Last = it.ended()
			break
		}
	}
	return p
}

func (it *Iteration) ended() *EndedIteration {
	b := it.End
	last := EndedIteration{N: b.N, Outcome: b.Outcome, Message: b.Error, Hint: it.Tried.Hint, Done: b.DoneReason, At: it.EndedAt}
	if b.Done && last.Done == "" {
		last.Done = journal.ReasonPromise // only a program before the reason was recorded
	}
	if last.Message == "" {
		last.Message = it.Tried.Message
	}
	return &last
}

// Iterations returns how many iterations have ended in this run.
func (p *Position) Iterations() int {
	if p.Last == nil {
		return 0
	}
	return p.Last.N
}

// Refused reports whether the provider refused all calls of the iteration so far.
func (t Tried) Refused() bool {
	return t.Outcome == journal.OutcomeUsageLimit || t.Outcome == journal.OutcomeTransient && t.Overloads < maxOverloads
}

// add takes the end of a call into account. takeover says that the agent is not the run's
// own, and started that its process was running.
func (t *Tried) add(b journal.AttemptEnded, takeover, started bool) {
	t.Waited = false
	if takeover && (b.Outcome == journal.OutcomeAuth || !started && b.Outcome == journal.OutcomeError) {
		return
	}
	t.Outcome, t.Message, t.Hint = b.Outcome, b.Message, b.Hint
	if b.Outcome == journal.OutcomeTransient {
		t.Overloads++
	}
}

// streakAfter returns what is left of the streak at the start of a run: the row that the last
// run ended in, where neither the plan nor HEAD has changed and the user did not decide again.
// The last run died, or the new one repeats it and is too short to get stuck by itself (one
// iteration from cron, say).
func streakAfter(old *Run, was Streak, b journal.RunStarted) (left Streak) {
	if old == nil || b.Print == "" || b.Print != old.print || b.Rules != nil && b.Rules.ResetCircuit {
		return left
	}
	died := old.End != nil && old.End.Reason == journal.ReasonCrashed
	repeats := b.MaxIterations == old.Start.MaxIterations
	if died || repeats && b.MaxIterations < b.StallThreshold {
		left.NoProgress = was.NoProgress
	}
	if died || repeats && b.MaxIterations < b.SameError {
		left.SameError, left.Error = was.SameError, was.Error
	}
	return left
}

// count takes the end of an iteration into account for the breaker. The record of one that
// ralph's own death cut off has no counts.
func (s *State) count(r *Run, b journal.IterationEnded) {
	r.facts.Last = r.seq
	if !b.Progress && b.NoProgress == 0 && b.SameError == 0 && b.Print == "" {
		return
	}
	s.tally(r.At().story(), b)
	r.print = b.Print
	s.Streak = Streak{
		NoProgress: b.NoProgress, SameError: b.SameError, Error: b.Error, InstantExits: b.InstantExits,
	}
	row := append(r.facts.Row, r.seq)
	r.facts.Row = slices.Clone(row[max(0, len(row)-max(b.NoProgress, b.SameError, b.InstantExits)):])
}
