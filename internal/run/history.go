package run

import (
	"ralph/internal/journal"
)

// Row holds one row of a unit's history, as `history --json` prints it.
type Row struct {
	N             int             `json:"n"` // from 1 in each run
	Run           string          `json:"run"`
	StartedAt     journal.Time    `json:"startedAt"`
	EndedAt       journal.Time    `json:"endedAt"` // null where the run crashed
	Outcome       journal.Outcome `json:"outcome"`
	Reason        journal.Reason  `json:"reason"` // of the run's end, on its last row
	ExitCode      int             `json:"exitCode"`
	Commits       []string        `json:"commits"`       // full hashes
	StoriesPassed []string        `json:"storiesPassed"` // newly, and accepted
	Tokens        journal.Tokens  `json:"tokens"`
	CostUSD       *float64        `json:"costUsd"`
	Error         journal.Text    `json:"error"`
	LogFile       journal.Text    `json:"logFile"` // from the worktree's root, where it is now

	Progress bool `json:"-"`
}

// Past returns the runs of the history, the oldest first. It leaves out a run if the journal
// does not have its start.
func (s *State) Past() []*Run {
	runs := s.Runs
	if len(runs) > 0 && runs[0].Headless {
		runs = runs[1:]
	}
	return runs
}

// Reason returns why the run ended; empty while it has not. dead says that the process
// of the last run is gone.
func (r *Run) Reason(dead bool) journal.Reason {
	switch {
	case r.End != nil:
		return r.End.Reason
	case r.Crashed || dead:
		return journal.ReasonCrashed
	}
	return ""
}

// History returns the rows of all runs, the oldest first; the list is never nil. An
// iteration that has not ended has no row yet. dead says that the process of the last run is
// gone: if that run has not ended, it has crashed.
func (s *State) History(dead bool) []Row {
	rows := []Row{}
	for _, r := range s.Past() {
		rows = append(rows, s.Rows(r, dead)...)
	}
	return rows
}

// Rows returns the rows of one run; dead is as for [State.History].
func (s *State) Rows(r *Run, dead bool) []Row {
	var rows []Row
	for _, it := range r.Iterations {
		if it.End != nil {
			rows = append(rows, rowOf(r.ID, it))
		}
	}
	last := r == s.Last()
	reason := r.Reason(dead && last)
	if it := r.At(); reason == journal.ReasonCrashed && it.CutOff() {
		row := rowOf(r.ID, it)
		row.Outcome = journal.OutcomeCrash
		rows = append(rows, row)
	}
	for i := range rows {
		if !last {
			rows[i].LogFile = journal.Text(journal.OldLog(string(rows[i].LogFile), r.ID))
		}
	}
	if n := len(rows); n > 0 {
		rows[n-1].Reason = reason
	}
	return rows
}

// CutOff reports whether ralph died during the iteration. An iteration does not count if it
// has no call, or if the usage limit refused its call.
func (it *Iteration) CutOff() bool {
	return it.N > 0 && it.End == nil && it.Call != nil && !it.Outcome.NoIteration()
}

func rowOf(run string, it *Iteration) Row {
	row := Row{N: it.N, Run: run, StartedAt: at(it.StartedAt), Commits: []string{}, StoriesPassed: []string{}}
	if it.Call != nil {
		row.LogFile = journal.Text(it.Call.LogFile)
	}
	b := it.End
	if b == nil {
		return row
	}
	row.EndedAt, row.Outcome, row.ExitCode, row.Error = at(it.EndedAt), b.Outcome, b.ExitCode, journal.Text(b.Error)
	row.Commits, row.StoriesPassed = append(row.Commits, b.Commits...), append(row.StoriesPassed, b.StoriesPassed...)
	row.Tokens, row.CostUSD, row.Progress = b.Tokens, b.CostUSD, b.Progress
	if b.LogFile != "" {
		row.LogFile = journal.Text(b.LogFile)
	}
	return row
}
