package journal

import (
	"fmt"

	"ralph/internal/stream"
)

// StatusSchema is the version of status.json.
const StatusSchema = 1

// Status is the state of a unit's last run, and as JSON the file status.json.
// Every key is always there; what is unknown is null. It is the fold of the
// journal's events by [Status.Apply].
type Status struct {
	Iteration         int           `json:"iteration"` // that runs or ran last; 0 before the first
	MaxIterations     int           `json:"maxIterations"`
	Status            RunStatus     `json:"status"`
	Feature           Text          `json:"feature"`
	StoriesComplete   int           `json:"storiesComplete"`
	StoriesTotal      int           `json:"storiesTotal"`
	APICallsUsed      int           `json:"apiCallsUsed"`  // in the clock hour of the last call
	APICallsLimit     int           `json:"apiCallsLimit"` // 0 is none
	RateLimitResetsAt Time          `json:"rateLimitResetsAt"`
	StartedAt         Time          `json:"startedAt"`
	LastUpdated       Time          `json:"lastUpdated"` // the last event
	SchemaVersion     int           `json:"schemaVersion"`
	Reason            Reason        `json:"reason"` // of the end or of the wait
	Message           Text          `json:"message"`
	PID               PID           `json:"pid"` // of the loop; null once the run has ended
	Plan              Text          `json:"plan"`
	Harness           Text          `json:"harness"`
	Model             Text          `json:"model"`
	Branch            Text          `json:"branch"`
	CurrentStory      Text          `json:"currentStory"` // its id
	IterationStarted  Time          `json:"iterationStartedAt"`
	ResumesAt         Time          `json:"resumesAt"`
	Module            Text          `json:"module"`
	Tokens            stream.Tokens `json:"tokens"` // of all calls of the run
	TokensEstimated   bool          `json:"tokensEstimated"`
	CostUSD           *float64      `json:"costUsd"` // nil where no call told its cost

	Run        string `json:"-"` // the run's id
	Unit       string `json:"-"`
	Change     string `json:"-"` // the change's id, empty where the plan is none
	Worktree   string `json:"-"`
	PIDStart   string `json:"-"` // with PID, tells the loop from a later process
	StoryTitle string `json:"-"` // of CurrentStory
	LogFile    string `json:"-"` // of the last attempt, from the worktree's root
	Starting   bool   `json:"-"` // a call is counted, and its agent not started yet

	Recent []Iteration `json:"-"` // the last iterations, where the caller has set them
}

// Active tells whether the run has not ended as far as the journal knows. Its
// process may be dead all the same: see [Status.Crashed].
func (s Status) Active() bool {
	return s.Status == StatusRunning || s.Status == StatusPaused
}

// Apply brings the status up to date with the next event. A run_started
// event begins it anew.
func (s *Status) Apply(e Event) {
	switch b := e.Body.(type) {
	case RunStarted:
		s.start(e.Run, b)
		s.StartedAt = Time{e.Time}
	case IterationStarted:
		s.Iteration, s.IterationStarted = b.N, Time{e.Time}
		s.setStory(b.Story)
		s.goOn()
	case AttemptStarted:
		s.APICallsUsed, s.APICallsLimit, s.RateLimitResetsAt = b.CallsUsed, b.CallsLimit, timeAt(b.CallsResetAt)
		s.Harness, s.LogFile, s.Starting = Text(b.Harness), b.LogFile, true
		if b.Model != "" {
			s.Model = Text(b.Model)
		}
	case AgentStarted:
		s.Starting = false
	case HarnessSwitched:
		s.Harness, s.Model = Text(b.To), "" // whose model is told with its call
	case AttemptEnded:
		if s.Starting && b.Outcome == OutcomeError { // the agent could not be started: the call was given back
			s.APICallsUsed = max(0, s.APICallsUsed-1)
		}
		s.Starting = false
		s.Tokens = s.Tokens.Add(b.Tokens)
		s.TokensEstimated = s.TokensEstimated || b.TokensEstimated
		s.CostUSD = addCost(s.CostUSD, b.CostUSD)
		if b.Model != "" {
			s.Model = Text(b.Model)
		}
	case IterationEnded:
		s.StoriesComplete, s.StoriesTotal = b.StoriesComplete, b.StoriesTotal
		s.setStory(b.CurrentStory)
	case PlanChanged:
		s.countStories(b.Stories)
	case WaitStarted:
		s.wait(b)
	case WaitEnded:
		s.goOn()
	case RunEnded:
		s.end(b)
	}
	s.LastUpdated = Time{e.Time}
}

func (s *Status) start(run string, b RunStarted) {
	*s = Status{
		SchemaVersion: StatusSchema, Status: StatusRunning, MaxIterations: b.MaxIterations,
		Feature: Text(b.Feature), Plan: Text(b.Plan), Module: Text(b.Module), Branch: Text(b.Branch),
		Harness: Text(b.Harness), Model: Text(b.Model),
		APICallsUsed: b.CallsUsed, APICallsLimit: b.RateLimit, PID: PID(b.PID),
		Run: run, Unit: b.Unit, Change: b.Change, Worktree: b.Worktree, PIDStart: b.PIDStart,
	}
	s.countStories(b.Stories)
}

func (s *Status) countStories(stories []Story) {
	s.StoriesComplete, s.StoriesTotal = 0, len(stories)
	for _, story := range stories {
		if story.Done {
			s.StoriesComplete++
		}
	}
}

func (s *Status) setStory(story *Story) {
	s.CurrentStory, s.StoryTitle = "", ""
	if story != nil {
		s.CurrentStory, s.StoryTitle = Text(story.ID), story.Title
	}
}

// wait pauses the run. Backing off after a transient fault is no pause: the
// iteration is still at work, and only the message tells of it.
func (s *Status) wait(b WaitStarted) {
	s.Message, s.ResumesAt = Text(b.Message), timeAt(b.Until)
	if b.Reason != WaitTransient {
		s.Status, s.Reason = StatusPaused, b.Reason
	}
}

func (s *Status) goOn() {
	s.Status, s.Reason, s.Message, s.ResumesAt = StatusRunning, "", "", Time{}
}

func (s *Status) end(b RunEnded) {
	s.Status, s.Reason, s.Message = b.Status, b.Reason, Text(b.Message)
	s.ResumesAt, s.PID = timeAt(b.ResumesAt), 0
}

// addCost adds two costs of which each may be unknown.
func addCost(sum, c *float64) *float64 {
	if c == nil {
		return sum
	}
	total := *c
	if sum != nil {
		total += *sum
	}
	return &total
}

// Crashed is the status as it is once the run's process is known to be dead.
// A run that has ended stays as it is.
func (s Status) Crashed() Status {
	if !s.Active() {
		return s
	}
	s.Status, s.Reason = StatusFailed, ReasonCrashed
	s.Message = "ralph died before it could end this run; the next 'ralph run' cleans up and goes on"
	s.ResumesAt, s.PID = Time{}, 0
	return s
}

// Suspended is the status as it is while the run's process is known to be
// suspended: whatever it would wait for or do, it does nothing until it is woken.
func (s Status) Suspended() Status {
	if !s.Active() {
		return s
	}
	s.Status, s.Reason, s.ResumesAt = StatusPaused, WaitSuspended, Time{}
	s.Message = "its process is suspended (Ctrl-Z); go on with 'fg' in its terminal, or with 'ralph resume'"
	return s
}

// JSON is the text of status.json, or, with alive, what `status --json`
// prints: the same with the key "alive", and for a change with "recent".
func (s Status) JSON(alive *bool) ([]byte, error) {
	var v any = s
	switch {
	case alive != nil && s.Change != "":
		v = struct {
			Status
			Alive  bool        `json:"alive"`
			Recent []Iteration `json:"recent"`
		}{s, *alive, append([]Iteration{}, s.Recent...)}
	case alive != nil:
		v = struct {
			Status
			Alive bool `json:"alive"`
		}{s, *alive}
	}
	return indented(v, "")
}

// WriteStatus replaces the file at path (0644) by the status as JSON.
func WriteStatus(path string, s Status) error {
	data, err := s.JSON(nil)
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	return replaceFile(path, data)
}
