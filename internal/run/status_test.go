package run_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
	"ralph/internal/run"
)

func foldStatus(events []journal.Event) run.Status { return run.Fold(events).Status() }

// TestStatusAlongARun checks the status after each number of events.
func TestStatusAlongARun(t *testing.T) {
	type view struct {
		Status, Reason, Story string
		Iteration, Complete   int
		Calls                 int
		Resumes               bool
		Input                 int64
	}
	events := oneRun()
	for _, tt := range []struct {
		after string
		n     int
		want  view
	}{
		{"the start", 1, view{"running", "", "", 0, 1, 7, false, 0}},
		{"the first iteration's start", 2, view{"running", "", "S-2", 1, 1, 7, false, 0}},
		{"the first call", 3, view{"running", "", "S-2", 1, 1, 8, false, 0}},
		{"the usage limit", 6, view{"paused", "usage_limit", "S-2", 1, 1, 8, true, 5}},
		{"the wait", 7, view{"running", "", "S-2", 1, 1, 8, false, 5}},
		{"the first iteration", 10, view{"running", "", "S-3", 1, 2, 9, false, 105}},
		{"the end", 15, view{"completed", "stories_complete", "", 2, 3, 10, false, 205}},
	} {
		s := foldStatus(events[:tt.n])
		got := view{string(s.Status), string(s.Reason), string(s.CurrentStory), s.Iteration, s.StoriesComplete,
			s.APICallsUsed, !s.ResumesAt.IsZero(), s.Tokens.Input}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("after %s: %s", tt.after, diff)
		}
		if !s.LastUpdated.Equal(events[tt.n-1].Time) {
			t.Errorf("after %s: last updated %v", tt.after, s.LastUpdated)
		}
	}
}

func TestBackingOffIsNoPause(t *testing.T) {
	s := foldStatus([]journal.Event{
		event(0, runStarted),
		event(1, journal.WaitStarted{Reason: "transient", Until: ptr(at(3)), Message: "overloaded, trying again"}),
	})
	if s.Status != "running" || s.Reason != "" || s.Message == "" || s.ResumesAt.IsZero() {
		t.Errorf("%+v", s)
	}
}

func TestANewRunBeginsTheStatusAnew(t *testing.T) {
	again := journal.Event{Time: at(900), Run: "r2", Body: runStarted}
	if diff := cmp.Diff(foldStatus([]journal.Event{again}), foldStatus(append(oneRun(), again))); diff != "" {
		t.Error(diff)
	}
}

func TestAPlanTakenOverIsCounted(t *testing.T) {
	s := foldStatus([]journal.Event{event(0, runStarted), event(1, journal.PlanChanged{Stories: []journal.Story{{ID: "S-9"}}})})
	if s.StoriesComplete != 0 || s.StoriesTotal != 1 {
		t.Errorf("%d/%d", s.StoriesComplete, s.StoriesTotal)
	}
}

func TestStatusOfADeadProcess(t *testing.T) {
	events := oneRun()
	if s := foldStatus(events[:6]).Crashed(); s.Status != "failed" || s.Reason != "crashed" || s.PID != 0 || !s.ResumesAt.IsZero() {
		t.Errorf("a run that was waiting: %+v", s)
	}
	ended := foldStatus(events)
	if diff := cmp.Diff(ended, ended.Crashed()); diff != "" {
		t.Errorf("a run that had ended: %s", diff)
	}
}

func TestStatusOfASuspendedProcess(t *testing.T) {
	events := oneRun()
	s := foldStatus(events[:6]).Suspended()
	if s.Status != "paused" || s.Reason != "suspended" || s.PID == 0 || !s.ResumesAt.IsZero() {
		t.Errorf("a run that was waiting: %+v", s)
	}
	ended := foldStatus(events)
	if diff := cmp.Diff(ended, ended.Suspended()); diff != "" {
		t.Errorf("a run that had ended: %s", diff)
	}
}

func TestStatusFile(t *testing.T) {
	got, err := foldStatus(oneRun()[:10]).JSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "iteration": 1,
  "maxIterations": 20,
  "status": "running",
  "feature": "Feature X",
  "storiesComplete": 2,
  "storiesTotal": 3,
  "apiCallsUsed": 9,
  "apiCallsLimit": 100,
  "rateLimitResetsAt": "2026-11-21T14:52:03.456Z",
  "startedAt": "2026-11-21T14:02:03.456Z",
  "lastUpdated": "2026-11-21T14:04:35.456Z",
  "schemaVersion": 1,
  "reason": null,
  "message": null,
  "pid": 123,
  "plan": "prd",
  "harness": "claude",
  "model": "m-1",
  "branch": "feature/x",
  "currentStory": "S-3",
  "iterationStartedAt": "2026-11-21T14:02:04.456Z",
  "resumesAt": null,
  "module": null,
  "tokens": {
    "input": 105,
    "output": 20,
    "cacheRead": 3000,
    "cacheWrite": 40
  },
  "tokensEstimated": false,
  "costUsd": 0.75,
  "parked": []
}
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}
func TestWhy(t *testing.T) {
	for want, s := range map[string]run.Status{
		"":               {Status: "stopped", Reason: "stopped"},
		"max iterations": {Status: "failed", Reason: "max_iterations"},
	} {
		if got := s.Why(); got != want {
			t.Errorf("%+v: %q, want %q", s, got, want)
		}
	}
}
