package preflight_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/preflight"
)

// ending is the report from the first line that begins with the mark on.
func ending(t *testing.T, in preflight.Input, mark string) string {
	t.Helper()
	all := text(t, preflight.Run(in))
	_, found, ok := strings.Cut(all, "\n"+mark)
	if !ok {
		t.Fatalf("no line begins with %q:\n%s", mark, all)
	}
	return mark + found
}

func TestANamelessGitIsReported(t *testing.T) {
	in := worktree(t, good)
	in.Nameless = true
	want := `⚠ git knows no name and address for commits: the agent's commits fail, or have guessed ones
  Set them with these two commands:
    git config --global user.name "NAME"
    git config --global user.email ADDRESS

Preflight checks passed with warnings.
`
	if diff := cmp.Diff(want, ending(t, in, "⚠")); diff != "" {
		t.Error(diff)
	}
}

// TestHintsBelongToTheirErrors: one error has its hint at the end, several have theirs below
// each.
func TestHintsBelongToTheirErrors(t *testing.T) {
	in := worktree(t, good)
	edit(t, in, "spec.md", "STORY-002: Sign out", "STORY-002: Sign off")
	want := `✗ Sync check failed:
    - STORY-002 title differs

Resolve sync issues by running '/ralph-prd' in Claude Code, or 'ralph prd'.
`
	if diff := cmp.Diff(want, ending(t, in, "✗")); diff != "" {
		t.Error(diff)
	}
	if err := os.Remove(filepath.Join(in.Root, folder, "progress.txt")); err != nil {
		t.Fatal(err)
	}
	want = `✗ Required files missing:
    - progress.txt
  Make the missing files by running '/ralph-prd' in Claude Code, or 'ralph prd'.
✓ prd.json schema valid
✓ spec.md structure valid
✗ Sync check failed:
    - STORY-002 title differs
  Resolve sync issues by running '/ralph-prd' in Claude Code, or 'ralph prd'.

2 checks failed. Not ready to run.
`
	if diff := cmp.Diff(want, ending(t, in, "✗")); diff != "" {
		t.Error(diff)
	}
}
