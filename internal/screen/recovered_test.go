package screen

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/terminal"
	"ralph/internal/unit"
)

// TestShowRecovered: a death is shown with what is known of it.
func TestShowRecovered(t *testing.T) {
	died := &run.End{Message: "ralph itself died at about 14:02"}
	var out bytes.Buffer
	to := &terminal.Terminal{Out: &out, Err: &out}
	ShowRecovered(to, unit.Recovered{Others: []unit.Death{{Unit: "y", End: died}}, Own: died,
		Restored: []journal.PlanRestored{{Path: "prd.json", What: "deleted"}, {Path: "spec.md", What: "edited", Kept: "/k"}}})
	ShowDeath(to, &unit.Death{Unit: "x", End: died})
	ShowDeath(to, &unit.Death{Unit: "x", Holder: "y"})
	want := `⚠ the last run of y was cut off: ralph itself died at about 14:02; what it left is on record
⚠ the last run was cut off: ralph itself died at about 14:02; what it left is on record
⚠ restored spec.md: edited; the replaced content is kept in /k
⚠ restored prd.json: deleted
the last run of x was cut off: ralph itself died at about 14:02; its remaining processes are ended, and the journal records it
the last run of x was cut off; its remaining processes are ended, and the journal records it when the loop of y has ended
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}
