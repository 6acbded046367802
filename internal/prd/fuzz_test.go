package prd_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/prd"
)

// FuzzParse holds Parse against the two references: the schema engine, for
// what is valid, and encoding/json, for what is in it.
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
	engine := newEngine(f)
	f.Fuzz(func(t *testing.T, src string) {
		p, _, err := prd.Parse("prd.json", []byte(src))
		src = strings.TrimPrefix(src, "\ufeff")
		if !json.Valid([]byte(src)) || !utf8.ValidString(src) {
			if err == nil {
				t.Fatal("accepted what is not JSON")
			}
			return
		}
		if beyondEngine(src) {
			return
		}
		samePlaces(t, err, engine.violations(t, src), repeats(t, src))
		if err == nil {
			sameContent(t, p, src)
			stable(t, p)
		}
	})
}

// samePlaces checks that Parse refused a document where the engine does, at
// the same paths, and for the keys and ids that stand twice.
func samePlaces(t *testing.T, err error, want []string, repeats bool) {
	t.Helper()
	if refused := len(want) > 0 || repeats; refused != (err != nil) {
		t.Fatalf("error = %v, the engine refuses %q, repeats = %t", err, want, repeats)
	}
	invalid := (*prd.InvalidError)(nil)
	if !errors.As(err, &invalid) || len(invalid.Findings) >= 100 { // more are not listed
		return
	}
	var got []string
	for _, f := range invalid.Findings {
		if f.Hint != "Remove one of them." && f.Hint != "Give each story its own id." {
			got = append(got, f.Path)
		}
	}
	slices.Sort(got)
	got = slices.Compact(got)
	if repeats {
		// Of a key that stands twice the engine sees the last value only.
		got = slices.DeleteFunc(got, func(path string) bool { return !slices.Contains(want, path) })
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("paths of the engine (-) and of Parse (+):\n%s", diff)
	}
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
