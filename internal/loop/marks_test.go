package loop

import (
	"slices"
	"testing"

	"ralph/internal/plan"
	"ralph/internal/run"
)

// TestMarks: which marks count, which are judged after an iteration, and which are gone.
func TestMarks(t *testing.T) {
	claims := &run.Claims{Accepted: map[string]bool{"A": true, "B": true}, TakenOver: map[string]bool{"T": true},
		Allowed: map[string]string{"C": "", "D": ""}, Refused: map[string]bool{"C": true, "D": false}}
	state := func(done ...string) plan.State {
		var s plan.State
		for _, id := range []string{"A", "B", "C", "D", "T"} {
			s.Items = append(s.Items, plan.Item{ID: id, Done: slices.Contains(done, id)})
		}
		return s
	}
	m := marks{plan: &plan.PRD{}, claims: claims, state: state("A", "D", "T"), waiting: []string{"T"}}
	for what, c := range map[string]struct{ got, want []string }{
		"count":               {m.counted().Done(), []string{"A"}},
		"count with D":        {m.with([]string{"D"}).Done(), []string{"A", "D"}},
		"not judged":          {m.unjudged(), []string{"D", "T"}},
		"taken over":          {m.takenOver(), []string{"T"}},
		"gone":                {m.gone(), []string{"B"}},
		"made since":          {m.since(state("A", "T")), []string{"D"}},
		"made again since":    {m.since(state("T")), []string{"A", "D"}},
		"allowed and refused": {m.allowed(), []string{"C"}},
		"claim taken over":    {m.claim(1, []string{"D", "T"}).TakenOver, []string{"T"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %v, want %v", what, c.got, c.want)
		}
	}
	if m.onlyTakenOver() {
		t.Error("B and C are open")
	}
	if m.state = state("A", "B", "C", "D", "T"); !m.onlyTakenOver() {
		t.Error("only T is left")
	}
}
