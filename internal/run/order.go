package run

import "slices"

// Todo is an open item of the plan.
type Todo struct {
	ID, Title string
	Priority  float64  // the lowest number comes first
	DependsOn []string // ids of the items that come first
}

// Pick returns the item to work on next, nil where none is left: dependencies come first, then
// the lowest priority, then the order of the plan. An item waits for those that it depends on,
// unless every open item waits for another one. Parked items, and those that depend on one,
// are left out.
func (p *Position) Pick(open []Todo) *Todo {
	is, held := make(map[string]bool, len(open)), p.Held(open)
	for i := range open {
		is[open[i].ID] = true
	}
	var next *Todo
	nextWaits := false
	for i := range open {
		t := &open[i]
		waits := slices.ContainsFunc(t.DependsOn, func(id string) bool { return is[id] })
		if held[t.ID] {
			continue
		}
		if next == nil || nextWaits && !waits || nextWaits == waits && t.Priority < next.Priority {
			next, nextWaits = t, waits
		}
	}
	return next
}
