package screen

import (
	"slices"

	"ralph/internal/journal"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/unit"
)

// ShowRecovered warns of runs that died, and of what was repaired after them.
func ShowRecovered(t *terminal.Terminal, done unit.Recovered) {
	for _, d := range done.Others {
		t.Warn("the last run of %s was cut off: %s; what it left is on record", stream.OneLine(d.Unit), d.End.Message)
	}
	if done.Own != nil {
		t.Warn("the last run was cut off: %s; what it left is on record", done.Own.Message)
	}
	for _, b := range slices.Backward(done.Restored) {
		t.Warn("%s", journal.Sentence(b))
	}
}

// ShowDeath prints that a run died, and that it is recorded.
func ShowDeath(t *terminal.Terminal, d *unit.Death) {
	name := stream.OneLine(d.Unit)
	if d.End == nil {
		t.Printf("the last run of %s was cut off; its remaining processes are ended, and the journal records it when the loop of %s has ended\n",
			name, stream.OneLine(d.Holder))
		return
	}
	t.Printf("the last run of %s was cut off: %s; its remaining processes are ended, and the journal records it\n",
		name, stream.OneLine(d.End.Message))
}
