package journal

import (
	"time"

	"ralph/internal/stream"
)

// Iteration is one row of a unit's history, and as JSON of `history --json`.
type Iteration struct {
	N             int           `json:"n"` // from 1 in each run
	Run           string        `json:"run"`
	StartedAt     Time          `json:"startedAt"`
	EndedAt       Time          `json:"endedAt"` // null where the run crashed
	Outcome       Outcome       `json:"outcome"`
	Reason        Reason        `json:"reason"` // of the run's end, on its last row
	ExitCode      int           `json:"exitCode"`
	Commits       []string      `json:"commits"`       // full hashes
	StoriesPassed []string      `json:"storiesPassed"` // newly, and accepted
	Tokens        stream.Tokens `json:"tokens"`
	CostUSD       *float64      `json:"costUsd"`
	Error         Text          `json:"error"`
	LogFile       Text          `json:"logFile"` // from the worktree's root, where it lies now
}

// Run is one run of a unit's history.
type Run struct {
	ID         string
	Start      RunStarted
	StartedAt  time.Time
	EndedAt    time.Time // zero while it is not known to have ended
	End        *RunEnded // nil while it has not recorded its own end
	Crashed    bool      // its process died before it could end it
	Iterations []Iteration
	Calls      int           // of the agent, those that were no iteration included
	Tokens     stream.Tokens // of all calls, each counted once
	Estimated  bool          // part of Tokens is an estimate
	CostUSD    *float64      // nil where no call told its cost
}

// History is the fold of a journal into its runs and their iterations. The
// zero value is empty.
type History struct {
	runs []Run
	open *openIteration // of the last run
}

// openIteration is an iteration that has begun and not ended.
type openIteration struct {
	row     Iteration
	attempt Outcome // the outcome of its last attempt; empty while it is under way
	called  bool
}

// Apply takes up the next event.
func (h *History) Apply(e Event) {
	if b, ok := e.Body.(RunStarted); ok {
		h.startRun(e, b)
		return
	}
	if len(h.runs) == 0 {
		return // the beginning of the journal is damaged
	}
	run := &h.runs[len(h.runs)-1]
	switch b := e.Body.(type) {
	case IterationStarted:
		h.open = &openIteration{row: Iteration{
			N: b.N, Run: run.ID, StartedAt: Time{e.Time}, Commits: []string{}, StoriesPassed: []string{},
		}}
	case AttemptStarted:
		run.Calls++
		if h.open != nil {
			h.open.called, h.open.attempt, h.open.row.LogFile = true, "", Text(b.LogFile)
		}
	case AttemptEnded:
		run.Tokens = run.Tokens.Add(b.Tokens)
		run.Estimated = run.Estimated || b.TokensEstimated
		run.CostUSD = addCost(run.CostUSD, b.CostUSD)
		if h.open != nil {
			h.open.attempt = b.Outcome
		}
	case IterationEnded:
		h.endIteration(run, e, b)
	case RunEnded:
		run.End, run.EndedAt = &b, e.Time
		if b.Reason == ReasonCrashed {
			run.Crashed = true
			h.crash(run)
		}
		h.open = nil
	}
}

func (h *History) startRun(e Event, b RunStarted) {
	if n := len(h.runs); n > 0 {
		last := &h.runs[n-1]
		if last.End == nil {
			last.Crashed = true
			h.crash(last)
		}
		for i, row := range last.Iterations {
			last.Iterations[i].LogFile = Text(OldLog(string(row.LogFile), last.ID))
		}
	}
	h.open = nil
	h.runs = append(h.runs, Run{ID: e.Run, Start: b, StartedAt: e.Time})
}

func (h *History) endIteration(run *Run, e Event, b IterationEnded) {
	row := Iteration{N: b.N, Run: run.ID}
	if h.open != nil && h.open.row.N == b.N {
		row = h.open.row
	}
	h.open = nil
	row.EndedAt, row.Outcome, row.ExitCode, row.Error = Time{e.Time}, b.Outcome, b.ExitCode, Text(b.Error)
	row.Commits, row.StoriesPassed = orEmpty(b.Commits), orEmpty(b.StoriesPassed)
	row.Tokens, row.CostUSD = b.Tokens, b.CostUSD
	if b.LogFile != "" {
		row.LogFile = Text(b.LogFile)
	}
	run.Iterations = append(run.Iterations, row)
}

// crash turns the iteration that was under way into a row. One that the usage
// limit had refused, or that had not called its agent yet, is none.
func (h *History) crash(run *Run) {
	o := h.open
	if o == nil || !o.called || o.attempt.NoIteration() {
		return
	}
	o.row.Outcome = OutcomeCrash
	run.Iterations = append(run.Iterations, o.row)
	h.open = nil
}

// Runs returns the runs, the oldest first; they are good until the next event
// is applied. dead says that the process of the last one is gone: if that run
// has not ended, it has crashed.
func (h *History) Runs(dead bool) []Run {
	runs := append([]Run(nil), h.runs...)
	if n := len(runs); n > 0 && dead && runs[n-1].End == nil {
		last := &runs[n-1]
		last.Crashed = true
		last.Iterations = append([]Iteration(nil), last.Iterations...)
		still := History{open: h.open}
		if h.open != nil {
			open := *h.open
			still.open = &open
		}
		still.crash(last)
	}
	return runs
}

// Iterations returns the rows of all runs, the oldest first, and an empty
// list where there are none. An iteration that has not ended is no row yet.
func (h *History) Iterations(dead bool) []Iteration {
	rows := []Iteration{}
	for _, run := range h.Runs(dead) {
		rows = append(rows, run.Iterations...)
		if n := len(rows); len(run.Iterations) > 0 {
			rows[n-1].Reason = run.reason()
		}
	}
	return rows
}

// reason is why the run ended; empty while it has not.
func (r Run) reason() Reason {
	switch {
	case r.End != nil:
		return r.End.Reason
	case r.Crashed:
		return ReasonCrashed
	}
	return ""
}
