package loop

import (
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
	var n notes
	n.steer = []string{"mind the gap"}
	for range 20 {
		n.add(strings.Repeat("y", 1000))
	}
	first := n.take()
	if len(first) > maxNotes+200 || !strings.Contains(first, "left out") || !strings.Contains(first, "mind the gap") {
		t.Errorf("%d bytes of notes", len(first))
	}
	if second := n.take(); strings.Contains(second, "yyy") || !strings.Contains(second, "mind the gap") {
		t.Errorf("the next notes are %q", second)
	}
}
