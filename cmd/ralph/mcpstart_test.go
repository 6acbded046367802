package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestMCPStartsALoopThatOutlivesIt starts a loop, ends the server and everything
// in its process group, and stops the loop through another server.
func TestMCPStartsALoopThatOutlivesIt(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	c := newMCPClient(s, "--allow-start")
	started := c.must("start_loop", map[string]any{"maxIterations": 3, "prompt": "--not a flag"})
	pid := int(started.Get("pid").Int())
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGTERM) })
	if _, refused := c.call("start_loop", nil); refused != "a loop is already running on feature-x" {
		t.Errorf("a second loop: %q", refused)
	}
	if sid, err := syscall.Getpgid(pid); err != nil || sid != pid {
		t.Errorf("the loop is in the group %d, not in its own: %v", sid, err)
	}
	log := started.Get("log").String()
	if info, err := os.Stat(log); err != nil || info.Mode().Perm() != 0o600 || log != filepath.Join(s.repo, ".ralph/feature-x/logs/start.log") {
		t.Errorf("the log %s: %v, %v", log, info, err)
	}
	if err := c.session.Close(); err != nil {
		t.Fatal(err)
	}
	c = newMCPClient(s)
	status := c.must("get_status", nil).Get("status")
	if !status.Get("alive").Bool() || int(status.Get("pid").Int()) != pid || status.Get("maxIterations").Int() != 3 {
		t.Errorf("after the client has gone: %s", status)
	}
	if task := c.must("get_plan", nil).Get("task").String(); task != "--not a flag" {
		t.Errorf("the task of the loop is %q", task)
	}
	stopped := c.must("stop_loop", nil)
	if !stopped.Get("stopped").Bool() || stopped.Get("message").String() != "feature-x has stopped" {
		t.Errorf("stopped: %s", stopped)
	}
	if reason := c.must("get_status", nil).Get("status.reason").String(); reason != "stopped" {
		t.Errorf("the reason is %q", reason)
	}
	s.nothingLeft()
}

// TestMCPStartRefuses says why nothing is started.
func TestMCPStartRefuses(t *testing.T) {
	t.Parallel()
	s := newScratch(t, onestory)
	inAgent := *s
	inAgent.env = append(slices.Clone(s.env), "RALPH_RUN_TOKEN=x")
	if _, refused := newMCPClient(&inAgent, "--allow-start").call("start_loop", nil); !strings.Contains(refused, "would end with that agent") {
		t.Errorf("in an agent: %q", refused)
	}
	c := newMCPClient(s, "--allow-start")
	if err := os.Remove(filepath.Join(s.repo, ".ralph/feature-x/spec.md")); err != nil {
		t.Fatal(err)
	}
	if _, refused := c.call("start_loop", nil); !strings.Contains(refused, "the run cannot start: ") || !strings.Contains(refused, "spec.md") {
		t.Errorf("without spec.md: %q", refused)
	}
	if err := os.Remove(filepath.Join(s.repo, ".ralph/feature-x/prd.json")); err != nil {
		t.Fatal(err)
	}
	if _, refused := c.call("get_plan", nil); !strings.HasSuffix(refused, "; the unit has no plan yet") {
		t.Errorf("without prd.json: %q", refused)
	}
	s.git("checkout", "-q", "--detach")
	if _, refused := c.call("start_loop", nil); !strings.Contains(refused, "Not on a branch") {
		t.Errorf("detached: %q", refused)
	}
	if _, err := os.Stat(filepath.Join(s.repo, ".ralph/feature-x/logs/start.log")); err == nil {
		t.Error("something was started")
	}
}

// TestMCPWorksOnAChange finds a change that has never run, reads it, runs it and ends it,
// by its id alone.
func TestMCPWorksOnAChange(t *testing.T) {
	t.Parallel()
	s := newChange(t, changeHangs)
	c := newMCPClient(s, "--allow-start")
	unit := map[string]any{"unit": s.unit, "spec": true}
	p := c.must("get_plan", unit)
	if p.Get("kind").String() != "change" || p.Get("total").Int() != 2 || p.Get("spec").String() != "# Add X\n" {
		t.Errorf("the plan: %s", p)
	}
	delete(unit, "spec")
	if v := c.must("validate", unit); !v.Get("ok").Bool() || v.Get("unit").String() != s.unit {
		t.Errorf("validate: %s", v)
	}
	for _, tool := range []string{"validate", "start_loop"} {
		if _, refused := c.call(tool, nil); !strings.HasSuffix(refused, "there are changes: "+s.unit+"; name it with the argument unit") {
			t.Errorf("%s without a name: %q", tool, refused)
		}
	}
	started := c.must("start_loop", unit)
	pid := int(started.Get("pid").Int())
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGTERM) })
	waitFor(t, "the first task", func() bool { return c.must("get_plan", unit).Get("done").Int() == 1 })
	// The loop that runs in the worktree needs no name, as on the command line.
	if status := c.must("get_status", nil); status.Get("unit").String() != s.unit || !status.Get("status.alive").Bool() {
		t.Errorf("the status: %s", status)
	}
	if stopped := c.must("stop_loop", nil); stopped.Get("message").String() != s.unit+" has stopped" {
		t.Errorf("stopped: %s", stopped)
	}
	if status := c.must("get_status", nil); status.Get("status.recent.0.outcome").String() != "interrupted" {
		t.Errorf("the status at the end: %s", status)
	}
	s.nothingLeft()
}

// TestMCPStartThatFails: the answer has the loop's own error and hint.
func TestMCPStartThatFails(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	c := newMCPClient(s, "--allow-start")
	pid := int(c.must("start_loop", nil).Get("pid").Int())
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGTERM) })
	s.git("checkout", "-q", "-b", "feature/y")
	_, refused := c.call("start_loop", map[string]any{"prompt": "something else"})
	if !strings.HasPrefix(refused, "the loop ended before its first event: this worktree is in use: ") || !strings.Contains(refused, "git worktree add") {
		t.Errorf("in a worktree with a loop: %q", refused)
	}
	c.must("stop_loop", map[string]any{"unit": "feature-x"})
	s.nothingLeft()
}
