package run

import (
	"slices"

	"ralph/internal/journal"
)

// Sources holds the numbers, in the run, of the events about the claims since the last call. A
// decision on a claim names those that it used. 0 means that the run has no such event.
type Sources struct {
	Call     int              // the end of the call
	Checks   map[string][]int // by name: since the iteration started, or else the last one
	NoWork   int
	Findings int
	Proof    int
	Review   int
	Allowed  map[string]int // requests of the user to accept an item

	since int // the start of the iteration
}

// note takes the event with that number into account.
func (s *Sources) note(seq int, body journal.Body) {
	switch b := body.(type) {
	case journal.IterationStarted:
		*s = Sources{Checks: s.Checks, Allowed: s.Allowed, since: seq}
	case journal.AttemptEnded:
		s.Call = seq
	case journal.CheckEnded:
		known := s.Checks[b.Name]
		if len(known) > 0 && known[0] < s.since {
			known = nil
		}
		put(&s.Checks, b.Name, append(slices.Clip(known), seq))
	case journal.NoWork:
		s.NoWork = seq
	case journal.TamperFound:
		s.Findings = seq
	case journal.WorkProved:
		s.Proof = seq
	case journal.ReviewEnded:
		s.Review = seq
	case journal.Request:
		if b.Kind == journal.RequestAllow {
			put(&s.Allowed, b.Text, seq)
		}
	}
}
