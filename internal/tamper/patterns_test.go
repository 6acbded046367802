package tamper

import (
	"fmt"
	"testing"
)

// TestEveryPatternHoldsItsExamples: each expression finds its own lines and leaves its
// counterexamples alone.
func TestEveryPatternHoldsItsExamples(t *testing.T) {
	for _, r := range patterns().rules {
		for _, l := range r.lines {
			if len(l.yes) == 0 || len(l.no) == 0 {
				t.Errorf("%s: %s has no examples of both kinds", r.name, l.re)
			}
			for _, text := range l.yes {
				if !l.finds(text) {
					t.Errorf("%s: %s does not find %q", r.name, l.re, text)
				}
			}
			for _, text := range l.no {
				if l.finds(text) {
					t.Errorf("%s: %s finds %q", r.name, l.re, text)
				}
			}
		}
	}
}

// TestSubmodule: tests in another repository cannot be run as they were.
func TestSubmodule(t *testing.T) {
	const bump = "diff --git a/%[1]s b/%[1]s\nindex 1..2 160000\n--- a/%[1]s\n+++ b/%[1]s\n@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n"
	for path, want := range map[string]int{"tests/conformance": 1, "lib/parser": 0} {
		diff := fmt.Sprintf(bump, path)
		if got := Inspect(Input{Diff: diff}); len(got) != want {
			t.Errorf("%s: %v", path, got)
		}
		if OnlySpace(diff) {
			t.Errorf("%s: a bump is no work", path)
		}
	}
}
