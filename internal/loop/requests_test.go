package loop

import (
	"testing"
	"time"

	"ralph/internal/journal"
	"ralph/internal/recorder"
	"ralph/internal/run"
)

// TestAPlanStaysInTheInbox: what could not be recorded was not taken over, and the next run
// has to find it.
func TestAPlanStaysInTheInbox(t *testing.T) {
	dir := t.TempDir()
	inbox, err := journal.OpenInbox(dir)
	if err != nil {
		t.Fatal(err)
	}
	name, err := inbox.Post(time.Now(), journal.Request{Kind: journal.RequestPlan, Text: "# New"})
	if err != nil {
		t.Fatal(err)
	}
	w, err := journal.OpenWriter(journal.Path(dir))
	if err != nil {
		t.Fatal(err)
	}
	w.Close() // nothing can be written
	l := &Loop{Inbox: inbox, Recorder: &recorder.Recorder{Shared: &run.Shared{}, Journal: w, Run: "r"}}
	l.requests = requests{inbox: inbox, recorder: l.Recorder}
	if err := l.requests.read(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.newPlan(); err == nil || !inbox.Pending(name) {
		t.Errorf("%v, and the plan waits: %v", err, inbox.Pending(name))
	}
}
