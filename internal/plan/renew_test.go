package plan_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"ralph/internal/prd"
	"ralph/internal/spec"
)

const newSpec = `---
created: 2026-01-02T03:04:05Z
---
# Greeting

## User Stories

### STORY-001: Hello

**Acceptance Criteria:**
- [ ] Unit tests pass

### STORY-003: Farewell

**Acceptance Criteria:**
- [ ] Unit tests pass
`

// TestRenew hands a running plan another spec.md; STORY-001 is finished in it.
func TestRenew(t *testing.T) {
	finished := "### STORY-001: Hello\n\n**Acceptance Criteria:**\n- [ ] Unit tests pass\n\n"
	tests := map[string]struct {
		text string
		drop bool
		what string // or
		err  string
	}{
		"other stories":      {text: newSpec, what: "STORY-003 added; STORY-002 removed; STORY-001 changed"},
		"the finished goes":  {text: strings.Replace(newSpec, finished, "", 1), err: "STORY-001 passed but is no longer in spec.md"},
		"it may go":          {text: strings.Replace(newSpec, finished, "", 1), drop: true, what: "STORY-003 added; STORY-001, STORY-002 removed"},
		"no story":           {text: "# Greeting\n", err: "spec.md"},
		"not UTF-8":          {text: "\xff", err: "not valid UTF-8"},
		"a story unreadable": {text: newSpec + "\n### STORY-004 Again\n", err: "no colon or dash"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p, root := feature(t)
			what, err := p.Renew(tt.text, tt.drop)
			got := read(t, root+"/"+folder+"/spec.md")
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error = %v, want one about %q", err, tt.err)
				}
				if got != "# Greeting\n" || read(t, root+"/"+folder+"/prd.json") != stories {
					t.Error("the plan was changed all the same")
				}
				return
			}
			if err != nil || what != tt.what {
				t.Errorf("Renew = %q, %v; want %q", what, err, tt.what)
			}
			if got != tt.text {
				t.Errorf("spec.md is\n%s", got)
			}
			renewedAgrees(t, root, tt.text)
		})
	}
}

// renewedAgrees compares prd.json with the new spec.md.
func renewedAgrees(t *testing.T, root, text string) {
	t.Helper()
	p, _, err := prd.Load(filepath.Join(root, folder, "prd.json"))
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := spec.Parse("spec.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if d := spec.Sync(s, p); len(d) > 0 {
		t.Errorf("spec.md and prd.json disagree: %v", d)
	}
	if hello := p.Story("STORY-001"); hello != nil && !hello.Passes {
		t.Error("the finished story is open again")
	}
}

// TestRenewOfAFinishedStoryIsAnOrphanError: the loop and the commands need its type.
func TestRenewOfAFinishedStoryIsAnOrphanError(t *testing.T) {
	p, _ := feature(t)
	_, err := p.Renew(strings.ReplaceAll(newSpec, "STORY-001", "STORY-009"), false)
	var lost *spec.OrphanError
	if !errors.As(err, &lost) {
		t.Errorf("error = %v", err)
	}
}

// The guard of the next iteration protects the new plan, not the old one.
func TestRenewedPlanIsGuarded(t *testing.T) {
	p, root := feature(t)
	if _, err := p.Renew(newSpec, false); err != nil {
		t.Fatal(err)
	}
	if err := p.Snapshot(root); err != nil {
		t.Fatal(err)
	}
	restored, err := p.Guard("run-2")
	if err != nil || len(restored) > 0 {
		t.Errorf("Guard = %v, %v", restored, err)
	}
	if read(t, root+"/"+folder+"/spec.md") != newSpec {
		t.Error("the old spec.md is back")
	}
}
