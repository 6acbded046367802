package prompt

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestInlineRefs(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("docs/a.md", "content of a\n```\ncode\n```\n")
	write("big.txt", strings.Repeat("x", maxRef+1))
	write("../secret.txt", "outside")
	for _, c := range []struct {
		name, text string
		want       string // appended text, empty where nothing is
	}{
		{"a file", "Read @docs/a.md first.", "content of a"},
		{"twice is once", "Read @docs/a.md and @docs/a.md.", "Content of `docs/a.md`"},
		{"a large file is named", "See @big.txt", "`big.txt` has 256 KB: read it in parts"},
		{"no such file", "Read @docs/none.md", ""},
		{"outside of the worktree", "Read @../secret.txt", ""},
		{"an address", "Write to someone@docs/a.md", ""},
		{"a folder", "Look into @docs", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := inlineRefs(c.text, root)
			added, ok := strings.CutPrefix(got, c.text)
			if !ok {
				t.Fatalf("the text itself was changed: %q", got)
			}
			if c.want == "" && added != "" || strings.Count(added, c.want) != 1 && c.want != "" {
				t.Errorf("appended %q, want %q", added, c.want)
			}
		})
	}
	if got := inlineRefs("@docs/a.md", root); !strings.Contains(got, "````\ncontent of a") {
		t.Errorf("the fence is not longer than those inside: %q", got)
	}
}

func TestNotesAreBoundedAndForgotten(t *testing.T) {
	var n Notes
	n.Steer = []string{"mind the gap"}
	for range 20 {
		n.Add(strings.Repeat("y", 1000))
	}
	first := n.Text()
	if again := n.Text(); again != first {
		t.Errorf("a second try gets something else: %q", again)
	}
	n.Forget()
	if len(first) > maxNotes+200 || strings.Count(first, "y…") < 10 || !strings.Contains(first, "mind the gap") {
		t.Errorf("%d bytes of notes", len(first))
	}
	if !strings.Contains(first, "- yyy") {
		t.Error("nothing was given whole")
	}
	if second := n.Text(); strings.Contains(second, "yyy") || !strings.Contains(second, "mind the gap") {
		t.Errorf("the next notes are %q", second)
	}
}

// TestNotesOfAHundredChecks: what was not accepted comes first, the newest output
// comes whole, the rest is named as far as there is room.
func TestNotesOfAHundredChecks(t *testing.T) {
	var n Notes
	for i := range 100 {
		n.Add(fmt.Sprintf("Quality check c%02d failed. The end of its output:\n\n%s", i, strings.Repeat("noise\n", 500)))
	}
	n.First("STORY-001: marked as done, and not accepted: check c00 failed.")
	n.Add("The last iteration ended with an error: short")
	text := n.Text()
	if len(text) > maxNotes+200 {
		t.Errorf("%d bytes", len(text))
	}
	_, list, _ := strings.Cut(text, "\n\n")
	list = strings.TrimPrefix(list, "## What the last iteration left\n\n")
	if !strings.HasPrefix(list, "- STORY-001") {
		t.Errorf("it begins with %.80q", list)
	}
	for _, want := range []string{"ended with an error: short", "check c99 failed. The end of its output:\n\nnoise", "- Quality check c01 failed. The end of its output\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
}

// TestNotesThatAreTooManyAreCounted where not even a line of each fits.
func TestNotesThatAreTooManyAreCounted(t *testing.T) {
	var n Notes
	for i := range 1000 {
		n.Add(fmt.Sprintf("Quality check c%03d failed. The end of its output:\n\nnoise", i))
	}
	if text := n.Text(); len(text) > maxNotes+200 || !strings.HasSuffix(text, " more were left out)\n") {
		t.Errorf("%d bytes that end with %q", len(text), text[len(text)-60:])
	}
}

// TestAPersonsWordsAreBoundedToo: the newest stay.
func TestAPersonsWordsAreBoundedToo(t *testing.T) {
	n := Notes{Steer: []string{strings.Repeat("x", maxSteer), "the newest"}}
	if text := n.Text(); len(text) > 1000 || !strings.Contains(text, "the newest") || !strings.Contains(text, "1 older") {
		t.Errorf("%d bytes: %.200q", len(text), text)
	}
}
