package mcpserver

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/prd"
	"ralph/internal/regular"
	"ralph/internal/run"
)

type planIn struct {
	unitIn
	Spec bool `json:"spec,omitempty" jsonschema:"add the text of spec.md, of the task list, or of the proposal of a change"`
}

type planOut struct {
	recordOut
	Kind  string       `json:"kind" jsonschema:"prd, tasks, change or prompt"`
	Task  journal.Text `json:"task" jsonschema:"the text that the last run got in addition to the files, or in place of them"`
	Done  int          `json:"done"`
	Total int          `json:"total"`
	Items []item       `json:"items"`
	All   bool         `json:"all" jsonschema:"false where there are more items than are listed"`
	Spec  journal.Text `json:"spec" jsonschema:"at most 64 KB of it; null where it was not asked for or is not there"`
}

// item is a story or a task.
type item struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Done     bool     `json:"done"`
	Question bool     `json:"question" jsonschema:"it is for a person to answer"`
	Criteria []string `json:"criteria,omitempty"`
	Priority float64  `json:"priority,omitempty" jsonschema:"the lowest number comes first"`
	Notes    string   `json:"notes,omitempty"`
}

func (s *server) plan(ctx context.Context, in planIn) (planOut, error) {
	p, r, err := s.record(ctx, in.unitIn)
	if err != nil {
		return planOut{}, err
	}
	out := planOut{recordOut: where(p, r)}
	if r != nil && r.Archive != "" {
		state, err := r.Fold(s.Notes, run.KeepNone)
		if err != nil {
			return out, err
		}
		if last := state.Last(); last != nil && !last.Start.Plan.Feature() { // which the archive does not hold
			out.Kind, out.Task = string(last.Start.Plan), journal.Text(last.Start.Task)
			out.list(recorded(last))
			return out, nil
		}
	}
	chosen, task, err := p.Plan(s.Notes, r)
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
	items := make([]item, 0, len(state.Items))
	for _, it := range state.Items {
		items = append(items, item{ID: it.ID, Title: it.Title, Done: it.Done, Question: it.Question,
			Criteria: it.Criteria, Priority: it.Priority, Notes: it.Notes})
	}
	out.Kind, out.Task = string(chosen.About().Kind), journal.Text(task)
	out.list(items)
	out.Done, out.Total = state.Counts()
	if in.Spec {
		out.Spec, err = sourceText(chosen.About())
	}
	return out, err
}

// list counts the items, and lists as many as an answer may have.
func (out *planOut) list(items []item) {
	for _, it := range items {
		if it.Done {
			out.Done++
		}
	}
	out.Total = len(items)
	out.Items, out.All = items[:min(out.Total, maxRows)], out.Total <= maxRows
}

// recorded returns the items of a run's plan by its record. One that was added during the run is
// known by its id only.
func recorded(r *run.Run) []item {
	items := make([]item, 0, len(r.Plan.Items))
	for _, it := range r.Plan.Items {
		items = append(items, item{ID: it.ID, Title: it.Title, Done: it.Done})
	}
	for _, it := range r.Iterations {
		if it.End == nil {
			continue
		}
		for _, id := range it.End.StoriesPassed {
			if r.Plan.Item(id) == nil {
				items = append(items, item{ID: id, Title: id, Done: true})
			}
		}
	}
	return items
}

// sourceText returns the start of the text that the plan is made from.
func sourceText(about plan.About) (journal.Text, error) {
	for _, f := range about.Files {
		if !f.Source {
			continue
		}
		data, err := regular.Read(filepath.Join(about.Root, f.Path), prd.MaxSize)
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		return journal.Text(firstBytes(string(data), maxText)), err
	}
	return "", nil
}
