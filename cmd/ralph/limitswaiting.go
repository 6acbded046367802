package main

import (
	"fmt"
	"time"

	"ralph/internal/journal"
	"ralph/internal/registry"
	"ralph/internal/run"
	"ralph/internal/unit"
	"ralph/internal/words"
)

// waitingLoop is a loop that stands still at the limit of a harness.
type waitingLoop struct {
	Unit     string       `json:"unit"`
	Worktree string       `json:"worktree"`
	Until    journal.Time `json:"until"`   // a guess where nobody told when the limit ends
	Message  string       `json:"message"` // what it waits for, with the provider's words

	CallsLimit int `json:"callsLimit,omitempty"` // an hour, where the loop waits at its own limit of calls
}

// waitingLoops are the loops that live and wait at the limit of a harness, by its name.
func waitingLoops(entries []registry.Entry) map[string][]waitingLoop {
	found := map[string][]waitingLoop{}
	for _, e := range entries {
		path := journal.Path(e.StateDir)
		events, err := journal.ReadLast(path)
		if err != nil {
			continue // it has never run, or is put away
		}
		s := run.Fold(events).Status()
		if s.Status == journal.StatusPaused && atLimit(s.Reason) && unit.LoopAlive(s) {
			w := waitingLoop{Unit: e.Unit, Worktree: e.Worktree, Until: s.ResumesAt, Message: string(s.Message)}
			if s.Reason == journal.WaitRateLimit {
				w.CallsLimit = s.APICallsLimit
			}
			found[string(s.Harness)] = append(found[string(s.Harness)], w)
		}
	}
	return found
}

// atLimit reports whether a loop with this reason waits for a limit to end.
func atLimit(r journal.Reason) bool {
	return r == journal.ReasonUsageLimit || r == journal.WaitRateLimit
}

// rows tell of the loops that wait. Where the ledger knows of the limit its own line has
// the provider's words; else only the loop that was refused has them.
func (l harnessLimits) rows(row func(name, format string, args ...any), now time.Time) {
	for _, w := range l.Waiting {
		when := ""
		if !w.Until.IsZero() {
			when = " until " + words.Local(w.Until.Time) + " (in " + timeLeft(w.Until.Time, now) + ")"
		}
		why := ", which only it knows of: " + w.Message
		switch {
		case w.CallsLimit > 0:
			why = fmt.Sprintf(", at its own limit of %s an hour", words.Count(w.CallsLimit, "call"))
		case l.LimitedUntil != nil:
			why = ""
		}
		row("Waiting:", "%s in %s%s%s", w.Unit, w.Worktree, when, why)
	}
}
