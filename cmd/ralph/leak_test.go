package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ralph/internal/journal"
)

// TestNoGoroutineIsLeft runs whole loops in this process, to every kind of end.
func TestNoGoroutineIsLeft(t *testing.T) {
	for _, c := range []struct {
		name, script string
		args         []string
		exit         int
	}{
		{name: "done", script: finishes},
		{name: "out of iterations", script: "turns: [{steps: [{say: x}]}]", args: []string{"-n", "2"}, exit: 1},
		{name: "timeout", script: polite, args: []string{"-n", "1", "--timeout", "300ms"}, exit: 1},
		{name: "no agent", script: finishes, args: []string{"--harness", "claude"}, exit: 1},
		{name: "usage limit", script: "turns: [{steps: [{limit: {resets_in: 1h}}]}]", args: []string{"--on-limit", "exit"}, exit: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScratch(t, c.script)
			s.enter(t)
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			if code := execute(append([]string{"run", "--harness", "replay", "--pause", "0", "--skip-preflight"}, c.args...)); code != c.exit {
				t.Errorf("exit status %d, want %d", code, c.exit)
			}
		})
	}
	t.Run("stopped", func(t *testing.T) {
		s := newScratch(t, polite)
		s.enter(t)
		defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
		code := make(chan int)
		go func() { code <- execute([]string{"run", "--harness", "replay"}) }()
		waitFor(t, "the agent", func() bool {
			data, _ := os.ReadFile(s.repo + "/.git/ralph/feature-x/" + journal.FileName)
			return strings.Contains(string(data), "agent_started")
		})
		if out, err := s.command(s.bin, "stop").CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		select {
		case got := <-code:
			if got != 143 {
				t.Errorf("exit status %d", got)
			}
		case <-time.After(patience):
			t.Fatal("it did not stop")
		}
	})
}

// enter makes the scratch repository this process's own, and its output silent.
func (s *scratch) enter(t *testing.T) {
	t.Helper()
	t.Chdir(s.repo)
	for _, kv := range s.env {
		name, value, _ := strings.Cut(kv, "=")
		t.Setenv(name, value)
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	out, errs := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = null, null
	t.Cleanup(func() { os.Stdout, os.Stderr = out, errs; null.Close() })
}
