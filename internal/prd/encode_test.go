package prd_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/prd"
)

func TestBytesKeepsOrderAndUnknownKeys(t *testing.T) {
	const scrambled = `{"$schema":"s","userStories":[{"x":{"b":1.50,"a":["<",{}]},"passes":false,"priority":1.0,
		"acceptanceCriteria":["a < b && \"c\""],"title":"t\u00e9","id":"S-1","notes":null}],"createdAt":"2026-01-15","description":"d"}`
	const want = `{
  "$schema": "s",
  "userStories": [
    {
      "x": {
        "b": 1.50,
        "a": [
          "<",
          {}
        ]
      },
      "passes": false,
      "priority": 1,
      "acceptanceCriteria": [
        "a < b && \"c\""
      ],
      "title": "té",
      "id": "S-1",
      "notes": null
    }
  ],
  "createdAt": "2026-01-15",
  "description": "d"
}
`
	got := string(mustParse(t, scrambled).Bytes())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if again := string(mustParse(t, got).Bytes()); again != got {
		t.Error("the stable form is not stable:\n" + cmp.Diff(got, again))
	}
}

func TestBytesWritesWhatTheFileDidNotHave(t *testing.T) {
	p := mustParse(t, valid)
	p.Stories[1].Notes = "first try"
	p.Stories[1].Description = "new"
	want := strings.Replace(valid, `"notes": null`, "\"notes\": \"first try\",\n      \"description\": \"new\"", 1)
	if diff := cmp.Diff(want, string(p.Bytes())); diff != "" {
		t.Error(diff)
	}
	// The stories share what they have in common: the others must be as they were.
	if got := string(mustParse(t, valid).Bytes()); got != valid {
		t.Error(cmp.Diff(valid, got))
	}
}

func TestBytesOfAPlanMadeInMemory(t *testing.T) {
	p := &prd.PRD{Description: "d", CreatedAt: "2026-01-15", Stories: []prd.Story{
		{ID: "S-1", Title: "t", AcceptanceCriteria: []string{"a"}, Priority: 1},
	}}
	const want = `{
  "description": "d",
  "createdAt": "2026-01-15",
  "userStories": [
    {
      "id": "S-1",
      "title": "t",
      "description": "",
      "acceptanceCriteria": [
        "a"
      ],
      "priority": 1,
      "passes": false,
      "notes": ""
    }
  ]
}
`
	if diff := cmp.Diff(want, string(p.Bytes())); diff != "" {
		t.Error(diff)
	}
}
