package journal_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"ralph/internal/journal"
)

// TestPeekTouchesNothing: what is no request stays where it is, and so does what
// is one.
func TestPeekTouchesNothing(t *testing.T) {
	dir := t.TempDir()
	inbox, err := journal.OpenInbox(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := inbox.Post(time.Now(), journal.Request{Kind: "stop"}); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "inbox", "broken.json")
	if err := os.WriteFile(broken, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		mail, err := journal.Peek(dir)
		if err != nil || len(mail) != 1 || !mail[0].Request.Passing() {
			t.Fatalf("%+v, %v", mail, err)
		}
	}
	if _, err := os.Stat(broken); err != nil {
		t.Error(err)
	}
}

func TestRequestsForTheRunAtWork(t *testing.T) {
	for kind, want := range map[string]bool{"stop": true, "pause": true, "resume": true, "plan": false, "context": false, "context_clear": false} {
		if got := (journal.Request{Kind: journal.RequestKind(kind)}).Passing(); got != want {
			t.Errorf("%s: %v", kind, got)
		}
	}
}
