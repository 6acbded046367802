package tamper

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// FuzzInspect: a diff may hold anything, and may be cut off anywhere.
func FuzzInspect(f *testing.F) {
	f.Add("diff --git a/a_test.go b/a_test.go\nindex 1..2\n--- a/a_test.go\n+++ b/a_test.go\n@@ -1,3 +1 @@\n-func TestA(t *testing.T) {\n-\tt.Error(1)\n-}\n+x\n")
	f.Add("diff --git \"a/\\\nrename from \n@@ -1,99999999999 +1,5\n+")
	f.Fuzz(func(t *testing.T, diff string) {
		for _, found := range Inspect(Input{Diff: diff, CutOff: true}) {
			if found.Rule == "" || found.Message == "" || len(found.Text) > MaxText {
				t.Errorf("%+v", found)
			}
		}
	})
}

func BenchmarkInspect(b *testing.B) {
	var d strings.Builder
	for _, path := range []string{"a.go", "a_test.go", "src/a.ts", "data/a.csv"} {
		d.WriteString("diff --git a/" + path + " b/" + path + "\nindex 1..2\n--- a/" + path + "\n+++ b/" + path + "\n@@ -1,20000 +1,20000 @@\n")
		d.WriteString(strings.Repeat("-	result, err := compute(ctx, first, second) // as it was before\n", 20000))
		d.WriteString(strings.Repeat("+	result, err := compute(ctx, second, first) // as it is now\n", 20000))
	}
	b.SetBytes(int64(d.Len()))
	for b.Loop() {
		Inspect(Input{Diff: d.String()})
	}
}

// Where checks have no room, a link out of git and the path of the worktree are findings.
func TestOutside(t *testing.T) {
	t.Parallel()
	diff := "diff --git a/src/out b/src/out\nnew file mode 120000\n--- /dev/null\n+++ b/src/out\n@@ -0,0 +1 @@\n+../../x\n" +
		"diff --git a/src/in b/src/in\nnew file mode 120000\n--- /dev/null\n+++ b/src/in\n@@ -0,0 +1 @@\n+../x\n" +
		"diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@\n-a\n+open('/w/t/x')\n+open('/w/tx')\n" +
		"diff --git a/README.md b/README.md\nindex 1..2 100644\n--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-a\n+/w/t/x\n"
	if found := Inspect(Input{Diff: diff, Root: "/w/t"}); len(found) != 0 {
		t.Errorf("checks in rooms: %v", found)
	}
	var got []string
	for _, f := range Inspect(Input{Diff: diff, Root: "/w/t", Open: true}) {
		got = append(got, fmt.Sprintf("%s:%d %s", f.Path, f.Line, f.Rule))
	}
	if want := []string{"a.py:1 outside-git", "src/out:1 outside-git"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
