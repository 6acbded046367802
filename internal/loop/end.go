package loop

import "time"

// Reason says why a run ended, in the word of the journal and of status.json.
type Reason string

// The reasons for the end of a run.
const (
	StoriesComplete  Reason = "stories_complete"
	TasksComplete    Reason = "tasks_complete"
	Promise          Reason = "promise"
	MaxIterations    Reason = "max_iterations"
	NoProgress       Reason = "no_progress"
	SameError        Reason = "same_error"
	Budget           Reason = "budget"
	Auth             Reason = "auth"
	AgentMissing     Reason = "agent_missing"
	BranchChanged    Reason = "branch_changed"
	Failed           Reason = "error"
	WaitingForPerson Reason = "waiting_for_person"
	UsageLimit       Reason = "usage_limit"
	Interrupted      Reason = "interrupted"
	Stopped          Reason = "stopped"
	Crashed          Reason = "crashed"
)

// The exit codes of a run.
const (
	ExitDone        = 0
	ExitNotDone     = 1
	ExitUsageLimit  = 2
	ExitInterrupted = 130 // 128 + SIGINT, as shells tell it
	ExitStopped     = 143 // 128 + SIGTERM
)

// outcomes is the one table of how a run can end.
var outcomes = map[Reason]struct {
	status string
	exit   int
}{
	StoriesComplete:  {"completed", ExitDone},
	TasksComplete:    {"completed", ExitDone},
	Promise:          {"completed", ExitDone},
	MaxIterations:    {"failed", ExitNotDone},
	NoProgress:       {"failed", ExitNotDone},
	SameError:        {"failed", ExitNotDone},
	Budget:           {"failed", ExitNotDone},
	Auth:             {"failed", ExitNotDone},
	AgentMissing:     {"failed", ExitNotDone},
	BranchChanged:    {"failed", ExitNotDone},
	Failed:           {"failed", ExitNotDone},
	Crashed:          {"failed", ExitNotDone},
	WaitingForPerson: {"stopped", ExitNotDone},
	UsageLimit:       {"stopped", ExitUsageLimit},
	Interrupted:      {"stopped", ExitInterrupted},
	Stopped:          {"stopped", ExitStopped},
}

// End is how a run ended.
type End struct {
	Reason    Reason
	Message   string    // a sentence for a person
	Hint      string    // what the person can do next, may be empty
	ResumesAt time.Time // when a usage limit ends, zero where it does not matter
}

// Status is the word of status.json for the end.
func (e End) Status() string { return outcomes[e.Reason].status }

// ExitCode is the exit status of ralph for the end.
func (e End) ExitCode() int { return outcomes[e.Reason].exit }

// Done reports whether the plan is done.
func (e End) Done() bool { return e.ExitCode() == ExitDone }
