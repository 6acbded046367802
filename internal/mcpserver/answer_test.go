package mcpserver

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
)

func TestCleanJSON(t *testing.T) {
	type item struct {
		Title journal.Text `json:"title"`
		N     int64        `json:"n"`
		More  []item       `json:"more,omitempty"`
	}
	got, err := cleanJSON(item{Title: "\x1b[2Ja\u202eb", More: []item{{Title: journal.Text(strings.Repeat("é", maxText)), N: 1<<60 + 1}}})
	if err != nil {
		t.Fatal(err)
	}
	top := got.(map[string]any)
	below := top["more"].([]any)[0].(map[string]any)
	if title := below["title"].(string); top["title"] != "ab" || len(title) != maxText || strings.Trim(title, "é") != "" {
		t.Errorf("the titles are %q and one of %d bytes", top["title"], len(title))
	}
	if n := below["n"].(interface{ String() string }).String(); n != "1152921504606846977" {
		t.Errorf("the number has become %s", n)
	}
	if got, err := cleanJSON(make([]item, maxAnswer/4)); err == nil || !strings.Contains(err.Error(), "ask for less") {
		t.Errorf("an answer that is too long: %v, %v", got != nil, err)
	}
}

func TestCutsFallBetweenCharactersAndLines(t *testing.T) {
	for _, tt := range []struct {
		text        string
		most        int
		first, last string
	}{
		{"abc", 3, "abc", "abc"},
		{"aéb", 2, "a", "b"},
		{"one\ntwo\nthree", 10, "one\ntwo\nth", "two\nthree"},
		{"one\ntwo\nthree", 9, "one\ntwo\nt", "two\nthree"},
		{"one\ntwo\nthree", 8, "one\ntwo\n", "three"},
		{"one\ntwo\n", 3, "one", "wo\n"},
		{"", 0, "", ""},
	} {
		got := []string{firstBytes(tt.text, tt.most), lastBytes(tt.text, tt.most)}
		if diff := cmp.Diff([]string{tt.first, tt.last}, got); diff != "" {
			t.Errorf("%q in %d: %s", tt.text, tt.most, diff)
		}
	}
}
