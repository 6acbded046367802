package replay

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// choose returns the turn that this session plays. The first turn whose
// selectors all hold wins; else the turns without a selector are counted off by
// the iteration, of which the last one repeats unless there is 'otherwise'.
func (s *Script) choose(ctx context.Context, env environ) (*Turn, error) {
	iteration := env.number("RALPH_ITERATION")
	attempt := env.number("RALPH_ATTEMPT")
	story := s.openStory(ctx, env)
	var plain []*Turn
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.Story == "" && t.Iteration == 0 && t.Attempt == 0 {
			plain = append(plain, t)
			continue
		}
		if (t.Story == "" || t.Story == story) &&
			(t.Iteration == 0 || t.Iteration == iteration) &&
			(t.Attempt == 0 || t.Attempt == attempt) {
			return t, nil
		}
	}
	switch {
	case iteration <= len(plain):
		return plain[iteration-1], nil
	case s.Otherwise != nil:
		return s.Otherwise, nil
	case len(plain) > 0:
		return plain[len(plain)-1], nil
	}
	if story == "" {
		story = "none"
	}
	return nil, fmt.Errorf("no turn fits: open story %s, iteration %d, attempt %d; add 'otherwise:'",
		story, iteration, attempt)
}

// openStory returns the id of the open story with the highest priority, ""
// where there is none or the plan cannot be read: a script without stories
// serves other kinds of plan.
func (s *Script) openStory(ctx context.Context, env environ) string {
	for i := range s.Turns {
		if s.Turns[i].Story != "" {
			plan, err := readPlan(env.prdPath(ctx))
			if err != nil {
				return ""
			}
			return plan.open()
		}
	}
	return ""
}

// number returns a counter of the environment; 1 where it is not set, so that
// a script can be tried by hand.
func (e environ) number(name string) int {
	n, err := strconv.Atoi(e.get(name))
	if err != nil || n < 1 {
		return 1
	}
	return n
}

// folder returns the feature folder. Outside a run, where RALPH_UNIT is not
// set, the unit is taken from the branch.
func (e environ) folder(ctx context.Context) string {
	unit := e.get("RALPH_UNIT")
	if unit == "" {
		cmd := exec.CommandContext(ctx, "git", "symbolic-ref", "--quiet", "--short", "HEAD")
		cmd.Dir, cmd.Env = e.dir, e.vars
		branch, err := cmd.Output()
		if err == nil {
			unit = strings.ReplaceAll(strings.TrimSpace(string(branch)), "/", "-")
		}
	}
	return filepath.Join(e.dir, ".ralph", unit)
}

func (e environ) prdPath(ctx context.Context) string {
	return filepath.Join(e.folder(ctx), "prd.json")
}
