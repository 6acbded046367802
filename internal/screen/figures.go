package screen

import (
	"time"

	"ralph/internal/journal"
	"ralph/internal/run"
)

// times splits the time of a run: waited for limits, the user or an answer, asleep with
// the machine, and worked in the rest.
func times(r *run.Run, took, asked time.Duration) (worked, waited, asleep time.Duration) {
	waited = asked + time.Duration((r.Spent.Wait+r.Spent.CutOff)*float64(time.Second))
	asleep = time.Duration(r.Spent.Asleep * float64(time.Second))
	return max(0, took-waited-asleep), waited, asleep
}

// worthALine are the items that are worth a line when there is room for few: those of this
// run and the next open ones, in the plan's order. left is how many more there are.
func worthALine(items []run.Item, room int) (list []journal.Story, left int) {
	for _, it := range items {
		if len(items) <= room || (!it.Done || it.Iteration > 0) && len(list) < room-1 {
			list = append(list, it.Story)
		}
	}
	return list, len(items) - len(list)
}
