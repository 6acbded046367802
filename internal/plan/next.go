package plan

import "ralph/internal/run"

// Next returns the item to work on next, nil where none is left for the agent.
func (s State) Next(p *run.Position) *Item {
	var open []run.Todo
	for _, it := range s.Items {
		if !it.Done && !it.Question {
			open = append(open, run.Todo{ID: it.ID, Title: it.Title, Priority: it.Priority, DependsOn: it.DependsOn})
		}
	}
	if next := p.Pick(open); next != nil {
		return s.Item(next.ID)
	}
	return nil
}
