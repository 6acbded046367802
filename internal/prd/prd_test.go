package prd_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/prd"
)

// valid is a plan in the stable form, with everything that is optional.
const valid = `{
  "description": "Users can sign in",
  "createdAt": "2026-01-15T10:30:00Z",
  "userStories": [
    {
      "id": "STORY-001",
      "title": "Sign-in form",
      "description": "As a visitor, I want to sign in, so that I see my data.",
      "acceptanceCriteria": [
        "The form has a name & a password",
        "Unit tests pass"
      ],
      "priority": 2,
      "passes": true,
      "notes": ""
    },
    {
      "id": "STORY-002",
      "title": "Sign out",
      "acceptanceCriteria": [
        "Typecheck passes"
      ],
      "priority": 1,
      "passes": false,
      "estimate": {
        "hours": 1.50
      },
      "notes": null
    }
  ]
}
`

func mustParse(t testing.TB, data string) *prd.PRD {
	t.Helper()
	p, _, err := prd.Parse("prd.json", []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// plan returns a prd.json of n stories, each with the usual keys.
func plan(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"description":"d","createdAt":"2026-01-15","userStories":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `
    {
      "id": "STORY-%05d",
      "title": "The user can do the thing with number %d",
      "description": "As a user, I want to do the thing, so that it is done and I can \"go on\".",
      "acceptanceCriteria": [
        "The button for the thing is on the page of number %d",
        "A click on the button does the thing and says so",
        "Typecheck passes",
        "Unit tests pass"
      ],
      "priority": %d,
      "passes": %t,
      "notes": ""
    }`, i, i, i, i+1, i%3 == 0)
	}
	b.WriteString("\n  ]\n}\n")
	return []byte(b.String())
}

func TestParseReadsFieldsAndLines(t *testing.T) {
	p := mustParse(t, valid)
	if got := p.Stories[0].AcceptanceCriteria; !cmp.Equal(got, []string{"The form has a name & a password", "Unit tests pass"}) {
		t.Errorf("criteria = %q", got)
	}
	if p.Stories[0].Line != 5 || p.Stories[1].Line != 17 {
		t.Errorf("lines = %d, %d, want 5, 17", p.Stories[0].Line, p.Stories[1].Line)
	}
	if s := p.Story("STORY-002"); s == nil || s.Title != "Sign out" || s.Notes != "" {
		t.Errorf("Story(STORY-002) = %+v", s)
	}
	if p.Story("STORY-003") != nil {
		t.Error("Story(STORY-003) should be nil")
	}
}

func TestParseTakesByteOrderMarkAndCRLF(t *testing.T) {
	p := mustParse(t, "\ufeff"+strings.ReplaceAll(valid, "\n", "\r\n"))
	if got := string(p.Bytes()); got != valid {
		t.Error(cmp.Diff(valid, got))
	}
}

func TestCounts(t *testing.T) {
	if done, total := mustParse(t, valid).Counts(); done != 1 || total != 2 {
		t.Errorf("Counts() = %d, %d", done, total)
	}
}

func TestBytesKeepsDependenciesAndModel(t *testing.T) {
	p := mustParse(t, strings.Replace(valid, `"priority": 2,`, `"priority": -1.5, "dependsOn": ["STORY-002"], "model": "opus",`, 1))
	p.Stories[1].DependsOn, p.Stories[1].Model = []string{"X"}, "haiku"
	again := mustParse(t, string(p.Bytes()))
	if s := again.Stories[0]; s.Priority != -1.5 || !cmp.Equal(s.DependsOn, []string{"STORY-002"}) || s.Model != "opus" {
		t.Errorf("got %+v", s)
	}
	if diff := prd.Diff(p, again); !diff.Empty() {
		t.Errorf("%+v", diff)
	}
	want := []prd.KeyChange{{ID: "STORY-002", Field: "dependsOn"}, {ID: "STORY-002", Field: "model"}}
	if diff := cmp.Diff(want, prd.Diff(mustParse(t, valid), p).Changed[3:]); diff != "" {
		t.Error(diff)
	}
}
