package prd_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"ralph/internal/prd"
)

// FuzzParse compares what Parse reads with what encoding/json reads.
func FuzzParse(f *testing.F) {
	const story = `{"id":"S-1","title":"t","acceptanceCriteria":["a"],"priority":1,"passes":false}`
	f.Add(`{"description":"d","createdAt":"2026-01-15","userStories":[` + story + `]}`)
	f.Add(`{"description":"d","createdAt":"2026-01-15T10:30:00Z","userStories":[` + story + `,{}],"x":[1,{"y":null}]}`)
	f.Add(strings.ReplaceAll(`{"description":"\ud800","createdAt":"2026","userStories":[`+story+`]} `, `"t"`, `"\u00e9\ud83d\ude00"`))
	f.Add(`{"description":"","description":null,"userStories":{"0":1},"createdAt":"2026-01-15"}`)
	f.Add(`{"userStories":[` + story + `,` + story + `],"userStories":[` + story + `]}`)
	f.Add("\ufeff{\"userStories\":[" + strings.ReplaceAll(story, ":1", ":1.0") + "]}\r\n")
	f.Add(document(`"title"`, `"\ud800\u0061": 1, "\ud800\u0062": 2, "title"`))
	for _, v := range violations() {
		f.Add(v.data)
	}
	f.Fuzz(func(t *testing.T, src string) {
		p, _, err := prd.Parse("prd.json", []byte(src))
		src = strings.TrimPrefix(src, "\ufeff")
		if !json.Valid([]byte(src)) || !utf8.ValidString(src) {
			if err == nil {
				t.Fatal("accepted what is not JSON")
			}
			return
		}
		if err == nil {
			sameContent(t, p, src)
			stable(t, p)
		}
	})
}

func sameContent(t *testing.T, p *prd.PRD, src string) {
	t.Helper()
	var want map[string]json.RawMessage
	var stories []map[string]json.RawMessage
	if err := json.Unmarshal([]byte(src), &want); err != nil {
		t.Fatal(err)
	}
	// Through maps: the keys of a struct would match in any case.
	if err := json.Unmarshal(want["userStories"], &stories); err != nil {
		t.Fatal(err)
	}
	if len(stories) != len(p.Stories) {
		t.Fatalf("%d stories, want %d", len(p.Stories), len(stories))
	}
	for i, s := range p.Stories {
		for key, got := range map[string]any{"id": s.ID, "title": s.Title, "acceptanceCriteria": s.AcceptanceCriteria, "passes": s.Passes} {
			text, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			if !sameJSON(text, stories[i][key]) {
				t.Fatalf("story %d: %s = %s, want %s", i, key, text, stories[i][key])
			}
		}
	}
}

func sameJSON(a, b []byte) bool {
	normal := func(data []byte) []byte {
		var v any
		if json.Unmarshal(data, &v) != nil {
			return data
		}
		out, err := json.Marshal(v)
		if err != nil {
			return data
		}
		return out
	}
	return bytes.Equal(normal(a), normal(b))
}

// stable checks that what is written can be read, and is written the same again.
func stable(t *testing.T, p *prd.PRD) {
	t.Helper()
	out := p.Bytes()
	again, _, err := prd.Parse("prd.json", out)
	if err != nil {
		t.Fatalf("what was written is not valid: %v\n%s", err, out)
	}
	if !bytes.Equal(again.Bytes(), out) || !prd.Diff(p, again).Empty() {
		t.Fatalf("what was written changes when read:\n%s\n%s", out, again.Bytes())
	}
}
