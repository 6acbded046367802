package loop

import (
	"maps"
	"slices"
	"testing"

	"ralph/internal/evidence"
	"ralph/internal/journal"
)

// TestFold reads what a new run has to know out of the events of earlier ones.
func TestFold(t *testing.T) {
	started := journal.RunStarted{Stories: []journal.Story{{ID: "A", Done: true}, {ID: "B"}, {ID: "C"}}}
	for _, c := range []struct {
		name     string
		bodies   []journal.Body
		accepted []string
		cutOff   bool
		red      []string
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
			if got := p.gate.Red; !slices.Equal(got, c.red) {
				t.Errorf("red %v, want %v", got, c.red)
			}
			if p.cutOff != c.cutOff {
				t.Errorf("cut off %v", p.cutOff)
			}
		})
	}
}

// TestFoldOfTheGate: what claims are compared with, by new journals and by old ones.
func TestFoldOfTheGate(t *testing.T) {
	base := func(commit string) evidence.Base { return evidence.Base{Commit: commit, Work: "w" + commit} }
	moved := func(commit string) journal.BaseMoved { return journal.BaseMoved{Commit: commit, Work: "w" + commit} }
	accepted := journal.ClaimAccepted{Stories: []string{"A"}, Commit: "2", Work: "w2"}
	saw := func(commit string) journal.RunEnded { return journal.RunEnded{Head: commit, Work: "w" + commit} }
	called := journal.AttemptStarted{}
	old := func(head, work string) journal.Body { return journal.IterationEnded{Head: head, Work: work} }
	for _, c := range []struct {
		name   string
		bodies []journal.Body
		base   evidence.Base
		seen   evidence.Base
	}{
		{"nothing", nil, evidence.Base{}, evidence.Base{}},
		{"first sight", []journal.Body{moved("1")}, base("1"), evidence.Base{}},
		{"an acceptance", []journal.Body{moved("1"), called, accepted, saw("2")}, base("2"), base("2")},
		{"work that is not accepted", []journal.Body{moved("1"), called, saw("3")}, base("1"), base("3")},
		{"a crash", []journal.Body{moved("1"), saw("1"), called, journal.RunEnded{Reason: journal.ReasonCrashed}}, base("1"), evidence.Base{}},
		{"an old journal", []journal.Body{journal.RunStarted{Head: "1", Work: "w1"}, called, old("2", "w1"), old("3", "w3"), old("4", "w3"), journal.RunEnded{}},
			evidence.Base{Commit: "3", Work: "w3"}, evidence.Base{Commit: "3"}},
		{"an old journal that was cut off", []journal.Body{journal.RunStarted{Head: "1", Work: "w1"}, called, journal.AgentStarted{}}, base("1"), evidence.Base{}},
	} {
		var events []journal.Event
		for _, b := range c.bodies {
			events = append(events, journal.Event{Run: "r", Body: b})
		}
		if p := fold(events); p.gate.Base != c.base || p.gate.Seen != c.seen {
			t.Errorf("%s: base %v, seen %v", c.name, p.gate.Base, p.gate.Seen)
		}
	}
}
