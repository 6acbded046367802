package run

import (
	"cmp"
	"path/filepath"

	"ralph/internal/journal"
)

// LoopState holds the content of .claude/loop-state.json in the format of the worktree tools.
// docs/loop-state.schema.json describes it.
type LoopState struct {
	WorktreeName     string          `json:"worktree_name"`
	ChangeID         string          `json:"change_id"` // the unit if the plan is not a change
	Status           string          `json:"status"`    // starting, running, done, stuck, stalled or stopped
	CurrentIteration int             `json:"current_iteration"`
	MaxIterations    int             `json:"max_iterations"`
	StartedAt        journal.Time    `json:"started_at"`
	Task             string          `json:"task"`          // in the user's words, else which plan it is
	DoneCriteria     string          `json:"done_criteria"` // prd, tasks or manual
	StallThreshold   int             `json:"stall_threshold"`
	TimeoutMin       float64         `json:"iteration_timeout_min"`
	TotalTokens      int64           `json:"total_tokens"` // of the iterations, without cache
	TerminalPID      int             `json:"terminal_pid"` // the loop's own process, as is PID
	PID              int             `json:"pid"`
	Iterations       []LoopIteration `json:"iterations"` // that have started, in order
}

// LoopIteration is one iteration of a [LoopState].
type LoopIteration struct {
	N          int          `json:"n"`
	Started    journal.Time `json:"started"`
	Ended      journal.Time `json:"ended"` // null while it runs
	DoneCheck  bool         `json:"done_check"`
	Commits    []string     `json:"commits"`
	TokensUsed int64        `json:"tokens_used"` // input and output, without cache
	ExitReason journal.Text `json:"exit_reason"` // the outcome; null while it runs
	TimedOut   bool         `json:"timed_out,omitempty"`
}

// LoopState returns the content of loop-state.json for the last run.
func (s *State) LoopState() LoopState {
	r := s.Last()
	if r == nil {
		r = &Run{Headless: true}
	}
	b := r.Start
	out := LoopState{
		WorktreeName: filepath.Base(b.Worktree), ChangeID: b.Change, Status: r.word(),
		CurrentIteration: r.At().N, MaxIterations: b.MaxIterations, StartedAt: at(r.StartedAt),
		Task: cmp.Or(b.Task, b.Plan.Task(cmp.Or(b.Change, b.Unit))), DoneCriteria: b.DoneCriteria, StallThreshold: b.StallThreshold,
		TimeoutMin: b.TimeoutSeconds / 60, TerminalPID: b.PID, PID: b.PID, Iterations: []LoopIteration{},
	}
	if out.ChangeID == "" {
		out.ChangeID = b.Unit
	}
	for _, it := range r.Iterations {
		if it.End == nil && it.Closed {
			continue // the usage limit refused its calls
		}
		row := loopIteration(it)
		out.TotalTokens += row.TokensUsed
		out.Iterations = append(out.Iterations, row)
	}
	return out
}

func loopIteration(it *Iteration) LoopIteration {
	row := LoopIteration{N: it.N, Started: at(it.StartedAt), Commits: []string{}}
	if b := it.End; b != nil {
		row.Ended, row.DoneCheck, row.Commits = at(it.EndedAt), b.Done, append(row.Commits, b.Commits...)
		row.TokensUsed, row.ExitReason = b.Tokens.Total(), journal.Text(b.Outcome)
		row.TimedOut = b.Outcome == journal.OutcomeTimeout
	}
	return row
}

// word is how far the run is, in the words of the worktree tools.
func (r *Run) word() string {
	switch {
	case r.End != nil:
		return LoopWord(r.End.Status, r.End.Reason)
	case r.Calls.Count > 0:
		return "running"
	}
	return "starting"
}

// LoopWord translates the end of a run into a status of loop-state.json: done, stopped,
// stalled or stuck.
func LoopWord(status journal.RunStatus, reason journal.Reason) string {
	switch {
	case status == journal.StatusCompleted:
		return "done"
	case status == journal.StatusStopped, reason == journal.ReasonCrashed:
		return "stopped"
	case reason == journal.ReasonNoProgress, reason == journal.ReasonParked:
		return "stalled"
	}
	return "stuck"
}

// JSON returns the text of the file.
func (s LoopState) JSON() ([]byte, error) { return indented(s) }
