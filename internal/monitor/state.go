package monitor

import (
	"slices"
	"time"

	"ralph/internal/journal"
)

// maxSpans is how many iterations the graph of tokens remembers, at least.
const maxSpans = 200

// state is what the dashboard knows of the unit's last run: a fold of the
// journal's events, of bounded size.
type state struct {
	journal.Status
	started  journal.RunStarted
	stories  []journal.Story
	spans    []span    // of the iterations that have ended, the oldest first
	attempt  time.Time // when the call at work began; zero between calls
	open     bool      // an iteration is at work
	checking string    // the check that ended last in this iteration
	breaker  breaker
	pausing  bool      // asked to pause, as the journal knows, and not yet paused
	heard    time.Time // from the loop itself, not from whoever recorded its death
	archived string
	seen     bool // there is something of a run
}

// span is what an iteration took.
type span struct {
	n      int
	tokens int64
	cost   float64
	ok     bool
}

// breaker are the counters of the circuit breaker, and why it opened.
type breaker struct {
	noProgress, sameError int
	open                  string // the reason, empty while it is closed
}

// apply brings the state up to date with the next event.
func (s *state) apply(e journal.Event) {
	s.Status.Apply(e)
	heard := s.heard
	if !ofDeath(e.Body) {
		heard = e.Time
	}
	switch b := e.Body.(type) {
	case journal.RunStarted:
		*s = state{Status: s.Status, started: b, stories: slices.Clone(b.Stories), seen: true}
	case journal.PlanChanged:
		s.stories = slices.Clone(b.Stories)
	case journal.IterationStarted:
		s.open, s.checking, s.seen = true, "", true // its beginning may be damaged
	case journal.AttemptStarted:
		s.attempt, s.checking = e.Time, ""
	case journal.AttemptEnded:
		s.attempt = time.Time{}
	case journal.CheckEnded:
		s.checking = b.Name
	case journal.IterationEnded:
		s.endIteration(b)
	case journal.BreakerOpened:
		s.breaker.open = string(b.Reason)
	case journal.BreakerReset:
		s.breaker.open = ""
	case journal.Request:
		s.pausing = b.Kind == journal.RequestPause || s.pausing && b.Kind != journal.RequestResume
	case journal.WaitStarted:
		s.pausing = s.pausing && b.Reason != journal.WaitPaused
	case journal.Archived:
		s.archived = b.Path
	case journal.RunEnded:
		s.open, s.attempt, s.pausing = false, time.Time{}, false
	}
	s.heard = heard
}

// ofDeath tells whether an event is of those with which the death of a loop is
// recorded, which may be done hours later.
func ofDeath(body journal.Body) bool {
	switch b := body.(type) {
	case journal.AttemptEnded:
		return b.Outcome == journal.OutcomeCrash
	case journal.IterationEnded:
		return b.Outcome == journal.OutcomeCrash
	case journal.RunEnded:
		return b.Reason == journal.ReasonCrashed
	case journal.PlanRestored:
		return true
	}
	return false
}

func (s *state) endIteration(b journal.IterationEnded) {
	s.open, s.attempt = false, time.Time{}
	for i := range s.stories {
		if slices.Contains(b.StoriesPassed, s.stories[i].ID) {
			s.stories[i].Done = true
		}
	}
	s.breaker.noProgress, s.breaker.sameError = b.NoProgress, b.SameError
	took := span{n: b.N, tokens: b.Tokens.Total(), ok: b.Outcome == journal.OutcomeOK}
	if b.CostUSD != nil {
		took.cost = *b.CostUSD
	}
	if s.spans = append(s.spans, took); len(s.spans) >= 2*maxSpans {
		s.spans = slices.Delete(s.spans, 0, len(s.spans)-maxSpans)
	}
}

// Health is what can be told of a loop's process.
type Health uint8

// What a loop's process can be.
const (
	Unknown   Health = iota // it runs on another machine
	Alive                   // and at work, or waiting
	Suspended               // by Ctrl-Z or SIGSTOP
	Dead
)

// healthOf asks for the process that the journal names, if it is one of this
// machine.
func (s *state) healthOf(host string, ask func(journal.Status) Health) Health {
	if s.started.Host != host && s.started.Host != "" {
		return Unknown
	}
	return ask(s.Status)
}
