// Package events reads what "ralph run --json" prints, the lines of a journal, and
// keeps count of it: what a submission has spent, and how far it is. It knows the
// public format only, and passes over what it does not know.
package events

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ralph/fleet/internal/feature"
)

// Event is a line of the journal, with the keys that the fleet reads.
type Event struct {
	Time time.Time `json:"time"`
	Type string    `json:"type"`
	Run  string    `json:"run"`

	Unit           string         `json:"unit"` // run_started
	Change         string         `json:"change"`
	Harness        string         `json:"harness"`
	MaxIterations  int            `json:"maxIterations"`
	StallThreshold int            `json:"stallThreshold"`
	SameErrorLimit int            `json:"-"` // sameError of run_started
	Stories        []Story        `json:"-"`
	Story          *Story         `json:"-"` // iteration_started
	Iteration      int            `json:"iteration"`
	Outcome        string         `json:"outcome"` // attempt_ended, iteration_ended, check_ended
	Error          string         `json:"error"`
	Name           string         `json:"name"` // check_ended
	Commits        []string       `json:"commits"`
	StoriesPassed  []string       `json:"storiesPassed"`
	Complete       int            `json:"storiesComplete"`
	Total          int            `json:"storiesTotal"`
	Progress       bool           `json:"progress"`
	Tokens         feature.Tokens `json:"tokens"`
	CostUSD        *float64       `json:"costUsd"`
	Reason         string         `json:"reason"` // waits, ends
	Until          *time.Time     `json:"until"`
	Message        string         `json:"message"`
	Status         string         `json:"status"` // run_ended
	ExitCode       int            `json:"exitCode"`
	ResumesAt      *time.Time     `json:"resumesAt"`
}

// Story is an item of the plan.
type Story struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Done  bool   `json:"done"`
}

// Parse reads a line. ok is false where it is no event.
func Parse(line []byte) (e Event, ok bool) {
	if json.Unmarshal(line, &e) != nil || e.Type == "" {
		return Event{}, false
	}
	// These keys have another shape in other types of event.
	switch e.Type {
	case "run_started":
		var more struct {
			SameError int     `json:"sameError"`
			Stories   []Story `json:"stories"`
		}
		_ = json.Unmarshal(line, &more)
		e.SameErrorLimit, e.Stories = more.SameError, more.Stories
	case "iteration_started":
		var more struct {
			Story *Story `json:"story"`
		}
		_ = json.Unmarshal(line, &more)
		e.Story = more.Story
	}
	return e, true
}

// Count takes an event into the spendings of a submission.
func Count(s *feature.Spent, e Event) {
	switch e.Type {
	case "run_started":
		s.Begin(feature.Limits{MaxIterations: e.MaxIterations, Stall: e.StallThreshold, SameError: e.SameErrorLimit})
	case "attempt_started":
		s.Calls++
	case "attempt_ended":
		s.Tokens = s.Tokens.Plus(e.Tokens)
		if e.CostUSD != nil {
			s.CostUSD += *e.CostUSD
		}
	case "iteration_ended":
		s.Commits += len(e.Commits)
		if e.Outcome != "interrupted" { // cut off by the fleet: it continues with the next run
			s.Iteration(e.Progress, e.Error)
		}
	}
}

// Follow takes an event into how far a feature is. Spent is counted elsewhere.
func Follow(p *feature.Progress, e Event) {
	switch e.Type {
	case "run_started":
		p.Status, p.StoriesTotal, p.Stories = "running", len(e.Stories), 0
		for _, s := range e.Stories {
			if s.Done {
				p.Stories++
			}
		}
	case "iteration_started":
		p.Status = "running"
		if p.Story = ""; e.Story != nil {
			p.Story = e.Story.ID
		}
	case "iteration_ended":
		p.Stories, p.StoriesTotal = e.Complete, e.Total
	case "wait_started":
		p.Status = "waiting"
	case "wait_ended":
		p.Status = "running"
	}
}

// Words says an event in a line; empty where there is nothing to say.
func (e Event) Words() string {
	say := func(format string, args ...any) string {
		return e.Time.UTC().Format("15:04:05") + " " + cut(OneLine(fmt.Sprintf(format, args...)))
	}
	switch e.Type {
	case "run_started":
		return say("run %s begins with %s", e.Run, e.Harness)
	case "iteration_started":
		if e.Story != nil {
			return say("iteration %d: %s %s", e.Iteration, e.Story.ID, e.Story.Title)
		}
		return say("iteration %d", e.Iteration)
	case "attempt_ended":
		return say("agent: %s %s", e.Outcome, e.Message)
	case "iteration_ended":
		return say("iteration %d ended: %s, %d/%d done%s%s", e.Iteration, e.Outcome, e.Complete, e.Total, also(", passed ", e.StoriesPassed), also(", commits ", short(e.Commits)))
	case "check_ended":
		return say("check %s %s", e.Name, e.Outcome)
	case "wait_started":
		return say("waits (%s): %s", e.Reason, e.Message)
	case "wait_ended":
		return say("continues")
	case "run_ended":
		return say("run ended: %s (%s) %s", e.Status, e.Reason, e.Message)
	case "agent_started", "attempt_started":
		return ""
	}
	return say("%s %s", strings.ReplaceAll(e.Type, "_", " "), e.Message)
}

func also(before string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	return before + strings.Join(list, " ")
}

func short(hashes []string) []string {
	list := make([]string, 0, len(hashes))
	for _, h := range hashes {
		list = append(list, h[:min(len(h), 9)])
	}
	return list
}

// OneLine folds the white space of a text, and drops what would steer a terminal.
func OneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' || r == '\u2028' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	return strings.Join(strings.Fields(s), " ")
}

// cut bounds a line.
func cut(s string) string {
	const most = 300 // bytes
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
