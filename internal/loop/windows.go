package loop

import (
	"ralph/internal/journal"
	"ralph/internal/stream"
)

// windows is the account's limits in the words of the journal.
func windows(limits []stream.Limit) []journal.LimitWindow {
	var list []journal.LimitWindow
	for _, l := range limits {
		w := journal.LimitWindow{Window: l.Window, ResetsAt: timePtr(l.ResetsAt), Rejected: l.Rejected}
		if l.Utilization >= 0 {
			w.Utilization = &l.Utilization
		}
		list = append(list, w)
	}
	return list
}
