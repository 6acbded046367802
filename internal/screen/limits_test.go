package screen

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
	"ralph/internal/limits"
	"ralph/internal/terminal"
	"ralph/internal/words"
)

// TestShowLimits: a waiting loop is shown with its own limit, or with a limit that only it knows.
func TestShowLimits(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	reset, share := now.Add(-time.Hour), 0.999
	var out bytes.Buffer
	l := limits.Harness{Harness: "claude", Calls: 1, CallsLimit: 1, CallsResetAt: now.Add(90 * time.Second),
		Waiting: []limits.Waiting{{Unit: "a", Worktree: "/a", CallsLimit: 1}, {Unit: "b", Worktree: "/b", Message: "no more"}},
		Windows: []limits.Window{{LimitWindow: journal.LimitWindow{Window: "five_hour", Utilization: &share}, SeenAt: now.Add(-time.Minute)},
			{LimitWindow: journal.LimitWindow{Rejected: true, ResetsAt: &reset}, SeenAt: now}}}
	ShowLimits(&terminal.Terminal{Out: &out}, l, now)
	want := `claude
  Calls:   1/1 this hour (resets in 2m)
  Tokens:  0 this hour
  Waiting: a in /a, at its own limit of 1 call an hour
  Waiting: b in /b, which only it knows of: no more
  Account: five hour 99% used; seen 1m ago
  Account: limit used up, started again at ` + words.Local(reset) + `; seen 0s ago
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}
