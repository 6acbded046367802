package run

import "slices"

// Todo describes an open item of the plan.
type Todo struct {
	ID, Title string
	Priority  float64  // the lowest number comes first
	DependsOn []string // ids of the items that come first
}

// Pick returns the item to work on next, or nil if no item is left. Dependencies come first,
// then the lowest priority, then the order of the plan. If every open item depends on another
// open one, Pick ignores the dependencies. It leaves out parked items and those that depend
// on them.
func (p *Position) Pick(open []Todo) *Todo {
	is, blocked := make(map[string]bool, len(open)), p.Blocked(open)
	for i := range open {
		is[open[i].ID] = true
	}
	var next *Todo
	nextWaits := false
	for i := range open {
		t := &open[i]
		waits := slices.ContainsFunc(t.DependsOn, func(id string) bool { return is[id] })
		if blocked[t.ID] {
			continue
		}
		if next == nil || nextWaits && !waits || nextWaits == waits && t.Priority < next.Priority {
			next, nextWaits = t, waits
		}
	}
	return next
}
