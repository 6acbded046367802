package run_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
	"ralph/internal/run"
)

// TestChangeStateOfASharedJournal: a branch has the name of the change, and its runs are
// between those of the change.
func TestChangeStateOfASharedJournal(t *testing.T) {
	ofChange := runStarted
	ofChange.Change, ofChange.Module, ofChange.Plan = "002-01_add-x", "002", "change"
	var s run.State
	apply := func(id string, events ...journal.Event) {
		for _, e := range events {
			e.Run = id
			s.Apply(e)
		}
	}
	apply("r1", event(0, ofChange),
		event(1, journal.IterationStarted{N: 1}),
		event(5, journal.ClaimRejected{N: 1, Claim: "promise", Reason: "1 task is still open"}),
		event(6, journal.IterationEnded{N: 1, Outcome: "ok", Promised: true, ChangedFiles: ptr(3)}),
		event(7, journal.IterationStarted{N: 2}))
	first := run.ChangeIteration{Run: "r1", N: 1, Timestamp: at(6).UnixMilli(), Duration: 5000, Promised: true, ChangedFiles: 3, Outcome: "ok"}
	want := run.ChangeState{ChangeID: "002-01_add-x", Module: "002", SchemaVersion: run.ChangeStateSchema, Iteration: 2,
		LastOutcome: "ok", LastFailure: "1 task is still open", History: []run.ChangeIteration{first}}
	same := func(when string) {
		t.Helper()
		if diff := cmp.Diff(want, s.ChangeState()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	same("at work")

	apply("r2", oneRun()...)
	want.ChangeID = ""
	same("after a run of the branch")

	apply("r3", event(200, ofChange), event(201, journal.IterationStarted{N: 1}),
		event(203, journal.IterationEnded{N: 1, Outcome: "error", Error: "no model", ExitCode: 1}),
		event(204, journal.IterationStarted{N: 2}), event(205, journal.IterationEnded{N: 2, Outcome: "ok", Promised: true, Done: true}))
	want.ChangeID, want.LastFailure = ofChange.Change, ""
	want.History = append(want.History, run.ChangeIteration{Run: "r3", N: 1, Timestamp: at(203).UnixMilli(), Duration: 2000, ExitCode: 1, Outcome: "error"},
		run.ChangeIteration{Run: "r3", N: 2, Timestamp: at(205).UnixMilli(), Duration: 1000, Promised: true, Outcome: "ok", Validated: true})
	same("at the end")
}
