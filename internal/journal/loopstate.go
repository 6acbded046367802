package journal

import (
	"fmt"
	"os"
	"path/filepath"
)

// LoopState is the file .claude/loop-state.json in the format of the
// worktree tools, which show it beside the worktree. It is the fold of the
// journal's events by [LoopState.Apply]; docs/loop-state.schema.json
// describes it.
type LoopState struct {
	WorktreeName     string          `json:"worktree_name"`
	ChangeID         string          `json:"change_id"` // the unit where there is no change
	Status           string          `json:"status"`    // starting, running, done, stuck, stalled or stopped
	CurrentIteration int             `json:"current_iteration"`
	MaxIterations    int             `json:"max_iterations"`
	StartedAt        Time            `json:"started_at"`
	Task             string          `json:"task"`          // in the user's words, else which plan it is
	DoneCriteria     string          `json:"done_criteria"` // prd, tasks or manual
	StallThreshold   int             `json:"stall_threshold"`
	TimeoutMin       float64         `json:"iteration_timeout_min"`
	TotalTokens      int64           `json:"total_tokens"` // of the iterations, without cache
	TerminalPID      int             `json:"terminal_pid"` // the loop's own process, as is PID
	PID              int             `json:"pid"`
	Iterations       []LoopIteration `json:"iterations"` // that have begun, in order

	ended listText[LoopIteration] // of those before the last one
}

// LoopIteration is one iteration of a [LoopState].
type LoopIteration struct {
	N          int      `json:"n"`
	Started    Time     `json:"started"`
	Ended      Time     `json:"ended"` // null while it runs
	DoneCheck  bool     `json:"done_check"`
	Commits    []string `json:"commits"`
	TokensUsed int64    `json:"tokens_used"` // input and output, without cache
	ExitReason Text     `json:"exit_reason"` // the outcome; null while it runs
	TimedOut   bool     `json:"timed_out,omitempty"`
}

// Apply brings the state up to date with the next event. A run_started event
// begins it anew.
func (s *LoopState) Apply(e Event) {
	switch b := e.Body.(type) {
	case RunStarted:
		*s = LoopState{
			WorktreeName: filepath.Base(b.Worktree), ChangeID: b.Change,
			Status: "starting", MaxIterations: b.MaxIterations, StartedAt: Time{e.Time},
			Task: taskOf(b), DoneCriteria: b.DoneCriteria, StallThreshold: b.StallThreshold,
			TimeoutMin: b.TimeoutSeconds / 60, TerminalPID: b.PID, PID: b.PID,
			Iterations: []LoopIteration{},
		}
		if s.ChangeID == "" {
			s.ChangeID = b.Unit
		}
	case IterationStarted:
		s.dropUnended()
		s.CurrentIteration = b.N
		s.Iterations = append(s.Iterations, LoopIteration{N: b.N, Started: Time{e.Time}, Commits: []string{}})
	case AttemptStarted:
		s.Status = "running"
	case IterationEnded:
		s.endIteration(e, b)
	case RunEnded:
		s.dropUnended()
		s.Status = loopStatus(b.Status, b.Reason)
	}
}

// taskOf is what the user asked for, else the plan in words: the programs that read
// the file show it as the name of what goes on.
func taskOf(b RunStarted) string {
	switch {
	case b.Task != "":
		return b.Task
	case b.Change != "":
		return "the change " + b.Change
	case b.Plan == "tasks":
		return "the tasks of tasks.md"
	case b.Plan == "prd":
		return "the stories of " + b.Unit
	}
	return ""
}

// dropUnended drops an iteration whose attempts turned out to be none: the
// usage limit refused them.
func (s *LoopState) dropUnended() {
	if n := len(s.Iterations); n > 0 && s.Iterations[n-1].Ended.IsZero() {
		s.Iterations = s.Iterations[:n-1]
	}
}

func (s *LoopState) endIteration(e Event, b IterationEnded) {
	n := len(s.Iterations)
	if n == 0 || s.Iterations[n-1].N != b.N {
		s.Iterations = append(s.Iterations, LoopIteration{N: b.N})
		n++
	}
	it := &s.Iterations[n-1]
	it.Ended, it.DoneCheck, it.Commits = Time{e.Time}, b.Done, orEmpty(b.Commits)
	it.TokensUsed, it.ExitReason, it.TimedOut = b.Tokens.Total(), Text(b.Outcome), b.Outcome == OutcomeTimeout
	s.TotalTokens += it.TokensUsed
}

// Crashed is the state as it is once the run's process is known to be dead.
func (s LoopState) Crashed() LoopState {
	s.ended = listText[LoopIteration]{} // is the other state's
	if s.Status == "starting" || s.Status == "running" {
		s.Status = loopStatus(StatusFailed, ReasonCrashed)
	}
	return s
}

// loopStatus translates the end of a run into the words of the worktree tools.
func loopStatus(status RunStatus, reason Reason) string {
	switch {
	case status == StatusCompleted:
		return "done"
	case status == StatusStopped, reason == ReasonCrashed:
		return "stopped"
	case reason == ReasonNoProgress:
		return "stalled"
	}
	return "stuck"
}

// WriteLoopState replaces the file at path (0644) by the state as JSON and
// creates its directory where it is missing. A caller may go on after an
// error: nothing of ralph's own depends on this file. The state remembers what was
// written of iterations that have ended: a long run writes it many times.
func WriteLoopState(path string, s *LoopState) error {
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s cannot be written: it is a directory; move it out of the way", path)
	}
	settled := max(0, len(s.Iterations)-1) // the last one may be at work
	head := *s
	if len(s.Iterations) > 0 {
		head.Iterations = []LoopIteration{}
	}
	return writeWithList(path, head, "iterations", s.Iterations, settled, &s.ended)
}
