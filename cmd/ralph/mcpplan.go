package main

import (
	"errors"
	"io/fs"
	"path/filepath"

	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/mcpserver"
	"ralph/internal/plan"
	"ralph/internal/prd"
	"ralph/internal/regular"
	"ralph/internal/screen"
)

type mcpPlanIn struct {
	mcpUnit
	Spec bool `json:"spec,omitempty" jsonschema:"add the text of spec.md, of the task list, or of the proposal of a change"`
}

type mcpPlanOut struct {
	mcpWhere
	Kind  string       `json:"kind" jsonschema:"prd, tasks, change or prompt"`
	Task  journal.Text `json:"task" jsonschema:"what the last run was told besides, or instead of, the files"`
	Done  int          `json:"done"`
	Total int          `json:"total"`
	Items []mcpItem    `json:"items"`
	All   bool         `json:"all" jsonschema:"false where there are more items than are listed"`
	Spec  journal.Text `json:"spec" jsonschema:"at most 64 KB of it; null where it was not asked for or is not there"`
}

// mcpItem is a story or a task.
type mcpItem struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Done     bool     `json:"done"`
	Question bool     `json:"question" jsonschema:"it is for a person to answer"`
	Criteria []string `json:"criteria,omitempty"`
	Priority float64  `json:"priority,omitempty" jsonschema:"the lowest number comes first"`
	Notes    string   `json:"notes,omitempty"`
}

func mcpPlan(a *app, in mcpPlanIn) (mcpPlanOut, error) {
	p, err := in.find(a)
	if err != nil {
		return mcpPlanOut{}, err
	}
	r, err := p.Record()
	if err != nil {
		return mcpPlanOut{}, err
	}
	out := mcpPlanOut{mcpWhere: where(p, r), Items: []mcpItem{}}
	if kept, err := archivedPlan(a.t, r, out); err != nil {
		return out, err
	} else if kept != nil {
		return *kept, nil
	}
	chosen, task, err := p.Plan(screen.Notes(a.t), r)
	if err != nil {
		return out, err
	}
	state, err := chosen.Read()
	if errors.Is(err, fs.ErrNotExist) {
		err = hint.With(err, "the unit has no plan yet")
	}
	if err != nil {
		return out, err
	}
	out.Kind, out.Task = string(chosen.Kind()), journal.Text(task)
	out.Done, out.Total = state.Counts()
	n := min(len(state.Items), mcpserver.MaxRows)
	out.All = n == len(state.Items)
	for _, it := range state.Items[:n] {
		out.Items = append(out.Items, mcpItem{ID: it.ID, Title: it.Title, Done: it.Done, Question: it.Question})
	}
	if feature, ok := chosen.(*plan.PRD); ok {
		err = addStories(out.Items, filepath.Join(feature.Root, feature.Folder, "prd.json"))
	}
	if err == nil && in.Spec {
		out.Spec, err = specText(chosen)
	}
	return out, err
}

// addStories completes the items with what only prd.json has.
func addStories(items []mcpItem, path string) error {
	loaded, _, err := prd.Load(path)
	if err != nil {
		return err
	}
	for i := range items {
		if s := loaded.Story(items[i].ID); s != nil {
			items[i].Criteria, items[i].Priority, items[i].Notes = s.AcceptanceCriteria, s.Priority, s.Notes
		}
	}
	return nil
}

// specText is the text that the plan is made from, cut where it is too long.
func specText(chosen plan.Plan) (journal.Text, error) {
	var path string
	switch b := chosen.(type) {
	case *plan.PRD:
		path = filepath.Join(b.Root, b.Folder, "spec.md")
	case *plan.Tasks:
		path = b.File
	case *plan.Change:
		path = filepath.Join(b.Root, filepath.FromSlash(b.Of.Folder), "proposal.md")
	default:
		return "", nil
	}
	data, err := regular.Read(path, prd.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return journal.Text(mcpserver.FirstBytes(string(data), mcpserver.MaxText)), err
}
