package run

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ralph/internal/journal"
)

// TestSources: a claim rests on the events of its own iteration, and on earlier ones only for
// checks that were not run again.
func TestSources(t *testing.T) {
	bodies := []journal.Body{
		journal.RunStarted{},
		journal.CheckEnded{Name: "lint"}, // 2
		journal.CheckEnded{Name: "unit"},
		journal.IterationStarted{N: 1},
		journal.AttemptEnded{N: 1, Outcome: journal.OutcomeTransient},
		journal.AttemptEnded{N: 1}, // 6
		journal.CheckEnded{N: 1, Name: "unit"},
		journal.CheckEnded{N: 1, Name: "unit"}, // 8
		journal.TamperFound{N: 1},
		journal.NoWork{N: 1}, // 10
		journal.WorkProved{N: 1},
		journal.ReviewEnded{N: 1}, // 12
		journal.Request{Kind: journal.RequestContext, Text: "B"},
		journal.Request{Kind: journal.RequestAllow, Text: "A"}, // 14
	}
	next := []journal.Body{
		journal.IterationStarted{N: 2},
		journal.AttemptEnded{N: 2}, // 16
		journal.CheckEnded{N: 2, Name: "lint"},
	}
	allowed := map[string]int{"A": 14}
	for name, c := range map[string]struct {
		bodies []journal.Body
		want   Sources
	}{
		"an iteration": {bodies, Sources{
			Call: 6, Checks: map[string][]int{"lint": {2}, "unit": {7, 8}}, Findings: 9, NoWork: 10,
			Proof: 11, Review: 12, Allowed: allowed,
		}},
		"the next one": {append(bodies, next...), Sources{
			Call: 16, Checks: map[string][]int{"lint": {17}, "unit": {7, 8}}, Allowed: allowed,
		}},
		"the next run": {append(bodies, journal.RunStarted{}), Sources{}},
	} {
		var events []journal.Event
		for _, b := range c.bodies {
			events = append(events, journal.Event{Run: "r", Body: b})
		}
		got := Fold(events).Last().Sources
		if diff := cmp.Diff(c.want, got, cmpopts.IgnoreUnexported(Sources{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
