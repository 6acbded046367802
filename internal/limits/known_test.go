package limits_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
	"ralph/internal/limits"
	"ralph/internal/proc"
	"ralph/internal/ratelimit"
	"ralph/internal/registry"
	"ralph/internal/unit"
)

// waits records a loop of this process that waits.
func waits(t *testing.T, home, name string, rateLimit int, w journal.WaitStarted) registry.Entry {
	t.Helper()
	self, err := proc.Self()
	if err != nil {
		t.Fatal(err)
	}
	e := registry.Entry{Unit: name, Worktree: t.TempDir(), StateDir: filepath.Join(t.TempDir(), name)}
	if err := os.MkdirAll(e.StateDir, 0o755); err != nil {
		t.Fatal(err)
	}
	journalOf, err := journal.OpenWriter(journal.Path(e.StateDir))
	if err != nil {
		t.Fatal(err)
	}
	defer journalOf.Close()
	for _, b := range []journal.Body{
		journal.RunStarted{Schema: journal.SchemaVersion, Unit: name, Plan: journal.PlanPRD, Harness: "claude", RateLimit: rateLimit, PID: self.PID, PIDStart: self.Start}, w,
	} {
		if _, err := journalOf.Append("20260102-030405", time.Now(), b); err != nil {
			t.Fatal(err)
		}
	}
	if err := registry.Register(home, e); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestKnownNamesTheLoopsThatWait: at a limit that only the loop knows, and at the loop's own
// limit, which may be lower than that of the settings.
func TestKnownNamesTheLoopsThatWait(t *testing.T) {
	home, until := t.TempDir(), time.Now().Add(time.Hour).Truncate(time.Second).UTC()
	own := waits(t, home, "own", 1, journal.WaitStarted{Reason: journal.WaitRateLimit, Until: &until})
	theirs := waits(t, home, "theirs", 100, journal.WaitStarted{Reason: journal.ReasonUsageLimit, Until: &until, Message: "You've reached your usage limit."})
	waits(t, home, "paused", 100, journal.WaitStarted{Reason: journal.WaitPaused})
	if _, err := ratelimit.Open(ratelimit.Dir(home), "codex", 0).Take(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	list, err := limits.Known(home, []string{"claude", "gemini", "claude"}, 100, time.Now(), unit.Silent())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, h := range list {
		names = append(names, h.Harness)
	}
	if diff := cmp.Diff([]string{"claude", "gemini", "codex"}, names); diff != "" {
		t.Fatal(diff)
	}
	if list[0].CallsLimit != 1 || list[1].CallsLimit != 100 || list[2].Calls != 1 {
		t.Errorf("%+v", list)
	}
	got := map[string]limits.Waiting{}
	for _, w := range list[0].Waiting {
		got[w.Unit] = w
	}
	want := map[string]limits.Waiting{
		"own":    {Unit: "own", Worktree: own.Worktree, CallsLimit: 1, Until: got["own"].Until, Message: got["own"].Message},
		"theirs": {Unit: "theirs", Worktree: theirs.Worktree, Until: got["theirs"].Until, Message: "You've reached your usage limit."},
	}
	if diff := cmp.Diff(want, got); diff != "" || !got["theirs"].Until.Equal(until) {
		t.Error(diff, got["theirs"].Until)
	}
}
