package loop

import (
	"maps"
	"slices"
	"testing"

	"ralph/internal/journal"
)

// TestFold reads what a new run has to know out of the events of earlier ones.
func TestFold(t *testing.T) {
	started := journal.RunStarted{Stories: []journal.Story{{ID: "A", Done: true}, {ID: "B"}, {ID: "C"}}}
	at := func(head string) journal.RunStarted { return journal.RunStarted{Head: head} }
	for _, c := range []struct {
		name     string
		bodies   []journal.Body
		accepted []string
		cutOff   bool
		red      []string
		open     bool
		base     string
	}{
		{name: "nothing"},
		{name: "a clean run", accepted: []string{"A", "B"}, bodies: []journal.Body{started, journal.IterationStarted{N: 1},
			journal.IterationEnded{N: 1, Outcome: "ok", StoriesPassed: []string{"B"}}, journal.RunEnded{}}},
		{name: "cut off in an iteration", accepted: []string{"A"}, cutOff: true, bodies: []journal.Body{started, journal.IterationStarted{N: 1}, journal.AgentStarted{N: 1}}},
		{name: "cut off, and again before anybody looked", accepted: []string{"A"}, cutOff: true, bodies: []journal.Body{started, journal.AgentStarted{N: 1}, started}},
		{name: "cut off, then looked at", accepted: []string{"A"}, bodies: []journal.Body{started, journal.AgentStarted{N: 1}, started, journal.ClaimRejected{N: 0}}},
		{name: "only refused by the provider", accepted: []string{"A"}, bodies: []journal.Body{started, journal.IterationStarted{N: 1}, journal.AgentStarted{N: 1},
			journal.AttemptEnded{N: 1, Outcome: "usage_limit"}}},
		{name: "recorded as crashed", accepted: []string{"A"}, cutOff: true, bodies: []journal.Body{started, journal.IterationStarted{N: 1},
			journal.IterationEnded{N: 1, Outcome: "crash"}, journal.RunEnded{Reason: "crashed"}}},
		{name: "went on after a crash", accepted: []string{"A", "C"}, bodies: []journal.Body{started, journal.IterationStarted{N: 1},
			started, journal.IterationStarted{N: 1}, journal.IterationEnded{N: 1, Outcome: "ok", StoriesPassed: []string{"C"}}}},
		{name: "a red check", accepted: []string{"A"}, red: []string{"unit"}, bodies: []journal.Body{started,
			journal.CheckEnded{Name: "unit", Phase: "baseline", Outcome: "failed"}, journal.CheckEnded{Name: "lint", Phase: "baseline", Outcome: "failed"},
			journal.CheckEnded{Name: "lint", Phase: "claim", Outcome: "passed"}, journal.CheckEnded{Name: "late", Phase: "claim", Outcome: "failed"}}},
		{name: "a red check on another commit", accepted: []string{"A"}, red: []string{"unit"}, bodies: []journal.Body{started,
			journal.CheckEnded{Name: "unit", Phase: "baseline", Outcome: "failed"},
			journal.CheckEnded{Name: "unit", Phase: "baseline", Outcome: "passed", Clean: true}, journal.CheckEnded{Name: "lint", Phase: "baseline", Outcome: "failed", Clean: true}}},
		{name: "two runs", base: "2", bodies: []journal.Body{at("1"), journal.AgentStarted{}, journal.IterationEnded{Outcome: "ok"}, at("2"), journal.RunEnded{}}},
		{name: "two runs that were cut off", base: "1", cutOff: true, bodies: []journal.Body{at("1"), journal.AgentStarted{}, at("2"), journal.AgentStarted{}, at("3")}},
		{name: "a run after one that was cut off", base: "3", bodies: []journal.Body{at("1"), journal.AgentStarted{}, at("2"), journal.PlanChanged{}, at("3")}},
		{name: "a run after one whose work was not accepted", base: "1", bodies: []journal.Body{at("1"), journal.ClaimRejected{N: 1, Claim: "story"},
			journal.IterationEnded{N: 1, Outcome: "ok"}, journal.RunEnded{}, at("2"), journal.RunEnded{}, at("3")}},
		{name: "a run after one that mended it", accepted: []string{}, base: "3", bodies: []journal.Body{at("1"), journal.ClaimRejected{N: 1, Claim: "story"}, journal.RunEnded{},
			at("2"), journal.IterationEnded{N: 1, Outcome: "ok", StoriesPassed: []string{"A"}}, journal.RunEnded{}, at("3")}},
		{name: "an open breaker", accepted: []string{"A"}, open: true, bodies: []journal.Body{started, journal.BreakerOpened{}}},
		{name: "a closed breaker", accepted: []string{"A"}, bodies: []journal.Body{started, journal.BreakerOpened{}, started, journal.BreakerReset{}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var events []journal.Event
			for _, b := range c.bodies {
				events = append(events, journal.Event{Run: "r", Body: b})
			}
			p := fold(events)
			if got := slices.Sorted(maps.Keys(p.accepted)); !slices.Equal(got, c.accepted) {
				t.Errorf("accepted %v, want %v", got, c.accepted)
			}
			if got := slices.Sorted(maps.Keys(p.red)); !slices.Equal(got, c.red) {
				t.Errorf("red %v, want %v", got, c.red)
			}
			if p.base != c.base {
				t.Errorf("the work began with %q, want %q", p.base, c.base)
			}
			if p.cutOff != c.cutOff || (p.opened != nil) != c.open {
				t.Errorf("cut off %v, breaker open %v", p.cutOff, p.opened != nil)
			}
		})
	}
}
