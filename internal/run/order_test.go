package run

import "testing"

func TestPick(t *testing.T) {
	for _, c := range []struct {
		name string
		open []Todo
		want string
	}{
		{"nothing is open", nil, ""},
		{"the lowest number", []Todo{{ID: "A", Priority: 2}, {ID: "B", Priority: -1}}, "B"},
		{"then the order of the plan", []Todo{{ID: "A", Priority: 3}, {ID: "B", Priority: 3}}, "A"},
		{"dependencies come first", []Todo{{ID: "A", Priority: 0.5, DependsOn: []string{"B"}}, {ID: "B", Priority: 2}, {ID: "C", Priority: 3}}, "B"},
		{"what is not open is done", []Todo{{ID: "A", Priority: 0.5, DependsOn: []string{"B"}}, {ID: "C", Priority: 3}}, "A"},
		{"a circle must not stop the run for ever", []Todo{{ID: "A", Priority: 1, DependsOn: []string{"B"}}, {ID: "B", Priority: 2, DependsOn: []string{"A"}}}, "A"},
	} {
		got := ""
		if next := (&Position{}).Pick(c.open); next != nil {
			got = next.ID
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
