package prd_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/prd"
)

func TestDiff(t *testing.T) {
	tests := map[string]struct {
		change func(p *prd.PRD)
		want   prd.Difference
	}{
		"nothing": {func(*prd.PRD) {}, prd.Difference{}},
		"passes":  {func(p *prd.PRD) { p.Stories[1].Passes = true }, prd.Difference{Passed: []string{"STORY-002"}}},
		"undone":  {func(p *prd.PRD) { p.Stories[0].Passes = false }, prd.Difference{Unpassed: []string{"STORY-001"}}},
		"notes":   {func(p *prd.PRD) { p.Stories[0].Notes = "x" }, prd.Difference{Notes: []string{"STORY-001"}}},
		"renamed": {func(p *prd.PRD) { p.Stories[0].ID = "STORY-009" }, prd.Difference{Added: []string{"STORY-009"}, Removed: []string{"STORY-001"}}},
		"added":   {func(p *prd.PRD) { p.Stories = append(p.Stories, prd.Story{ID: "X"}) }, prd.Difference{Added: []string{"X"}}},
		"removed": {func(p *prd.PRD) { p.Stories = p.Stories[1:] }, prd.Difference{Removed: []string{"STORY-001"}}},
		"swapped": {func(p *prd.PRD) { p.Stories[0], p.Stories[1] = p.Stories[1], p.Stories[0] }, prd.Difference{Other: []string{"userStories"}}},
		"root":    {func(p *prd.PRD) { p.Description, p.CreatedAt = "x", "2026-02-01" }, prd.Difference{Other: []string{"description", "createdAt"}}},
		"fields": {
			func(p *prd.PRD) {
				s := &p.Stories[1]
				s.Title, s.Description, s.AcceptanceCriteria, s.Priority = "x", "x", []string{"x"}, 9
			},
			prd.Difference{Changed: []prd.KeyChange{
				{ID: "STORY-002", Field: "title"}, {ID: "STORY-002", Field: "description"},
				{ID: "STORY-002", Field: "acceptanceCriteria"}, {ID: "STORY-002", Field: "priority"},
			}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := mustParse(t, valid)
			tt.change(p)
			got := prd.Diff(mustParse(t, valid), p)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDiffSeesUnknownKeysButNotTheirFormatting(t *testing.T) {
	old := mustParse(t, document(`"title"`, `"x": {"a":1}, "gone": 1, "title"`))
	new := mustParse(t, document(`"title"`, `"y": 2, "x": { "a": 1 }, "title"`))
	want := prd.Difference{Changed: []prd.KeyChange{{ID: "S-1", Field: "gone"}, {ID: "S-1", Field: "y"}}}
	if diff := cmp.Diff(want, prd.Diff(old, new)); diff != "" {
		t.Error(diff)
	}
	old = mustParse(t, document(`"description"`, `"x": 1, "description"`))
	new = mustParse(t, document(`"description"`, `"x": 2, "description"`))
	if diff := cmp.Diff(prd.Difference{Other: []string{"x"}}, prd.Diff(old, new)); diff != "" {
		t.Error(diff)
	}
}

func TestDiffOfNothing(t *testing.T) {
	p := mustParse(t, valid)
	got := prd.Diff(&prd.PRD{}, p)
	if !cmp.Equal(got.Added, []string{"STORY-001", "STORY-002"}) || got.Empty() {
		t.Errorf("Diff of an empty plan = %+v", got)
	}
	if !prd.Diff(&prd.PRD{}, &prd.PRD{}).Empty() {
		t.Error("nothing differs from nothing")
	}
}

func TestRestoreKeepsOnlyWhatTheAgentMayChange(t *testing.T) {
	snapshot, agent := mustParse(t, valid), mustParse(t, valid)
	agent.Description = "hijacked"
	agent.Stories[1].Passes, agent.Stories[1].Notes = true, "done"
	agent.Stories[1].AcceptanceCriteria = []string{"nothing"}
	agent.Stories = append(agent.Stories[1:], prd.Story{ID: "STORY-003", Passes: true})

	got := prd.Diff(snapshot, prd.Restore(snapshot, agent))
	want := prd.Difference{Passed: []string{"STORY-002"}, Notes: []string{"STORY-002"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if string(snapshot.Bytes()) != valid {
		t.Error("Restore changed the snapshot")
	}
}
