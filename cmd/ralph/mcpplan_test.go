package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

// titles are the items of a plan as a client sees them, with a mark for done.
func titles(plan gjson.Result) (list []string) {
	for _, it := range plan.Get("items").Array() {
		mark := "- "
		if it.Get("done").Bool() {
			mark = "x "
		}
		list = append(list, mark+it.Get("title").String())
	}
	return list
}

// TestMCPPlanOfAnArchivedUnit: its tasks are those of its record. What stands in the
// worktree now may be another list.
func TestMCPPlanOfAnArchivedUnit(t *testing.T) {
	for _, c := range []struct {
		kind, file string
		args       []string
	}{
		{"tasks", "tasks.md", []string{"--done", "tasks"}},
		{"change", "openspec/changes/login/tasks.md", []string{"--change", "login"}},
	} {
		t.Run(c.kind, func(t *testing.T) {
			s := newScratch(t, "turns: [{steps: [{tick_task: {task: one, path: "+c.file+"}}, {git_commit: one}]}]\n"+
				"otherwise: [{tick_task: {task: two, path: "+c.file+"}}, {git_commit: two}, {promise: true}]\n")
			s.git("checkout", "-qb", "login")
			s.git("rm", "-rq", ".ralph/feature-x")
			s.write("openspec/changes/login/proposal.md", "# Log in\n")
			s.write(c.file, "- [ ] one\n- [ ] two\n")
			s.git("add", "-A")
			s.git("commit", "-q", "-m", "tasks")
			if out, code := s.run(append([]string{"--harness", "replay", "--pause", "0"}, c.args...)...); code != 0 {
				t.Fatalf("exit status %d\n%s", code, out)
			}
			s.output("archive")
			s.write(c.file, "- [ ] something else\n")
			plan := newMCPClient(s).must("get_plan", map[string]any{"unit": "login", "spec": true})
			if plan.Get("archive").String() == "" || plan.Get("kind").String() != c.kind || plan.Get("done").Int() != 2 || plan.Get("total").Int() != 2 {
				t.Errorf("the plan is %s", plan)
			}
			if diff := cmp.Diff([]string{"x one", "x two"}, titles(plan)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestMCPFindsWhatHasNotRun in a worktree that is named: the one of the server, or one
// in which another unit has run.
func TestMCPFindsWhatHasNotRun(t *testing.T) {
	s := newChange(t, "turns: [{steps: [{say: nothing}]}]")
	outside := *s
	outside.repo = t.TempDir()
	args := map[string]any{"unit": "002-01_add-x", "worktree": s.repo}
	if got := titles(newMCPClient(s).must("get_plan", args)); len(got) != 2 {
		t.Errorf("in the worktree: %q", got)
	}
	if _, refused := newMCPClient(&outside).call("get_plan", args); !strings.Contains(refused, "there is no such unit in ") {
		t.Errorf("ralph knows nothing of that worktree: %q", refused)
	}
	_, _ = s.run("--harness", "replay", "--pause", "0", "-n", "1", "--done", "manual", "be quick")
	if got := titles(newMCPClient(&outside).must("get_plan", args)); len(got) != 2 {
		t.Errorf("from elsewhere: %q", got)
	}
	if answer := newMCPClient(&outside).must("validate", args); answer.Get("unit").String() != "002-01_add-x" {
		t.Errorf("validate: %s", answer)
	}
}
