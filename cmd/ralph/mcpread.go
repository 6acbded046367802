package main

import (
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ralph/internal/journal"
	"ralph/internal/mcpserver"
	"ralph/internal/preflight"
	"ralph/internal/run"
	"ralph/internal/screen"
	"ralph/internal/unit"
)

// addReading offers the tools that only look.
func (s *mcpServer) addReading() {
	addTool(s, reads("list_loops", "All loops of this user on this machine, those at work first."), mcpLoops)
	addTool(s, reads("get_status", "How far the last run of a unit is: iteration, stories, calls, tokens, cost, and whether its loop is alive."), mcpStatus)
	addTool(s, reads("get_history", "The iterations of a unit, the oldest first: outcome, commits, stories that passed, tokens, cost, error."), mcpHistory)
	addTool(s, reads("get_log", "What the agent did in an iteration of the last run, as readable text: the end of its log."), mcpLog)
	addTool(s, reads("get_plan", "The plan of a unit: its stories or tasks, which of them are done, and on demand the text behind them: spec.md, the task list, or the proposal of a change."), mcpPlan)
	addTool(s, reads("validate", "Check everything that must hold before a run of a unit. It starts nothing."), mcpValidate)
}

// reads describes a tool that changes nothing.
func reads(name, description string) *mcp.Tool {
	closed := false
	return &mcp.Tool{Name: name, Description: description,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed}}
}

type mcpLoopsIn struct {
	Active bool `json:"active,omitempty" jsonschema:"leave out what has ended"`
	Last   *int `json:"last,omitempty" jsonschema:"at most so many, default 100, at most 500"`
}

type mcpLoopsOut struct {
	Loops []unit.Loop `json:"loops"`
	All   bool        `json:"all" jsonschema:"false where there are more loops than are listed"`
}

func mcpLoops(a *app, in mcpLoopsIn) (mcpLoopsOut, error) {
	most, err := mcpserver.RowsWanted(in.Last, 100)
	if err != nil {
		return mcpLoopsOut{}, err
	}
	list, err := loops(a)
	if err != nil {
		return mcpLoopsOut{}, err
	}
	if in.Active {
		list = slices.DeleteFunc(list, func(l unit.Loop) bool { return !l.Alive })
	}
	n := min(len(list), most)
	return mcpLoopsOut{Loops: list[:n], All: n == len(list)}, nil
}

// mcpWhere says which unit an answer is about.
type mcpWhere struct {
	Unit     string       `json:"unit"`
	Worktree string       `json:"worktree"`
	Archive  journal.Text `json:"archive" jsonschema:"the name of the archive, null where the unit is not archived"`
}

func where(p *unit.Place, r *unit.Record) mcpWhere {
	w := mcpWhere{Unit: p.Unit, Worktree: p.Repo.Root}
	if r != nil {
		w.Archive = journal.Text(r.Archive)
	}
	return w
}

type mcpStatusOut struct {
	mcpWhere
	Status *mcpLive `json:"status" jsonschema:"status.json and alive; null where the unit never ran"`
}

// lastRun is a name under which a status can stand in another type without
// hiding its own key "status" from the schema.
type lastRun = run.Status

// mcpLive is what "ralph status --json" prints.
type mcpLive struct {
	lastRun
	Alive  bool      `json:"alive" jsonschema:"the loop's process is at work"`
	Recent []run.Row `json:"recent,omitempty" jsonschema:"of a change: its last iterations"`
}

func mcpStatus(a *app, in mcpUnit) (mcpStatusOut, error) {
	p, err := in.find(a)
	if err != nil {
		return mcpStatusOut{}, err
	}
	now, err := p.Standing(screen.Notes(a.t))
	if err != nil {
		return mcpStatusOut{}, err
	}
	out := mcpStatusOut{mcpWhere: where(p, now.Record)}
	if now.Record != nil {
		out.Status = &mcpLive{lastRun: now.Status, Alive: now.Alive}
		if now.Status.Change != "" {
			out.Status.Recent = now.Status.Recent
		}
	}
	return out, nil
}

type mcpHistoryIn struct {
	mcpUnit
	Last *int `json:"last,omitempty" jsonschema:"only the last so many iterations, default 50, at most 500"`
}

type mcpHistoryOut struct {
	mcpWhere
	Iterations []run.Row `json:"iterations"`
	All        bool      `json:"all" jsonschema:"false where earlier iterations were left out"`
}

func mcpHistory(a *app, in mcpHistoryIn) (mcpHistoryOut, error) {
	most, err := mcpserver.RowsWanted(in.Last, 50)
	if err != nil {
		return mcpHistoryOut{}, err
	}
	p, err := in.find(a)
	if err != nil {
		return mcpHistoryOut{}, err
	}
	past, err := p.Past(screen.Notes(a.t))
	if err != nil {
		return mcpHistoryOut{}, err
	}
	out := mcpHistoryOut{mcpWhere: where(p, past.Record)}
	out.Iterations, out.All = mcpserver.LastRows(past.State.History(past.Dead), most)
	return out, nil
}

type mcpValidateOut struct {
	preflight.Report
	Worktree string `json:"worktree"`
	All      bool   `json:"all" jsonschema:"false where more was found than is listed"`
}

func mcpValidate(a *app, in mcpUnit) (mcpValidateOut, error) {
	p, flags, err := in.checkedOut(a)
	if err != nil {
		return mcpValidateOut{}, err
	}
	report, err := validate(a, p, flags, "")
	out := mcpValidateOut{Report: report, Worktree: p.Repo.Root, All: true}
	if n := len(out.Checks); n > mcpserver.MaxRows {
		out.Checks, out.All = out.Checks[:mcpserver.MaxRows], false
	}
	for i, c := range out.Checks {
		if len(c.Details) > mcpserver.MaxRows {
			out.Checks[i].Details, out.All = c.Details[:mcpserver.MaxRows], false
		}
	}
	return out, forClient(err)
}
