package run

import (
	"maps"
	"slices"
	"testing"

	"ralph/internal/journal"
)

// TestGate: what a new run has to know of the marks and checks of earlier ones.
func TestGate(t *testing.T) {
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
		{name: "a mark that is gone", accepted: []string{"B"}, bodies: []journal.Body{started, journal.ClaimAccepted{Stories: []string{"B"}},
			journal.PlanChanged{Stories: []journal.Story{{ID: "A"}, {ID: "B", Done: true}}, Reopened: []string{"A"}}}},
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
			g := &Fold(events).Claims
			if got := slices.Sorted(maps.Keys(g.Accepted)); !slices.Equal(got, c.accepted) {
				t.Errorf("accepted %v, want %v", got, c.accepted)
			}
			if got := slices.Sorted(maps.Keys(g.Red)); !slices.Equal(got, c.red) {
				t.Errorf("red %v, want %v", got, c.red)
			}
			if g.CutOff() != c.cutOff {
				t.Errorf("cut off %v", g.CutOff())
			}
		})
	}
}

// TestBaseOnRecord: what claims are compared with, by new journals and by old ones.
func TestBaseOnRecord(t *testing.T) {
	base := func(commit string) Base { return Base{Commit: commit, Work: "w" + commit} }
	moved := func(commit string) journal.BaseMoved { return journal.BaseMoved{Commit: commit, Work: "w" + commit} }
	accepted := journal.ClaimAccepted{Stories: []string{"A"}, Commit: "2", Work: "w2"}
	saw := func(commit string) journal.RunEnded { return journal.RunEnded{Head: commit, Work: "w" + commit} }
	called := journal.AttemptStarted{}
	old := func(head, work string) journal.Body { return journal.IterationEnded{Head: head, Work: work} }
	for _, c := range []struct {
		name   string
		bodies []journal.Body
		base   Base
		seen   Base
	}{
		{"nothing", nil, Base{}, Base{}},
		{"first sight", []journal.Body{moved("1")}, base("1"), Base{}},
		{"an acceptance", []journal.Body{moved("1"), called, accepted, saw("2")}, base("2"), base("2")},
		{"work that is not accepted", []journal.Body{moved("1"), called, saw("3")}, base("1"), base("3")},
		{"a crash", []journal.Body{moved("1"), saw("1"), called, journal.RunEnded{Reason: journal.ReasonCrashed}}, base("1"), Base{}},
		{"an old journal", []journal.Body{journal.RunStarted{Head: "1", Work: "w1"}, called, old("2", "w1"), old("3", "w3"), old("4", "w3"), journal.RunEnded{}},
			Base{Commit: "3", Work: "w3"}, Base{Commit: "3"}},
		{"an old journal that was cut off", []journal.Body{journal.RunStarted{Head: "1", Work: "w1"}, called, journal.AgentStarted{}}, base("1"), Base{}},
	} {
		var events []journal.Event
		for _, b := range c.bodies {
			events = append(events, journal.Event{Run: "r", Body: b})
		}
		if g := &Fold(events).Claims; g.Base != c.base || g.Seen() != c.seen {
			t.Errorf("%s: base %v, seen %v", c.name, g.Base, g.Seen())
		}
	}
}

// TestWeakenedOnRecord: a new run knows of weakened evidence until that is undone
// or accepted.
func TestWeakenedOnRecord(t *testing.T) {
	found := journal.TamperFound{N: 1, Base: "aaa", Findings: []journal.TamperFinding{{Rule: "test-removed"}}}
	accepted, undone := found, journal.TamperFound{N: 2, Base: "aaa", Accepted: true}
	accepted.Accepted = true
	for name, c := range map[string]struct {
		bodies []journal.Body
		want   bool
	}{
		"nothing":         {nil, false},
		"not accepted":    {[]journal.Body{found, journal.IterationEnded{N: 1}, journal.RunEnded{}, journal.RunStarted{}}, true},
		"undone":          {[]journal.Body{found, undone}, false},
		"accepted":        {[]journal.Body{accepted}, false},
		"found and again": {[]journal.Body{found, undone, found}, true},
	} {
		var events []journal.Event
		for _, b := range c.bodies {
			events = append(events, journal.Event{Run: "r", Body: b})
		}
		if got := Fold(events).Claims.Weakened; got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}

// TestEarlierTestsOutlastAMovedBase verifies that the tests of the last acceptance are known until
// the next one.
func TestEarlierTestsOutlastAMovedBase(t *testing.T) {
	events := []journal.Event{
		{Body: journal.ClaimAccepted{Tests: "a"}}, {Body: journal.BaseMoved{Commit: "b"}},
	}
	if got := Fold(events).Claims.Tests; got != "a" {
		t.Errorf("%q", got)
	}
	events = append(events, journal.Event{Body: journal.ClaimAccepted{}})
	if got := Fold(events).Claims.Tests; got != "" {
		t.Errorf("%q after an acceptance without", got)
	}
}
