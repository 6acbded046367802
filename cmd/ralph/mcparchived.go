package main

import (
	"ralph/internal/journal"
	"ralph/internal/mcpserver"
	"ralph/internal/plan"
)

// archivedPlan is the plan of an archived unit as its record has it, where the archive
// does not hold the plan itself: only a feature's files are put away with it. nil says
// that it does.
func archivedPlan(t *terminal, r *record, out mcpPlanOut) (*mcpPlanOut, error) {
	if r == nil || r.archive == "" {
		return nil, nil //nolint:nilnil // it is where the unit works
	}
	err := r.scan(t, func(e journal.Event) {
		switch b := e.Body.(type) {
		case journal.RunStarted:
			out.Kind, out.Task, out.Items = string(b.Plan), journal.Text(b.Task), itemsOf(b.Stories)
		case journal.PlanChanged:
			out.Items = itemsOf(b.Stories)
		case journal.IterationEnded:
			for _, id := range b.StoriesPassed {
				out.pass(id)
			}
		}
	})
	if err != nil || out.Kind == string(plan.KindPRD) {
		return nil, err
	}
	for _, it := range out.Items {
		if it.Done {
			out.Done++
		}
	}
	out.Total = len(out.Items)
	out.Items, out.All = out.Items[:min(out.Total, mcpserver.MaxRows)], out.Total <= mcpserver.MaxRows
	return &out, nil
}

func itemsOf(stories []journal.Story) []mcpItem {
	items := make([]mcpItem, 0, len(stories))
	for _, s := range stories {
		items = append(items, mcpItem{ID: s.ID, Title: s.Title, Done: s.Done})
	}
	return items
}

// pass marks an item as done. One that came up during the run is known by its id only.
func (out *mcpPlanOut) pass(id string) {
	for i := range out.Items {
		if out.Items[i].ID == id {
			out.Items[i].Done = true
			return
		}
	}
	out.Items = append(out.Items, mcpItem{ID: id, Title: id, Done: true})
}
