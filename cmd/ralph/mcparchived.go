package main

import (
	"ralph/internal/journal"
	"ralph/internal/mcpserver"
	"ralph/internal/run"
	"ralph/internal/screen"
	"ralph/internal/terminal"
	"ralph/internal/unit"
)

// archivedPlan is the plan of an archived unit as its record has it, where the archive
// does not hold the plan itself: only a feature's files are put away with it. nil says
// that it does.
func archivedPlan(t *terminal.Terminal, r *unit.Record, out mcpPlanOut) (*mcpPlanOut, error) {
	if r == nil || r.Archive == "" {
		return nil, nil //nolint:nilnil // it is where the unit works
	}
	s, err := r.Fold(screen.Notes(t), run.KeepNone)
	if err != nil {
		return nil, err
	}
	last := s.Last()
	if last == nil || last.Start.Plan == journal.PlanPRD {
		return nil, nil //nolint:nilnil // the archive holds it
	}
	out.Kind, out.Task, out.Items = string(last.Start.Plan), journal.Text(last.Start.Task), itemsOf(last)
	for _, it := range out.Items {
		if it.Done {
			out.Done++
		}
	}
	out.Total = len(out.Items)
	out.Items, out.All = out.Items[:min(out.Total, mcpserver.MaxRows)], out.Total <= mcpserver.MaxRows
	return &out, nil
}

// itemsOf are the items of a run's plan. One that came up during the run is known by its
// id only.
func itemsOf(r *run.Run) []mcpItem {
	items := make([]mcpItem, 0, len(r.Plan.Items))
	for _, it := range r.Plan.Items {
		items = append(items, mcpItem{ID: it.ID, Title: it.Title, Done: it.Done})
	}
	for _, it := range r.Iterations {
		if it.End == nil {
			continue
		}
		for _, id := range it.End.StoriesPassed {
			if r.Plan.Item(id) == nil {
				items = append(items, mcpItem{ID: id, Title: id, Done: true})
			}
		}
	}
	return items
}
