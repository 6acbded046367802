package spec_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/prd"
	"ralph/internal/spec"
)

var now = time.Date(2026, 2, 1, 8, 0, 0, 0, time.UTC)

func generate(t *testing.T, text string, old *prd.PRD) *prd.PRD {
	t.Helper()
	s, _ := parse(t, text)
	p, _, err := spec.Generate(s, old, spec.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return reload(t, p)
}

// reload is p after it was written and read again.
func reload(t *testing.T, p *prd.PRD) *prd.PRD {
	t.Helper()
	again, _, err := prd.Parse("prd.json", p.Bytes())
	if err != nil {
		t.Fatalf("what was generated is not valid: %v", err)
	}
	return again
}

func TestGenerateFromNothing(t *testing.T) {
	const want = `{
  "description": "Visitors cannot sign in, so nobody sees their own data.",
  "createdAt": "2026-01-15T10:30:00Z",
  "userStories": [
    {
      "id": "STORY-001",
      "title": "Sign-in form",
      "description": "As a visitor, I want to sign in, so that I see my data.",
      "acceptanceCriteria": [
        "The form has a name and a password",
        "Typecheck passes",
        "Unit tests pass"
      ],
      "priority": 1,
      "passes": false,
      "notes": ""
    },
    {
      "id": "STORY-002",
      "title": "Sign out",
      "description": "As a user, I want to sign out, so that nobody else goes on.",
      "acceptanceCriteria": [
        "The button is there",
        "Unit tests pass"
      ],
      "priority": 7,
      "passes": false,
      "notes": ""
    }
  ]
}
`
	p := generate(t, valid, nil)
	if diff := cmp.Diff(want, string(p.Bytes())); diff != "" {
		t.Error(diff)
	}
	if again := generate(t, valid, p); string(again.Bytes()) != want {
		t.Error("a second run changed something:\n" + cmp.Diff(want, string(again.Bytes())))
	}
	s, _ := parse(t, valid)
	if ds := spec.Sync(s, p); len(ds) > 0 {
		t.Errorf("what was generated is not in sync: %v", ds)
	}
}

func TestGenerateKeepsWhatARunAchieved(t *testing.T) {
	text := string(generate(t, valid, nil).Bytes())
	text = strings.Replace(text, `"passes": false,`, "\"passes\": true,\n      \"estimate\": 3,", 1)
	text = strings.Replace(text, `"notes": ""`, `"notes": "used the store"`, 1)
	text = strings.Replace(text, `"createdAt"`, `"owner": "platform", "createdAt"`, 1)
	old, _, err := prd.Parse("prd.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	// Another title, other criteria, a new story in front.
	changed := strings.Replace(valid, "STORY-001: Sign-in form", "STORY-001: Form", 1)
	changed = strings.Replace(changed, "- [x] Typecheck passes\n", "", 1)
	changed = strings.Replace(changed, "### STORY-001", "### STORY-003: New\n\n**Acceptance Criteria:**\n- x\n\n### STORY-001", 1)
	s, _ := parse(t, changed)
	p, difference, err := spec.Generate(s, old, spec.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	want := prd.Difference{
		Added:   []string{"STORY-003"},
		Changed: []prd.KeyChange{{ID: "STORY-001", Field: "title"}, {ID: "STORY-001", Field: "acceptanceCriteria"}, {ID: "STORY-001", Field: "priority"}},
	}
	if diff := cmp.Diff(want, difference); diff != "" {
		t.Error(diff)
	}
	if one := p.Story("STORY-001"); !one.Passes || one.Notes != "used the store" || one.Priority != 2 {
		t.Errorf("story = %+v", one)
	}
	for _, kept := range []string{"  \"owner\": \"platform\",\n", "      \"estimate\": 3,\n"} {
		if !strings.Contains(string(p.Bytes()), kept) {
			t.Errorf("%q is gone", kept)
		}
	}
}

func TestGenerateRefusesToLoseFinishedWork(t *testing.T) {
	old := generate(t, valid, nil)
	old.Stories[0].Passes = true
	s, _ := parse(t, withStory(good))

	_, _, err := spec.Generate(s, old, spec.Options{})
	orphans := (*spec.OrphanError)(nil)
	if !errors.As(err, &orphans) || !cmp.Equal(orphans.IDs, []string{"STORY-001"}) {
		t.Fatalf("error = %v, want an *OrphanError about STORY-001", err)
	}
	p, difference, err := spec.Generate(s, old, spec.Options{ConfirmOrphanRemoval: true})
	if err != nil || len(p.Stories) != 1 || !cmp.Equal(difference.Removed, []string{"STORY-001", "STORY-002"}) {
		t.Errorf("confirmed: %v, removed %q", err, difference.Removed)
	}
}

func TestGenerateWithoutATimeInTheSpec(t *testing.T) {
	p := generate(t, "# T\n"+good, nil)
	if p.CreatedAt != "2026-02-01T08:00:00Z" || p.Description != "T" {
		t.Errorf("createdAt = %q, description = %q", p.CreatedAt, p.Description)
	}
	p.CreatedAt = "2025-12-24"
	if again := generate(t, "# T\n"+good, p); again.CreatedAt != "2025-12-24" {
		t.Errorf("createdAt = %q, the old one was known", again.CreatedAt)
	}
}

func TestSync(t *testing.T) {
	tests := map[string]struct {
		change func(p *prd.PRD)
		want   []string
	}{
		"equal":            {func(*prd.PRD) {}, nil},
		"white space":      {func(p *prd.PRD) { p.Stories[0].Title = " Sign-in\n form" }, nil},
		"boxes":            {func(p *prd.PRD) { p.Stories[0].AcceptanceCriteria[1] = "[ ] Typecheck  passes" }, nil},
		"title":            {func(p *prd.PRD) { p.Stories[0].Title = "Form" }, []string{"STORY-001 title differs"}},
		"criterion":        {func(p *prd.PRD) { p.Stories[1].AcceptanceCriteria[0] = "x" }, []string{"STORY-002 acceptance criteria differs"}},
		"order":            {func(p *prd.PRD) { c := p.Stories[1].AcceptanceCriteria; c[0], c[1] = c[1], c[0] }, []string{"STORY-002 acceptance criteria differs"}},
		"one less":         {func(p *prd.PRD) { p.Stories[1].AcceptanceCriteria = p.Stories[1].AcceptanceCriteria[1:] }, []string{"STORY-002 acceptance criteria differs"}},
		"not there":        {func(p *prd.PRD) { p.Stories = p.Stories[1:] }, []string{"STORY-001 in spec.md not found in prd.json"}},
		"priority":         {func(p *prd.PRD) { p.Stories[0].Priority = 5 }, nil},
		"description":      {func(p *prd.PRD) { p.Stories[1].Description = "x" }, nil},
		"time of creation": {func(p *prd.PRD) { p.CreatedAt = "2025-12-24" }, nil},
		"places":           {func(p *prd.PRD) { slices.Reverse(p.Stories) }, nil},
		"title in plain":   {func(p *prd.PRD) { p.Stories[1].Title = "Sign out" }, nil},
		"dependencies":     {func(p *prd.PRD) { p.Stories[1].DependsOn = nil }, []string{"STORY-002 dependencies differ"}},
		"own dependencies": {func(p *prd.PRD) { p.Stories[0].DependsOn = []string{"STORY-002"} }, nil},
		"model":            {func(p *prd.PRD) { p.Stories[1].Model = "haiku" }, []string{"STORY-002 model differs"}},
		"own model":        {func(p *prd.PRD) { p.Stories[0].Model = "haiku" }, nil},
		"orphan":           {func(p *prd.PRD) { p.Stories = append(p.Stories, prd.Story{ID: "X-1"}) }, []string{"X-1 in prd.json (passes: false) not found in spec.md"}},
		"finished orphan":  {func(p *prd.PRD) { p.Stories = append(p.Stories, prd.Story{ID: "X-1", Passes: true}) }, []string{"X-1 in prd.json (passes: true) not found in spec.md"}},
		"title and others": {func(p *prd.PRD) { p.Stories[0].Title, p.Stories[0].AcceptanceCriteria = "x", nil }, []string{"STORY-001 title differs", "STORY-001 acceptance criteria differs"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(valid, "STORY-002: Sign out\n", "STORY-002: Sign *out*\n\n**Depends on:** STORY-001\n**Model:** opus\n", 1)
			s, _ := parse(t, text)
			p := generate(t, text, nil)
			tt.change(p)
			var got []string
			for _, d := range spec.Sync(s, p) {
				got = append(got, d.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSyncKnowsTheLines(t *testing.T) {
	s, _ := parse(t, valid)
	p := generate(t, valid, nil)
	p.Stories[1].Title = "x"
	want := []spec.Difference{{Kind: spec.TitleDiffers, ID: "STORY-002", SpecLine: 37, PRDLine: 18}}
	if diff := cmp.Diff(want, spec.Sync(s, p)); diff != "" {
		t.Error(diff)
	}
}

func TestAStoryThatCannotBeReadIsNoOrphan(t *testing.T) {
	s, _ := parse(t, withStory(good+"### STORY-2 no colon\n"))
	p := &prd.PRD{Stories: []prd.Story{{ID: "STORY-1", Title: "Title", AcceptanceCriteria: []string{"a"}}, {ID: "STORY-2", Passes: true}}}
	if ds := spec.Sync(s, p); len(ds) > 0 {
		t.Errorf("Sync = %v", ds)
	}
}

// What the spec does not name stays as it is in prd.json; "none" removes it.
func TestGenerateCarriesDependenciesAndModel(t *testing.T) {
	text := strings.Replace(valid, "STORY-002: Sign out\n", "STORY-002: Sign out\n\n**Depends on:** STORY-001\n\n**Model:** opus\n", 1)
	p := generate(t, text, nil)
	if s := p.Stories[1]; !cmp.Equal(s.DependsOn, []string{"STORY-001"}) || s.Model != "opus" {
		t.Errorf("made %+v", s)
	}
	if s := generate(t, valid, p).Stories[1]; !cmp.Equal(s.DependsOn, []string{"STORY-001"}) || s.Model != "opus" {
		t.Errorf("lost %+v", s)
	}
	if s := generate(t, strings.Replace(text, "on:** STORY-001", "on:** none", 1), p).Stories[1]; s.DependsOn != nil {
		t.Errorf("kept %q", s.DependsOn)
	}
}

func TestProgressHead(t *testing.T) {
	const want = "# Progress Log: user-auth\n# Started: 2026-02-01T08:00:00Z\n\n"
	if got := spec.ProgressHead("user-auth", now); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
