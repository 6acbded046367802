package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"ralph/internal/journal"
	"ralph/internal/words"
)

// StatusSchema is the version of status.json.
const StatusSchema = 1

// Status describes the last run of a unit. Its JSON form is the file status.json. Every key
// is always there; an unknown value is null.
type Status struct {
	Iteration         int               `json:"iteration"` // that runs or ran last; 0 before the first
	MaxIterations     int               `json:"maxIterations"`
	Status            journal.RunStatus `json:"status"`
	Feature           journal.Text      `json:"feature"`
	StoriesComplete   int               `json:"storiesComplete"`
	StoriesTotal      int               `json:"storiesTotal"`
	APICallsUsed      int               `json:"apiCallsUsed"`  // in the clock hour of the last call
	APICallsLimit     int               `json:"apiCallsLimit"` // 0 is no limit
	RateLimitResetsAt journal.Time      `json:"rateLimitResetsAt"`
	StartedAt         journal.Time      `json:"startedAt"`
	LastUpdated       journal.Time      `json:"lastUpdated"` // the last event
	SchemaVersion     int               `json:"schemaVersion"`
	Reason            journal.Reason    `json:"reason"` // of the end or of the wait
	Message           journal.Text      `json:"message"`
	PID               journal.PID       `json:"pid"` // of the loop; null once the run has ended
	Plan              journal.Text      `json:"plan"`
	Harness           journal.Text      `json:"harness"`
	Model             journal.Text      `json:"model"`
	Branch            journal.Text      `json:"branch"`
	CurrentStory      journal.Text      `json:"currentStory"` // its id
	IterationStarted  journal.Time      `json:"iterationStartedAt"`
	ResumesAt         journal.Time      `json:"resumesAt"`
	Module            journal.Text      `json:"module"`
	Tokens            journal.Tokens    `json:"tokens"` // of all calls of the run
	TokensEstimated   bool              `json:"tokensEstimated"`
	CostUSD           *float64          `json:"costUsd"` // nil if no call reported its cost
	Parked            []ParkedStory     `json:"parked"`

	Run        string `json:"-"` // the run's id; empty without a run
	Unit       string `json:"-"`
	Change     string `json:"-"` // the change's id, empty if the plan is not a change
	Worktree   string `json:"-"`
	PIDStart   string `json:"-"` // with PID, identifies the process
	StoryTitle string `json:"-"` // of CurrentStory
	LogFile    string `json:"-"` // of the last call, from the worktree's root

	Recent []Row `json:"-"` // the last iterations, where the caller has set them
}

// ParkedStory describes a parked story: no agent works on it until the user resumes it.
type ParkedStory struct {
	Story   string         `json:"story"` // its id
	Title   string         `json:"title"`
	Reason  journal.Reason `json:"reason"`
	Message string         `json:"message"` // why
	Notes   string         `json:"notes"`   // of the agent
	Ref     string         `json:"ref"`     // reference that keeps the work
	With    []string       `json:"with"`    // stories that wait for it
}

// parkedStories returns the stories of the plan that are parked.
func (p *Plan) parkedStories() []ParkedStory {
	list := []ParkedStory{}
	for _, it := range p.Items {
		if b := it.Parked; b != nil && b.Story == it.ID {
			list = append(list, ParkedStory{b.Story, b.Title, b.Reason, b.Message, b.Notes, b.Ref, append([]string{}, b.With...)})
		}
	}
	return list
}

// Status returns the state of the last run, or the zero value.
func (s *State) Status() Status {
	r := s.Last()
	if r == nil {
		return Status{}
	}
	out := Status{
		MaxIterations: r.Start.MaxIterations, Feature: journal.Text(r.Start.Feature),
		StartedAt: at(r.StartedAt), LastUpdated: at(r.Updated), SchemaVersion: StatusSchema,
		PID: journal.PID(r.Start.PID), Plan: journal.Text(r.Start.Plan), Branch: journal.Text(r.Start.Branch),
		Module: journal.Text(r.Start.Module), Run: r.ID, Unit: r.Start.Unit, Change: r.Start.Change,
		Worktree: r.Start.Worktree, PIDStart: r.Start.PIDStart,
	}
	r.fill(&out)
	out.StoriesComplete, out.StoriesTotal = r.Plan.Counts()
	if it := r.At(); it.N > 0 {
		out.Iteration, out.IterationStarted = it.N, at(it.StartedAt)
	}
	if story := r.Plan.Current; story != nil {
		out.CurrentStory, out.StoryTitle = journal.Text(story.ID), story.Title
	}
	c := &r.Calls
	out.APICallsUsed, out.APICallsLimit, out.RateLimitResetsAt = c.Used, c.Limit, pointed(c.ResetsAt)
	out.Harness, out.Model = journal.Text(c.Harness), journal.Text(c.Model)
	out.Tokens, out.TokensEstimated, out.CostUSD = c.Tokens, c.Estimated, c.CostUSD
	out.LogFile, out.Parked = c.last().LogFile, r.Plan.parkedStories()
	return out
}

// fill sets whether the run is running, waits or has ended. The wait after a transient fault is
// no pause: the iteration continues, and only the message says so.
func (r *Run) fill(out *Status) {
	switch {
	case r.End != nil:
		out.Status, out.Reason, out.Message = r.End.Status, r.End.Reason, journal.Text(r.End.Message)
		out.ResumesAt, out.PID = pointed(r.End.ResumesAt), 0
	case r.Wait != nil:
		out.Status, out.Message, out.ResumesAt = journal.StatusRunning, journal.Text(r.Wait.Message), pointed(r.Wait.Until)
		if r.Wait.Reason != journal.WaitTransient {
			out.Status, out.Reason = journal.StatusPaused, r.Wait.Reason
		}
	case !r.Headless || len(r.Iterations) > 0:
		out.Status = journal.StatusRunning
	}
}

// Active reports whether the run has not ended, as far as the journal knows. Its process may
// be dead: see [Status.Crashed].
func (s Status) Active() bool {
	return s.Status == journal.StatusRunning || s.Status == journal.StatusPaused
}

// Why returns the reason in words, or "" if it only repeats the status.
func (s Status) Why() string {
	if string(s.Reason) == string(s.Status) {
		return ""
	}
	return words.WithSpaces(s.Reason)
}

// Life returns, in capitals, whether the process of the run is at work, waits or has died; ""
// after an orderly end. alive says that the process exists.
func (s Status) Life(alive bool) string {
	switch {
	case alive && s.Status == journal.StatusPaused:
		return "WAITING"
	case alive:
		return "LIVE"
	case s.Reason == journal.ReasonCrashed:
		return "DEAD"
	}
	return ""
}

// Progress returns, as text, how many items of the plan are done.
func (s Status) Progress() string {
	return fmt.Sprintf("%d/%d %s", s.StoriesComplete, s.StoriesTotal, journal.PlanKind(s.Plan).Items())
}

// Calls returns, as text, the calls in the ledger as the run saw it last.
func (s Status) Calls(now time.Time) string {
	if s.APICallsLimit == 0 {
		return words.Count(s.APICallsUsed, "call") + ", no limit"
	}
	text := fmt.Sprintf("%d/%d", s.APICallsUsed, s.APICallsLimit)
	if s.RateLimitResetsAt.After(now) {
		text += " (resets in " + words.Left(s.RateLimitResetsAt.Time, now) + ")"
	}
	return text
}

// Spent returns, as text, the tokens and the cost of the run.
func (s Status) Spent() string {
	return words.Spent(s.Tokens.Total(), s.TokensEstimated, s.CostUSD)
}

// Crashed returns the status to show if the process of the run is dead. It does not change
// the status of a run that has ended.
func (s Status) Crashed() Status {
	if !s.Active() {
		return s
	}
	s.Status, s.Reason = journal.StatusFailed, journal.ReasonCrashed
	s.Message = "ralph died before it could end this run; the next 'ralph run' cleans up and continues"
	s.ResumesAt, s.PID = journal.Time{}, 0
	return s
}

// Suspended returns the status to show if the process of the run is suspended: it does
// nothing until something wakes it.
func (s Status) Suspended() Status {
	if !s.Active() {
		return s
	}
	s.Status, s.Reason, s.ResumesAt = journal.StatusPaused, journal.WaitSuspended, journal.Time{}
	s.Message = "its process is suspended (Ctrl-Z); continue with 'fg' in its terminal, or with 'ralph resume'"
	return s
}

// JSON returns the text of status.json, or, with alive, what `status --json` prints: the
// same with the key "alive", and for a change with "recent".
func (s Status) JSON(alive *bool) ([]byte, error) {
	var v any = s
	switch {
	case alive != nil && s.Change != "":
		v = struct {
			Status
			Alive  bool  `json:"alive"`
			Recent []Row `json:"recent"`
		}{s, *alive, append([]Row{}, s.Recent...)}
	case alive != nil:
		v = struct {
			Status
			Alive bool `json:"alive"`
		}{s, *alive}
	}
	return indented(v)
}

// indented is how the files for other programs are written.
func indented(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return out.Bytes(), err
}

func at(t time.Time) journal.Time { return journal.Time{Time: t} }

// pointed returns the time at t, or the zero time for nil.
func pointed(t *time.Time) journal.Time {
	if t == nil {
		return journal.Time{}
	}
	return journal.Time{Time: t.UTC()}
}
