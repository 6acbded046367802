package preflight_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/preflight"
	"ralph/internal/spec"
)

const good = `---
created: 2026-01-15T10:30:00Z
---

# User Authentication

## Problem Statement

Visitors cannot sign in.

## Success Criteria

- [ ] A visitor can sign in

## User Stories

### STORY-001: Sign-in form

**As a** visitor
**I want to** sign in
**So that** I see my data.

**Acceptance Criteria:**

- [ ] The form has a name and a password
- [ ] Typecheck passes
- [ ] Unit tests pass

### STORY-002: Sign out

**Acceptance Criteria:**

- [ ] A click on "Sign out" ends the session
- [ ] Unit tests pass

### STORY-003: Sessions end

**Acceptance Criteria:**

- [ ] A session ends after 30 minutes
- [ ] Unit tests pass

## Out of Scope

- Passkeys
`

const folder = ".ralph/feature-user-auth/"

// worktree makes the feature's files, with a prd.json that matches spec.md, and returns the
// facts about a worktree without problems.
func worktree(t *testing.T, text string) preflight.Input {
	t.Helper()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
		t.Fatal(err)
	}
	in := preflight.Input{
		Root:      root,
		Branch:    "feature/user-auth",
		Checked:   true,
		Protected: []string{"main", "master", "develop"},
		Agent:     preflight.Agent{Name: "claude", Path: "/usr/bin/claude", LoginSign: true},
	}
	s, _, err := spec.Parse("spec.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := spec.Generate(s, nil, spec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	write(t, in, "spec.md", text)
	write(t, in, "prd.json", string(p.Bytes()))
	write(t, in, "progress.txt", "# Progress Log: user-auth\n")
	return in
}

func write(t *testing.T, in preflight.Input, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(in.Root, folder, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// edit replaces text in a file of the feature.
func edit(t *testing.T, in preflight.Input, name string, oldNew ...string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(in.Root, folder, name))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(oldNew...).Replace(string(data))
	if text == string(data) {
		t.Fatalf("%s holds none of %q", name, oldNew)
	}
	write(t, in, name, text)
}

func text(t *testing.T, r preflight.Report) string {
	t.Helper()
	var b strings.Builder
	if err := r.Text(&b, false, false); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextWhenAllIsGood(t *testing.T) {
	const want = `Preflight checks for branch: feature/user-auth
Feature folder: .ralph/feature-user-auth/

✓ Branch detected: feature/user-auth
✓ Folder exists: .ralph/feature-user-auth/
✓ Required files present
✓ prd.json schema valid
✓ spec.md structure valid
✓ Sync check passed

All checks passed. Ready to run.
`
	r := preflight.Run(worktree(t, good))
	if diff := cmp.Diff(want, text(t, r)); diff != "" || !r.OK {
		t.Error(diff)
	}
}

func TestTextWithWarnings(t *testing.T) {
	const want = `Preflight checks for branch: feature/user-auth
Feature folder: .ralph/feature-user-auth/

✓ Branch detected: feature/user-auth
⚠ Running on protected branch 'feature/user-auth'
✓ Folder exists: .ralph/feature-user-auth/
✓ Required files present
✓ prd.json schema valid
⚠ spec.md missing "Out of Scope" section (recommended)
⚠ Orphaned story: STORY-004 (passes: false, will be removed)

Preflight checks passed with warnings.
`
	in := worktree(t, good+"\n### STORY-004: More\n\n**Acceptance Criteria:**\n- Unit tests pass\n")
	write(t, in, "spec.md", strings.Replace(good, "## Out of Scope", "## Later", 1))
	in.Protected = append(in.Protected, in.Branch)
	r := preflight.Run(in)
	if diff := cmp.Diff(want, text(t, r)); diff != "" || !r.OK {
		t.Error(diff)
	}
}

func TestTextWhenSyncFails(t *testing.T) {
	const want = `Preflight checks for branch: feature/user-auth
Feature folder: .ralph/feature-user-auth/

✓ Branch detected: feature/user-auth
✓ Folder exists: .ralph/feature-user-auth/
✓ Required files present
✓ prd.json schema valid
⚠ spec.md missing "Out of Scope" section (recommended)
✗ Sync check failed:
    - STORY-004 in spec.md not found in prd.json
    - STORY-002 acceptance criteria differs

Resolve sync issues by running '/ralph-prd' in Claude Code, or 'ralph prd'.
`
	in := worktree(t, good)
	edit(t, in, "spec.md", "## Out of Scope\n\n- Passkeys\n", "### STORY-004: More\n\n**Acceptance Criteria:**\n- Unit tests pass\n")
	edit(t, in, "prd.json", `A click on \"Sign out\"`, "A click")
	r := preflight.Run(in)
	if diff := cmp.Diff(want, text(t, r)); diff != "" || r.OK {
		t.Error(diff)
	}
}

func TestTextWhenFinishedWorkWouldBeLost(t *testing.T) {
	const want = `Preflight checks for branch: feature/user-auth
Feature folder: .ralph/feature-user-auth/

✓ Branch detected: feature/user-auth
✓ Folder exists: .ralph/feature-user-auth/
✓ Required files present
✓ prd.json schema valid
✓ spec.md structure valid
✗ Orphan check failed:
    - STORY-003 in prd.json (passes: true) not found in spec.md
      ^^^ COMPLETED WORK WILL BE LOST

This story was completed but is no longer in spec.md.
Options:
  1. Add STORY-003 back to spec.md (preserve completed work)
  2. Run '/ralph-prd' or 'ralph prd --confirm-orphan-removal' (discard work)
`
	in := worktree(t, good)
	edit(t, in, "prd.json", `"passes": false`, `"passes": true`)
	before, _, _ := strings.Cut(good, "### STORY-003")
	write(t, in, "spec.md", before+"## Out of Scope\n\n- Passkeys\n")
	r := preflight.Run(in)
	if diff := cmp.Diff(want, text(t, r)); diff != "" || r.OK {
		t.Error(diff)
	}
}

// TestNothingIsInSyncWithAnUnclearSpec leaves out the check that cannot be made.
func TestNothingIsInSyncWithAnUnclearSpec(t *testing.T) {
	in := worktree(t, good)
	edit(t, in, "spec.md", "### STORY-003:", "### STORY-003")
	if got := text(t, preflight.Run(in)); strings.Contains(got, "Sync check") {
		t.Error(got)
	}
}

// TestNoOrphansOfAnEmptySpec: nothing is lost through it, since 'ralph prd' makes
// nothing of it.
func TestNoOrphansOfAnEmptySpec(t *testing.T) {
	in := worktree(t, good)
	if err := os.WriteFile(filepath.Join(in.Root, folder, "spec.md"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	report := preflight.Run(in)
	found := false
	for _, c := range report.Checks {
		found = found || c.ID == "spec" && c.Severity == preflight.Error
		if c.ID == "orphans" || c.ID == "sync" {
			t.Errorf("%s: %s", c.ID, c.Message)
		}
	}
	if !found || report.OK {
		t.Errorf("no error about spec.md: %+v", report)
	}
}

func TestTextForScreensThatKnowOnlyASCII(t *testing.T) {
	in := worktree(t, good)
	in.Dirty = []string{"src/a.go", "b\x1b[31m.go"}
	in.Agent.Path = ""
	var b strings.Builder
	if err := preflight.Run(in).Text(&b, true, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\x1b[32m[ok]\x1b[0m Branch detected",
		"\x1b[33m[warn]\x1b[0m Uncommitted changes outside .ralph/:\n    - src/a.go\n    - b\ufffd[31m.go\n",
		"\x1b[31m[error]\x1b[0m Agent 'claude' not found\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}
