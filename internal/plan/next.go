package plan

import "ralph/internal/run"

// Todo returns the items that are left for the agent.
func (s State) Todo() []run.Todo {
	var open []run.Todo
	for _, it := range s.Items {
		if !it.Done && !it.Question {
			open = append(open, run.Todo{ID: it.ID, Title: it.Title, Priority: it.Priority, DependsOn: it.DependsOn})
		}
	}
	return open
}

// Next returns the item to work on next, or nil if no item is left for the agent.
func (s State) Next(p *run.Position) *Item {
	if next := p.Pick(s.Todo()); next != nil {
		return s.Item(next.ID)
	}
	return nil
}
