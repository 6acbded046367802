package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ralph/internal/journal"
	"ralph/internal/logs"
	"ralph/internal/preflight"
	"ralph/internal/run"
	"ralph/internal/unit"
	"ralph/internal/words"
)

// addReading adds the tools that change nothing.
func (s *server) addReading() {
	addTool(s.Server, reads("list_loops", "All loops of this user on this machine, running ones first."), s.loops)
	addTool(s.Server, reads("get_status", "How far the last run of a unit is: iteration, stories, calls, tokens, cost, and whether its loop is alive."), s.status)
	addTool(s.Server, reads("get_history", "The iterations of a unit, the oldest first: outcome, commits, stories that passed, tokens, cost, error."), s.history)
	addTool(s.Server, reads("get_log", "What the agent did in an iteration of the last run, as readable text: the end of its log."), s.log)
	addTool(s.Server, reads("get_plan", "The plan of a unit: its stories or tasks, which of them are done, and on demand their text: spec.md, the task list, or the proposal of a change."), s.plan)
	addTool(s.Server, reads("validate", "Check everything that must hold before a run of a unit. It starts nothing."), s.validate)
}

// reads describes a tool that changes nothing.
func reads(name, description string) *mcp.Tool {
	closed := false
	return &mcp.Tool{Name: name, Description: description,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed}}
}

type loopsIn struct {
	Active bool `json:"active,omitempty" jsonschema:"leave out what has ended"`
	Last   *int `json:"last,omitempty" jsonschema:"at most so many, default 100, at most 500"`
}

type loopsOut struct {
	Loops []unit.Loop `json:"loops"`
	All   bool        `json:"all" jsonschema:"false where there are more loops than are listed"`
}

func (s *server) loops(_ context.Context, in loopsIn) (loopsOut, error) {
	most, err := rowsWanted(in.Last, 100)
	if err != nil {
		return loopsOut{}, err
	}
	list, err := unit.Loops(s.Home, s.Notes)
	if err != nil {
		return loopsOut{}, err
	}
	if in.Active {
		list = slices.DeleteFunc(list, func(l unit.Loop) bool { return !l.Alive })
	}
	n := min(len(list), most)
	return loopsOut{Loops: list[:n], All: n == len(list)}, nil
}

// recordOut names the unit that an answer is about, and where its record is.
type recordOut struct {
	unitOut
	Archive journal.Text `json:"archive" jsonschema:"the name of the archive, null where the unit is not archived"`
}

func where(p *unit.Place, r *unit.Record) recordOut {
	out := recordOut{unitOut: unitOut{p.Unit, p.Repo.Root}}
	if r != nil {
		out.Archive = journal.Text(r.Archive)
	}
	return out
}

type statusOut struct {
	recordOut
	Status liveStatus `json:"status" jsonschema:"status.json and alive; before the first run status is null, and only the plan is known"`
}

// lastRun is a status under a name that does not hide its own key "status" from the schema.
type lastRun = run.Status

// liveStatus is what "ralph status --json" prints.
type liveStatus struct {
	lastRun
	Alive  bool      `json:"alive" jsonschema:"the loop's process is at work"`
	Recent []run.Row `json:"recent,omitempty" jsonschema:"of a change: its last iterations"`
}

func (s *server) status(ctx context.Context, in unitIn) (statusOut, error) {
	p, now, err := s.current(ctx, in)
	if err != nil {
		return statusOut{}, err
	}
	out := statusOut{where(p, now.Record), liveStatus{lastRun: now.Status, Alive: now.Alive}}
	if now.Status.Change != "" {
		out.Status.Recent = now.Status.Recent
	}
	return out, nil
}

type historyIn struct {
	unitIn
	Last *int `json:"last,omitempty" jsonschema:"only the last so many iterations, default 50, at most 500"`
}

type historyOut struct {
	recordOut
	Iterations []run.Row `json:"iterations"`
	All        bool      `json:"all" jsonschema:"false where earlier iterations were left out"`
}

func (s *server) history(ctx context.Context, in historyIn) (historyOut, error) {
	most, err := rowsWanted(in.Last, 50)
	if err != nil {
		return historyOut{}, err
	}
	p, err := s.find(ctx, in.unitIn)
	if err != nil {
		return historyOut{}, err
	}
	past, err := p.Past(s.Notes)
	if err != nil {
		return historyOut{}, err
	}
	rows := past.State.History(past.Dead)
	n := min(len(rows), most)
	return historyOut{where(p, past.Record), rows[len(rows)-n:], n == len(rows)}, nil
}

type logIn struct {
	unitIn
	Iteration int  `json:"iteration,omitempty" jsonschema:"the iteration of the last run; default: its last one"`
	Lines     *int `json:"lines,omitempty" jsonschema:"only the last so many lines, default 200; an answer never has more than 64 KB"`
}

type logOut struct {
	recordOut
	Iteration int    `json:"iteration" jsonschema:"0 where the run has not called an agent"`
	Harness   string `json:"harness"`
	Log       string `json:"log"`
	All       bool   `json:"all" jsonschema:"false where the beginning of the log was left out"`
}

func (s *server) log(ctx context.Context, in logIn) (logOut, error) {
	lines := 200
	if in.Lines != nil {
		lines = *in.Lines
	}
	switch {
	case in.Iteration < 0:
		return logOut{}, errors.New("the argument iteration is less than 1")
	case lines < 0:
		return logOut{}, errors.New("the argument lines is less than 0")
	}
	p, r, err := s.record(ctx, in.unitIn)
	if err != nil {
		return logOut{}, err
	}
	if r == nil {
		return logOut{}, fmt.Errorf("there is no run of %s yet, and no log", p.Unit)
	}
	out := logOut{recordOut: where(p, r), All: true}
	at, err := p.Attempt(s.Notes, r, in.Iteration)
	if at == nil || err != nil {
		return out, err
	}
	out.Iteration, out.Harness = at.N, at.Harness
	text, all, err := logs.End(r.Log(at.LogFile), s.Formats(p.Repo.Root)(at.Harness))
	if err != nil {
		return out, fmt.Errorf("the log of iteration %d cannot be read: %w", at.N, err)
	}
	out.Log = lastBytes(words.LastLines(text, lines), maxText)
	out.All = all && len(out.Log) >= len(text)
	return out, nil
}

type validateOut struct {
	preflight.Report
	Worktree string `json:"worktree"`
	All      bool   `json:"all" jsonschema:"false where more was found than is listed"`
}

func (s *server) validate(ctx context.Context, in unitIn) (validateOut, error) {
	p, change, err := s.checkedOut(ctx, in)
	if err != nil {
		return validateOut{}, err
	}
	report, err := s.Validate(ctx, p, Task{Change: change})
	out := validateOut{Report: report, Worktree: p.Repo.Root, All: true}
	if n := len(out.Checks); n > maxRows {
		out.Checks, out.All = out.Checks[:maxRows], false
	}
	for i, c := range out.Checks {
		if len(c.Details) > maxRows {
			out.Checks[i].Details, out.All = c.Details[:maxRows], false
		}
	}
	return out, err
}
