package preflight_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/preflight"
)

func run(t *testing.T, dir string, argv ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", argv, err, out)
	}
}

func TestQuality(t *testing.T) {
	tests := map[string]struct {
		old, new string // in the good plan
		want     []string
	}{
		"vague": {
			"A session ends after 30 minutes", "The session works correctly",
			[]string{`40: STORY-003: nothing can check "works correctly"; say what can be seen or measured`},
		},
		"vague in other words": {
			"A session ends after 30 minutes", "All buttons work correctly\n- [ ] The page should be very fast.\n- [ ] It loads quickly",
			[]string{
				`40: STORY-003: nothing can check "work correctly"; say what can be seen or measured`,
				`41: STORY-003: nothing can check "be very fast"; say what can be seen or measured`,
				`42: STORY-003: nothing can check "loads quickly"; say what can be seen or measured`,
			},
		},
		"only the words":      {"A session ends after 30 minutes", "The branch is fast-forwarded, and what is quickly typed is kept as well", nil},
		"vague, but measured": {"A session ends after 30 minutes", "The page is fast: at most 200 ms", nil},
		"untested": {
			"- [ ] A session ends after 30 minutes\n- [ ] Unit tests pass", "- [ ] A session ends after 30 minutes",
			[]string{`36: STORY-003 has no criterion about tests or type checks, such as "Unit tests pass"`},
		},
		"the latest is no test": {
			"- [ ] A session ends after 30 minutes\n- [ ] Unit tests pass", "- [ ] The latest session ends first",
			[]string{`36: STORY-003 has no criterion about tests or type checks, such as "Unit tests pass"`},
		},
		"tests of the latest": {"- [ ] A session ends after 30 minutes\n- [ ] Unit tests pass", "- [ ] Tests of the latest session pass", nil},
		"checked by types":    {"30 minutes\n- [ ] Unit tests pass", "30 minutes\n- [ ] Type checks pass", nil},
		"six criteria":        {"- [ ] A session ends after 30 minutes", strings.Repeat("- [ ] x\n", 5), nil},
		"seven criteria": {
			"- [ ] A session ends after 30 minutes", strings.Repeat("- [ ] x\n", 6),
			[]string{"36: STORY-003 has 7 acceptance criteria: more than 6 seldom fit into one iteration, split it"},
		},
		"a long description": {
			"### STORY-003: Sessions end\n", "### STORY-003: Sessions end\n\n" + strings.Repeat("And then. ", 70) + "\n",
			[]string{"36: STORY-003 has a description of more than 600 characters: it seldom fits into one iteration, split it"},
		},
		"a gap": {
			"STORY-003", "STORY-007",
			[]string{"36: there is no STORY-003 between STORY-002 and STORY-007"},
		},
		"parts and other kinds": {"STORY-003", "STORY-002.1", nil},
		"one after the other":   {"30 minutes\n", "30 minutes\n- [ ] Depends on STORY-001\n", nil},
		"the wrong way round": {
			"- [ ] Typecheck passes\n", "- [ ] Typecheck passes\n- [ ] Depends on STORY-003.\n",
			[]string{"17: STORY-001 (priority 1) depends on STORY-003 (priority 3), which comes later"},
		},
		"needs": {
			"- [ ] Typecheck passes\n", "- [ ] Typecheck passes\n- [ ] Needs a session, which requires STORY-003\n",
			[]string{"17: STORY-001 (priority 1) depends on STORY-003 (priority 3), which comes later"},
		},
		"priorities decide": {
			"### STORY-003: Sessions end\n", "### STORY-003: Sessions end\n\n**Priority:** 1\n\nDepends on STORY-002.\n",
			[]string{"36: STORY-003 (priority 1) depends on STORY-002 (priority 2), which comes later"},
		},
		"said with a label": {
			"- [ ] Typecheck passes\n", "- [ ] Typecheck passes\n\n**Depends on:** STORY-003\n", nil,
		},
		"unknown": {
			"30 minutes\n", "30 minutes\n- [ ] Blocked by STORY-009\n",
			[]string{"36: STORY-003 depends on STORY-009, which is not in the plan"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			changed := strings.Replace(good, tt.old, tt.new, 1)
			if changed == good {
				t.Fatalf("the plan does not hold %q", tt.old)
			}
			r := preflight.Run(worktree(t, changed))
			var got []string
			for _, c := range r.Checks {
				if c.ID != "quality" {
					continue
				}
				for _, d := range c.Details {
					got = append(got, strings.TrimPrefix(d.String(), folder+"spec.md:"))
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || !r.OK {
				t.Error(diff)
			}
		})
	}
}

func TestADependencyThatPassedIsNoMatter(t *testing.T) {
	in := worktree(t, strings.Replace(good, "- [ ] Typecheck passes\n", "- [ ] Typecheck passes\n- [ ] Depends on STORY-003\n", 1))
	edit(t, in, "prd.json", `"passes": false`, `"passes": true`)
	if got := wrong(preflight.Run(in)); len(got) > 0 {
		t.Errorf("%q", got)
	}
}
