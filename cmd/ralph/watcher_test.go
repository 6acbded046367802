package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ralph/internal/awake"
	"ralph/internal/journal"
	"ralph/internal/notify"
	"ralph/internal/run"
)

// TestAwakeDuringTheRun: a run that the user has paused lets the machine sleep.
func TestAwakeDuringTheRun(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "held")
	a := &watcher{
		keeper: awake.New([][]string{{"/bin/sh", "-c", "echo held >>" + log + "; exec cat"}}),
		sender: notify.New(notify.Options{}),
		status: func() run.Status { return run.Status{} },
	}
	defer a.close(t.Context())
	held := func(times int) {
		t.Helper()
		waitFor(t, "the machine to be kept awake", func() bool {
			data, _ := os.ReadFile(log)
			return strings.Count(string(data), "\n") == times
		})
	}
	tell := func(b journal.Body) { a.event(journal.Event{Body: b}) }
	tell(journal.RunStarted{})
	held(1)
	tell(journal.WaitStarted{Reason: "rate_limit"}) // is still held: no second beginning
	tell(journal.WaitEnded{Reason: "rate_limit"})
	tell(journal.WaitStarted{Reason: "paused"})
	tell(journal.WaitEnded{Reason: "paused"})
	held(2)
	tell(journal.RunEnded{})
}
