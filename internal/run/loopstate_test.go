package run_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
	"ralph/internal/run"
)

func foldLoopState(events []journal.Event) run.LoopState { return run.Fold(events).LoopState() }

func TestLoopStateFile(t *testing.T) {
	got, err := foldLoopState(oneRun()).JSON()
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
	if s := foldLoopState([]journal.Event{event(0, change)}); s.ChangeID != "add-login" {
		t.Errorf("%+v", s)
	}
}
