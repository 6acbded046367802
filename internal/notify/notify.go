// Package notify notifies the user who is away: through the desktop, and through the user's own
// command. It reports the events of a journal, and never delays the loop that writes them.
package notify

import (
	"encoding/json"
	"time"

	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/stream"
)

// The kinds of notice: the values of [Notice.Event].
const (
	Done    = "done"    // the plan is done
	Stuck   = "stuck"   // the circuit breaker has opened
	Waiting = "waiting" // for a limit to pass, or for the user
	Failed  = "failed"  // the run has ended without being done, for another reason
)

// Notice describes what the user should know now. The user's command reads it as JSON, on one
// line, from its standard input. Every key is always there.
type Notice struct {
	Event           string        `json:"event"`
	Unit            string        `json:"unit"`
	Branch          string        `json:"branch"`
	Worktree        string        `json:"worktree"`
	Run             string        `json:"run"`
	Status          string        `json:"status"` // as in status.json, and so is what follows
	Reason          string        `json:"reason"`
	Message         string        `json:"message"`
	Iteration       int           `json:"iteration"`
	MaxIterations   int           `json:"maxIterations"`
	StoriesComplete int           `json:"storiesComplete"`
	StoriesTotal    int           `json:"storiesTotal"`
	Tokens          stream.Tokens `json:"tokens"`
	CostUSD         *float64      `json:"costUsd"`
	ResumesAt       *time.Time    `json:"resumesAt"`
	Time            time.Time     `json:"time"`
}

// maxMessage bounds the message, in characters.
const maxMessage = 2000

// Of converts an event to a notice, with the status of the run after it. It returns false if
// the event does not need the user's attention, or if the user caused it.
func Of(e journal.Event, s run.Status) (Notice, bool) {
	kind := kindOf(e.Body)
	if kind == "" {
		return Notice{}, false
	}
	n := Notice{
		Event: kind, Unit: clean(s.Unit), Branch: clean(string(s.Branch)), Worktree: clean(s.Worktree), Run: e.Run,
		Status: string(s.Status), Reason: clean(string(s.Reason)), Message: clean(string(s.Message)),
		Iteration: s.Iteration, MaxIterations: s.MaxIterations, StoriesComplete: s.StoriesComplete, StoriesTotal: s.StoriesTotal,
		Tokens: s.Tokens, CostUSD: s.CostUSD, Time: e.Time.UTC(),
	}
	if !s.ResumesAt.IsZero() {
		at := s.ResumesAt.UTC()
		n.ResumesAt = &at
	}
	return n, true
}

func kindOf(b journal.Body) string {
	switch b := b.(type) {
	case journal.WaitStarted:
		if b.Reason == journal.WaitRateLimit || b.Reason == journal.ReasonUsageLimit {
			return Waiting
		}
	case journal.RunEnded:
		return kindOfEnd(b)
	}
	return ""
}

func kindOfEnd(b journal.RunEnded) string {
	switch b.Reason {
	case journal.ReasonNoProgress, journal.ReasonSameError:
		return Stuck
	case journal.ReasonUsageLimit, journal.ReasonWaitingForPerson:
		return Waiting
	}
	switch b.Status {
	case journal.StatusCompleted:
		return Done
	case journal.StatusFailed:
		return Failed
	}
	return "" // stopped: by anyone who would read this
}

// clean makes a text harmless wherever it is shown, and bounds it.
func clean(s string) string {
	if runes := []rune(stream.Sanitize(s)); len(runes) > maxMessage {
		return string(runes[:maxMessage-1]) + "…"
	}
	return stream.Sanitize(s)
}

func (n Notice) line() []byte {
	data, err := json.Marshal(n)
	if err != nil { // strings, numbers and times: there is nothing to fail
		return []byte("{}\n")
	}
	return append(data, '\n')
}
