package run

import (
	"fmt"
	"time"

	"ralph/internal/journal"
	"ralph/internal/words"
)

// Difference describes the first decision of a run that other settings would have changed.
type Difference struct {
	After int       // the last iteration that is the same; 0 before the first
	Time  time.Time // of the decision
	Was   Step
	Would Step
}

// RulesOf returns the rules that a run started with. If the journal does not hold them all,
// it adds the defaults. ok is false if the start of the run is not in the journal.
func RulesOf(events []journal.Event, id string) (rules journal.RunRules, ok bool) {
	for _, e := range events {
		b, start := e.Body.(journal.RunStarted)
		switch {
		case !start || e.Run != id:
		case b.Rules != nil:
			return *b.Rules, true
		default:
			return journal.RunRules{MaxIterations: b.MaxIterations, NoProgress: b.StallThreshold, SameError: b.SameError,
				InstantExits: MaxInstantExits, OnLimit: LimitAsk, MaxWaitHours: 24}, true
		}
	}
	return rules, false
}

// Replay repeats the decisions of a finished run with other rules, and returns the first that
// differs. It returns nil if no decision differs. events are those of the unit up to the end
// of that run; was are the run's own rules. Replay stops at the first difference: the journal
// cannot show what would have happened after it.
func Replay(events []journal.Event, id string, was, would journal.RunRules) *Difference {
	var s State
	r := replay{was: was, would: would}
	for _, e := range events {
		p := s.Position() // the end of a run closes its iteration
		s.Apply(e)
		if e.Run != id {
			continue
		}
		if _, end := e.Body.(journal.RunEnded); !end {
			p = s.Position()
		}
		r.open = s.Last().Plan.open()
		if d := r.follow(&p, e); d != nil {
			return d
		}
	}
	return nil
}

// replay decides with two sets of rules at each point where a run decides.
type replay struct {
	was, would   journal.RunRules
	streak       Streak // by the rules that would be
	early        bool   // the iteration promised, and came too early by the rules that were
	instantExits int
	left         string
	open         []Todo
}

func (r *replay) follow(p *Position, e journal.Event) *Difference {
	seen := Seen{Time: e.Time.Add(seconds(r.was.PauseSeconds) + seconds(r.would.PauseSeconds)), Ready: true,
		Left: r.left, Print: p.print, Open: r.open}
	switch b := e.Body.(type) {
	case journal.RunStarted:
		r.streak = p.Streak
	case journal.ClaimRejected:
		r.early = r.early || b.Claim == journal.ClaimPromise && b.N < r.was.MinIterations
	case journal.IterationEnded:
		r.left = fmt.Sprintf("%d of %s done", b.StoriesComplete, words.Count(b.StoriesTotal, "item"))
		seen.Left = r.left
		return r.compare(p, r.iteration(p, b), seen)
	case journal.WaitStarted:
		if b.Reason == journal.ReasonUsageLimit && b.Until != nil {
			seen.Time = e.Time
			seen.Limit = &Limit{Agent: p.Harness, Until: *b.Until, Reset: *b.Until, Note: b.Message}
			return r.compare(p, p, seen)
		}
	case journal.RunEnded:
		if b.Reason == journal.ReasonUsageLimit && b.ResumesAt != nil && p.Open != nil {
			seen.Time = e.Time
			seen.Limit = &Limit{Agent: p.Harness, Until: *b.ResumesAt, Reset: *b.ResumesAt, Note: b.Message}
			return r.compare(p, p, seen)
		}
	}
	return nil
}

// iteration returns the position after an iteration by the rules that would be: promises
// that came too early may have counted, and the other way round.
func (r *replay) iteration(p *Position, b journal.IterationEnded) *Position {
	q := *p
	last := *p.Last
	done := last.Done == journal.ReasonPromise || r.early
	tooEarly := done && b.N < r.would.MinIterations
	switch {
	case tooEarly:
		last.Done = ""
	case done:
		last.Done = journal.ReasonPromise
	}
	r.streak = r.streak.After(BreakerFacts{Progress: b.Progress, TooEarly: tooEarly, Error: b.Error,
		InstantExit: b.InstantExits > r.instantExits})
	r.instantExits, r.early = b.InstantExits, false
	q.Last, q.Streak = &last, r.streak
	return &q
}

func (r *replay) compare(p, q *Position, seen Seen) *Difference {
	was, would := Next(p, seen, r.was), Next(q, seen, r.would)
	if was.Do == would.Do && was.Reason == would.Reason {
		return nil
	}
	return &Difference{After: p.Iterations(), Time: seen.Time, Was: was, Would: would}
}
