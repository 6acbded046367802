package calls

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/agent"
	"ralph/internal/journal"
	"ralph/internal/recorder"
	"ralph/internal/run"
)

// TestRefusedRecordComesLater: a call's end that the journal refused for a moment is
// on record before the end of the run, once.
func TestRefusedRecordComesLater(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	w, err := journal.OpenWriter(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var observed []string
	rec := &recorder.Recorder{Shared: &run.Shared{}, Journal: w, Run: "r", Observe: func(e journal.Event) { observed = append(observed, e.Body.EventType()) }}
	team := &Team{Recorder: rec}
	rename(t, path, path+".away") // the journal refuses to write to a file without its name
	if err := team.ended(1, 1, agent.Outcome{Kind: journal.OutcomeOK}); err == nil {
		t.Fatal("the journal was away, and no error")
	}
	if err := rec.Record(journal.RunEnded{}); err == nil {
		t.Error("the run has an end, but not the call")
	}
	rename(t, path+".away", path)
	if err := errors.Join(rec.Record(journal.Warning{Message: "x"}), rec.Record(journal.RunEnded{})); err != nil {
		t.Fatal(err)
	}
	var recorded []string
	events, _, err := journal.ReadFile(path)
	for _, e := range events {
		recorded = append(recorded, e.Body.EventType())
	}
	want := []string{"attempt_ended", "warning", "run_ended"}
	if diff := cmp.Diff(want, recorded); diff != "" || err != nil {
		t.Errorf("journal (-want +got): %s error %v", diff, err)
	}
	if diff := cmp.Diff(want, observed); diff != "" {
		t.Errorf("observed (-want +got): %s", diff)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}
