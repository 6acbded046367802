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
	pausing  bool // asked to pause, and not yet paused
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
		s.breaker.open = b.Reason
	case journal.BreakerReset:
		s.breaker.open = ""
	case journal.Request:
		s.pausing = b.Kind == requestPause || s.pausing && b.Kind != requestResume
	case journal.WaitStarted:
		s.pausing = s.pausing && b.Reason != reasonPaused
	case journal.Archived:
		s.archived = b.Path
	case journal.RunEnded:
		s.open, s.attempt, s.pausing = false, time.Time{}, false
	}
}

func (s *state) endIteration(b journal.IterationEnded) {
	s.open, s.attempt = false, time.Time{}
	for i := range s.stories {
		if slices.Contains(b.StoriesPassed, s.stories[i].ID) {
			s.stories[i].Done = true
		}
	}
	s.breaker.noProgress, s.breaker.sameError = b.NoProgress, b.SameError
	took := span{n: b.N, tokens: b.Tokens.Total(), ok: b.Outcome == outcomeOK}
	if b.CostUSD != nil {
		took.cost = *b.CostUSD
	}
	if s.spans = append(s.spans, took); len(s.spans) >= 2*maxSpans {
		s.spans = slices.Delete(s.spans, 0, len(s.spans)-maxSpans)
	}
}

// The words of the journal that the dashboard must tell apart. Package loop has
// its own constants for them, and is not for this package to import.
const (
	requestPause  = "pause"
	requestResume = "resume"
	requestStop   = "stop"
	reasonPaused  = "paused"
	outcomeOK     = "ok"
)

// health is what can be told of the loop's process.
type health uint8

const (
	unknown health = iota // it runs on another machine
	alive
	dead
)

// healthOf asks for the process that the journal names, if it is one of this
// machine.
func (s *state) healthOf(host string, isAlive func(journal.Status) bool) health {
	switch {
	case s.started.Host != host && s.started.Host != "":
		return unknown
	case isAlive(s.Status):
		return alive
	}
	return dead
}
