package tamper

import (
	"fmt"
	"strings"
	"testing"
	"time"
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

// TestFiveThousandFiles is far below its limit of 2 s: it may run on a slow machine.
func TestFiveThousandFiles(t *testing.T) {
	var d strings.Builder
	for n := range 5000 {
		path := fmt.Sprintf("src/package%d/deep/er/file_%d.ts", n%100, n)
		fmt.Fprintf(&d, "diff --git a/%[1]s b/%[1]s\nindex 1..2\n--- a/%[1]s\n+++ b/%[1]s\n@@ -1,3 +1,3 @@\n-a\n-const x = compute(%[2]d)\n-c\n+a2\n+const x = compute(%[2]d + 1)\n+c2\n", path, n)
	}
	began := time.Now()
	if found := Inspect(Input{Diff: d.String()}); len(found) > 0 {
		t.Errorf("%v", found)
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("5,000 files took %s", took)
	} else {
		t.Logf("%s", took)
	}
}
