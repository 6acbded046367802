package journal_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
)

func foldLoopState(events []journal.Event) journal.LoopState {
	var s journal.LoopState
	for _, e := range events {
		s.Apply(e)
	}
	return s
}

func TestLoopStateFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".claude", "loop-state.json")
	state := foldLoopState(oneRun())
	if err := journal.WriteLoopState(path, &state); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "worktree_name": "shop",
  "change_id": "feature-x",
  "status": "done",
  "current_iteration": 2,
  "max_iterations": 20,
  "started_at": "2026-11-21T14:02:03.456Z",
  "task": "the stories of feature-x",
  "done_criteria": "prd",
  "stall_threshold": 3,
  "iteration_timeout_min": 1.5,
  "total_tokens": 240,
  "terminal_pid": 123,
  "pid": 123,
  "iterations": [
    {
      "n": 1,
      "started": "2026-11-21T14:02:04.456Z",
      "ended": "2026-11-21T14:04:35.456Z",
      "done_check": false,
      "commits": [
        "bbb"
      ],
      "tokens_used": 120,
      "exit_reason": "timeout",
      "timed_out": true
    },
    {
      "n": 2,
      "started": "2026-11-21T14:04:37.456Z",
      "ended": "2026-11-21T14:04:44.456Z",
      "done_check": true,
      "commits": [],
      "tokens_used": 120,
      "exit_reason": "ok"
    }
  ]
}
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestLoopStateAlongARun(t *testing.T) {
	for _, tt := range []struct {
		n          int // events
		status     string
		iterations int
	}{{1, "starting", 0}, {2, "starting", 1}, {3, "running", 1}, {6, "running", 1}, {10, "running", 1}, {11, "running", 2}} {
		if s := foldLoopState(oneRun()[:tt.n]); s.Status != tt.status || len(s.Iterations) != tt.iterations {
			t.Errorf("after %d events: %s, %d iterations", tt.n, s.Status, len(s.Iterations))
		}
	}
}

func TestLoopStateAtTheEnd(t *testing.T) {
	for _, tt := range []struct{ status, reason, want string }{
		{"completed", "stories_complete", "done"},
		{"completed", "tasks_complete", "done"},
		{"completed", "promise", "done"},
		{"failed", "max_iterations", "stuck"},
		{"failed", "same_error", "stuck"},
		{"failed", "budget", "stuck"},
		{"failed", "auth", "stuck"},
		{"failed", "agent_missing", "stuck"},
		{"failed", "branch_changed", "stuck"},
		{"failed", "error", "stuck"},
		{"failed", "no_progress", "stalled"},
		{"stopped", "waiting_for_person", "stopped"},
		{"stopped", "usage_limit", "stopped"},
		{"stopped", "interrupted", "stopped"},
		{"stopped", "stopped", "stopped"},
		{"failed", "crashed", "stopped"},
	} {
		s := foldLoopState([]journal.Event{event(0, runStarted), event(1, journal.RunEnded{Status: journal.RunStatus(tt.status), Reason: journal.Reason(tt.reason)})})
		if s.Status != tt.want {
			t.Errorf("%s: %s, want %s", tt.reason, s.Status, tt.want)
		}
	}
}

func TestLoopStateOfARefusedAttempt(t *testing.T) {
	events := append(oneRun()[:5], event(5, journal.RunEnded{Status: "stopped", Reason: "usage_limit"}))
	if s := foldLoopState(events); s.Status != "stopped" || len(s.Iterations) != 0 || s.TotalTokens != 0 {
		t.Errorf("%+v", s)
	}
}

func TestLoopStateOfAChange(t *testing.T) {
	change := runStarted
	change.Change = "add-login"
	if s := foldLoopState([]journal.Event{event(0, change)}); s.ChangeID != "add-login" || s.Crashed().Status != "stopped" {
		t.Errorf("%+v", s)
	}
}

func TestADirectoryInItsPlaceIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "loop-state.json")
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := journal.WriteLoopState(path, &journal.LoopState{}); err == nil || !strings.Contains(err.Error(), path+" cannot be written: it is a directory") {
		t.Errorf("got %v", err)
	}
}

// What is remembered of a file that is written again and again must not show in it.
func TestRewrittenFilesAreThoseOfAFreshFold(t *testing.T) {
	dir := t.TempDir()
	content := func(write func(path string) error) string {
		t.Helper()
		path := filepath.Join(dir, "file.json")
		if err := write(path); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	events := append(oneRun(), oneRun()...) // a run begins the loop-state anew, not the history of a change
	var loop journal.LoopState
	var change journal.ChangeState
	for i, e := range events {
		loop.Apply(e)
		change.Apply(e)
		freshLoop := foldLoopState(events[:i+1])
		var freshChange journal.ChangeState
		for _, e := range events[:i+1] {
			freshChange.Apply(e)
		}
		if diff := cmp.Diff(content(func(path string) error { return journal.WriteLoopState(path, &freshLoop) }),
			content(func(path string) error { return journal.WriteLoopState(path, &loop) })); diff != "" {
			t.Fatalf("loop-state after event %d:\n%s", i, diff)
		}
		again := content(func(path string) error { return journal.WriteChangeState(path, &change) })
		if diff := cmp.Diff(content(func(path string) error { return journal.WriteChangeState(path, &freshChange) }), again); diff != "" {
			t.Fatalf("state of the change after event %d:\n%s", i, diff)
		}
		if !json.Valid([]byte(again)) {
			t.Fatalf("no JSON after event %d:\n%s", i, again)
		}
	}
}
