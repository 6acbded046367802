package notify

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/stream"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestWhichEventsNotify(t *testing.T) {
	ended := func(status journal.RunStatus, reason journal.Reason) journal.RunEnded {
		return journal.RunEnded{Status: status, Reason: reason}
	}
	for _, c := range []struct {
		body journal.Body
		want string
	}{
		{ended("completed", "stories_complete"), Done},
		{ended("completed", "promise"), Done},
		{ended("failed", "no_progress"), Stuck},
		{ended("failed", "same_error"), Stuck},
		{ended("failed", "max_iterations"), Failed},
		{ended("failed", "crashed"), Failed},
		{ended("failed", "auth"), Failed},
		{ended("stopped", "usage_limit"), Waiting},
		{ended("stopped", "waiting_for_person"), Waiting},
		{ended("stopped", "interrupted"), ""},
		{ended("stopped", "stopped"), ""},
		{journal.WaitStarted{Reason: "usage_limit"}, Waiting},
		{journal.WaitStarted{Reason: "rate_limit"}, Waiting},
		{journal.WaitStarted{Reason: "transient"}, ""},
		{journal.WaitStarted{Reason: "paused"}, ""},
		{journal.IterationEnded{}, ""},
	} {
		n, worth := Of(journal.Event{Time: now, Body: c.body}, run.Status{})
		if n.Event != c.want || worth != (c.want != "") {
			t.Errorf("%+v: %q, %t; want %q", c.body, n.Event, worth, c.want)
		}
	}
}

// TestNoticeAsJSON is what a user's command reads: the keys are promised in the
// documentation.
func TestNoticeAsJSON(t *testing.T) {
	var s run.State
	cost := 0.25
	events := []journal.Event{
		{Time: now, Run: "r1", Body: journal.RunStarted{Unit: "feature-x", Branch: "feature/x", Worktree: "/w", Plan: "prd", MaxIterations: 20,
			Stories: []journal.Story{{ID: "A", Done: true}, {ID: "B"}}}},
		{Time: now, Run: "r1", Body: journal.IterationStarted{N: 3}},
		{Time: now, Run: "r1", Body: journal.AttemptEnded{N: 3, Tokens: stream.Tokens{Input: 5, Output: 7}, CostUSD: &cost}},
	}
	reset := now.Add(time.Hour)
	last := journal.Event{Time: now, Run: "r1", Body: journal.WaitStarted{Reason: "usage_limit", Until: &reset, Message: "no \x1b[2Jmore"}}
	for _, e := range append(events, last) {
		s.Apply(e)
	}
	n, _ := Of(last, s.Status())
	var got map[string]any
	if err := json.Unmarshal(n.line(), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"event": "waiting", "unit": "feature-x", "branch": "feature/x", "worktree": "/w", "run": "r1", "status": "paused", "reason": "usage_limit",
		"message": "no more", "iteration": 3.0, "maxIterations": 20.0, "storiesComplete": 1.0, "storiesTotal": 2.0,
		"tokens":  map[string]any{"input": 5.0, "output": 7.0, "cacheRead": 0.0, "cacheWrite": 0.0},
		"costUsd": 0.25, "resumesAt": "2026-03-01T13:00:00Z", "time": "2026-03-01T12:00:00Z",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
