package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ralph/internal/journal"
	"ralph/internal/run"
)

const changeHangs = `turns:
  - steps:
      - tick_task: {task: one, path: .ito/changes/002-01_add-x/tasks.md}
      - git_commit: one
      - say: working
      - hang: true
`

// newChange is a scratch repository with a change of Ito, on a branch without a feature.
func newChange(t *testing.T, script string) *scratch {
	t.Helper()
	s := newScratch(t, script)
	s.unit = "002-01_add-x"
	s.write(".ito/changes/002-01_add-x/proposal.md", "# Add X\n")
	s.write(".ito/changes/002-01_add-x/tasks.md", "- [ ] one\n- [ ] two\n")
	s.git("rm", "-rq", ".ralph/feature-x")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "a change")
	return s
}

// TestKilledRalphOfAChange: the crash is on record where programs look for the change,
// with the commits of the iteration that it cut off.
func TestKilledRalphOfAChange(t *testing.T) {
	t.Parallel()
	s := newChange(t, changeHangs)
	cmd, out := s.start("working", "--change", "2-1")
	var before run.State
	if _, err := journal.Scan(journal.Path(s.repo+"/.git/ralph/002-01_add-x"), before.Apply); err != nil {
		t.Fatal(err)
	}
	guardian := childOf(t, int(before.Status().PID))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = s.finish(cmd, out)
	waitFor(t, "the guardian's end", func() bool { return errors.Is(syscall.Kill(guardian, 0), syscall.ESRCH) })

	var state run.ChangeState
	if err := json.Unmarshal([]byte(s.read(".ito/.state/ralph/002-01_add-x/state.json")), &state); err != nil {
		t.Fatal(err)
	}
	if len(state.History) != 1 || state.LastOutcome != "crash" || state.LastFailure != "ralph itself died" {
		t.Errorf("the state is %+v", state)
	}
	var rows []run.Row
	if err := json.Unmarshal(s.output("history", "--json"), &rows); err != nil || len(rows) != 1 || len(rows[0].Commits) != 1 || rows[0].Outcome != "crash" {
		t.Errorf("the history is %+v, %v", rows, err)
	}
	if text := s.read(".claude/loop-state.json"); !strings.Contains(text, `"status": "stopped"`) || !strings.Contains(text, `"exit_reason": "crash"`) {
		t.Errorf("the loop's state is\n%s", text)
	}
}

// TestCommandsOfAChangeAtWork need no name: they mean the loop in the worktree.
func TestCommandsOfAChangeAtWork(t *testing.T) {
	t.Parallel()
	s := newChange(t, changeHangs)
	cmd, out := s.start("working", "--change", "add-x")
	for _, c := range []struct{ args, want string }{
		{"context add careful", "the agent of 002-01_add-x gets this text from the next iteration on"},
		{"context add slowly --change 2-1", "the agent of 002-01_add-x gets this text from the next iteration on"},
		{"context show", "- careful\n- slowly\n"},
		{"context show --json", "{\n  \"unit\": \"002-01_add-x\",\n  \"context\": [\n    \"careful\",\n    \"slowly\"\n  ]\n}\n"},
		{"context clear", "the agent of 002-01_add-x gets only the plan from the next iteration on"},
		{"context show", "002-01_add-x has no added context"},
		{"context show --json", "\"context\": []"},
		{"pause", "002-01_add-x pauses after the current iteration"},
		{"status", "Status:     Running, LIVE"},
		{"monitor --once", "Status: Running  LIVE"},
		{"monitor --once --change 2-1", "Status: Running  LIVE"},
		{"why", "002-01_add-x  run "},
		{"report --md", "0 of 2 tasks"},
		{"pr --json", `"title": "`},
		{"why --change 2-1", "002-01_add-x  run "},
		{"report --md --change 2-1", "0 of 2 tasks"},
		{"pr --json --change 2-1", `"title": "`},
		{"stop --change 2-1", "002-01_add-x has stopped"},
		{"stop", "no loop is running on 002-01_add-x: nothing to stop"},
	} {
		if got := string(s.output(strings.Fields(c.args)...)); !strings.Contains(got, c.want) {
			t.Errorf("ralph %s said %q, want %q", c.args, got, c.want)
		}
	}
	if rest, code := s.finish(cmd, out); code != 143 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
}

// TestStartAsksWhichChange: the loop in the background does not ask again, because no one
// would answer.
func TestStartAsksWhichChange(t *testing.T) {
	t.Parallel()
	s := newChange(t, changeHangs)
	s.write(".ralph/config.yaml", "harness: replay\n")
	s.env = append(s.env, "TERM=xterm-256color", "LANG=C.UTF-8")
	p := s.onTTY(100, 30, s.bin, "start", "--terminal", "none", "--", "--be careful")
	p.shows("Which change?")
	p.press("1\r")
	p.shows("is running without a terminal")
	if code := p.ends(); code != 0 {
		t.Errorf("exit status %d\n%s", code, p.text())
	}
	waitFor(t, "the loop's state with its task", func() bool { // it may be older than the journal
		text, _ := os.ReadFile(filepath.Join(s.repo, ".claude/loop-state.json"))
		return strings.Contains(string(text), `"task": "--be careful"`)
	})
	if out := string(s.output("stop")); !strings.Contains(out, "002-01_add-x has stopped") {
		t.Error(out)
	}

	// Without a word on what to do either: which change is all that there is to ask.
	p = s.onTTY(100, 30, s.bin, "start")
	p.shows("Which change?")
	p.press("\x03")
	if code := p.ends(); code != 130 {
		t.Errorf("exit status %d\n%s", code, p.text())
	}
	s.nothingLeft()
}

// TestStopNamesADeadChange: the crash is on record where the change has its state,
// and nowhere else.
func TestStopNamesADeadChange(t *testing.T) {
	t.Parallel()
	s := newChange(t, changeHangs)
	cmd, out := s.start("working", "--change", "2-1")
	s.killBoth(cmd.Process)
	_, _ = s.finish(cmd, out)
	if said := string(s.output("stop", "002-01_add-x")); !strings.Contains(said, "was cut off") {
		t.Errorf("stop said %q", said)
	}
	if text := s.read(".ito/.state/ralph/002-01_add-x/state.json"); !strings.Contains(text, `"lastOutcome": "crash"`) {
		t.Errorf("the state is\n%s", text)
	}
	if _, err := os.Stat(filepath.Join(s.repo, ".ralph/002-01_add-x")); err == nil {
		t.Error("there is a folder of its name among the features")
	}
	s.nothingLeft()
}
