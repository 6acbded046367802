package limits

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/archive"
	"ralph/internal/journal"
	"ralph/internal/registry"
	"ralph/internal/stream"
)

// now is in the middle of an hour, so that a test knows what belongs to it.
var now = time.Now().UTC().Truncate(time.Hour).Add(30 * time.Minute)

// scribe writes journals as a loop does, at times of its own.
type scribe struct {
	t *testing.T
	w *journal.Writer
}

func newScribe(t *testing.T, path string) scribe {
	t.Helper()
	w, err := journal.OpenWriter(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return scribe{t, w}
}

func (s scribe) write(minutesAgo int, b journal.Body) {
	s.t.Helper()
	if _, err := s.w.Append("20260101-000000", now.Add(-time.Duration(minutesAgo)*time.Minute), b); err != nil {
		s.t.Fatal(err)
	}
}

func (s scribe) attempt(minutesAgo int, harness string, output int64, limits ...journal.LimitWindow) {
	s.t.Helper()
	s.write(minutesAgo+1, journal.AttemptStarted{N: 1, Attempt: 1, Harness: harness})
	cost := 0.5
	s.write(minutesAgo, journal.AttemptEnded{N: 1, Attempt: 1, Outcome: "ok", Tokens: stream.Tokens{Output: output}, CostUSD: &cost, Limits: limits})
}

func entry(dir, unit string) registry.Entry {
	return registry.Entry{Unit: unit, Worktree: filepath.Join(dir, "tree"), StateDir: filepath.Join(dir, "state", unit)}
}

func share(f float64) *float64 { return &f }

func TestTokensOfTheHourByHarness(t *testing.T) {
	dir := t.TempDir()
	a := newScribe(t, journal.Path(entry(dir, "a").StateDir))
	a.attempt(120, "claude", 1000) // two hours ago
	a.attempt(31, "claude", 100)   // started and ended in the hour before
	a.attempt(29, "claude", 10)    // started in the hour before, ended in this one
	a.attempt(5, "codex", 7)       // a fallback took over
	b := newScribe(t, journal.Path(entry(dir, "b").StateDir))
	b.write(9, journal.RunStarted{Harness: "claude"})
	b.attempt(1, "claude", 1)

	uses, warnings := Collect([]registry.Entry{entry(dir, "a"), entry(dir, "b"), entry(dir, "never-ran")}, now)
	want := map[string]*Use{
		"claude": {Tokens: stream.Tokens{Output: 11}, CostUSD: share(1)},
		"codex":  {Tokens: stream.Tokens{Output: 7}, CostUSD: share(0.5)},
	}
	if diff := cmp.Diff(want, uses); diff != "" || warnings != nil {
		t.Error(diff, warnings)
	}
}

// TestALongJournal: the events of the hour lie after a piece of the journal that
// is longer than what is read first, and before one.
func TestALongJournal(t *testing.T) {
	dir := t.TempDir()
	s := newScribe(t, journal.Path(entry(dir, "a").StateDir))
	filler := journal.Warning{Message: strings.Repeat("x", 60<<10)}
	s.write(100, journal.RunStarted{Harness: "claude"})
	s.attempt(90, "claude", 1000)
	for range 5 {
		s.write(80, filler)
	}
	s.attempt(20, "claude", 3)
	for range 5 {
		s.write(10, filler)
	}
	s.attempt(2, "claude", 4)
	uses, _ := Collect([]registry.Entry{entry(dir, "a")}, now)
	if got := uses["claude"].Tokens.Output; got != 7 {
		t.Errorf("%d tokens, want 7", got)
	}
}

func TestTheLastWordAboutAWindow(t *testing.T) {
	dir := t.TempDir()
	reset := now.Add(time.Hour).Truncate(time.Second)
	a := newScribe(t, journal.Path(entry(dir, "a").StateDir))
	a.attempt(600, "claude", 1, journal.LimitWindow{Window: "seven_day", Utilization: share(0.4)})
	a.attempt(500, "claude", 1, journal.LimitWindow{Window: "five_hour", Utilization: share(0.9), ResetsAt: &reset})
	b := newScribe(t, journal.Path(entry(dir, "b").StateDir))
	b.attempt(700, "claude", 1, journal.LimitWindow{Window: "five_hour", Utilization: share(0.1)})

	uses, _ := Collect([]registry.Entry{entry(dir, "a"), entry(dir, "b")}, now)
	want := []Window{
		{journal.LimitWindow{Window: "five_hour", Utilization: share(0.9), ResetsAt: &reset}, now.Add(-500 * time.Minute)},
		{journal.LimitWindow{Window: "seven_day", Utilization: share(0.4)}, now.Add(-600 * time.Minute)},
	}
	if diff := cmp.Diff(want, uses["claude"].Windows); diff != "" {
		t.Error(diff)
	}
	if want[0].Over(now) || !want[0].Over(now.Add(2*time.Hour)) || want[1].Over(now) {
		t.Error("a window is over at its reset, and not before")
	}
}

// TestArchivedFeaturesCount: what was spent in this hour stays spent when the
// feature is done and put away.
func TestArchivedFeaturesCount(t *testing.T) {
	dir := t.TempDir()
	e := entry(dir, "a")
	s := newScribe(t, journal.Path(e.StateDir))
	s.attempt(5, "claude", 40)
	if err := os.MkdirAll(filepath.Join(e.Worktree, ".ralph", "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Open(e.Worktree, filepath.Dir(e.StateDir)).Put(t.Context(), "a", now, nil); err != nil {
		t.Fatal(err)
	}
	newScribe(t, journal.Path(e.StateDir)).attempt(1, "claude", 2)
	uses, warnings := Collect([]registry.Entry{e}, now)
	if uses["claude"] == nil || uses["claude"].Tokens.Output != 42 || warnings != nil {
		t.Errorf("%+v, %v", uses["claude"], warnings)
	}
}

func TestABrokenJournalIsReported(t *testing.T) {
	dir := t.TempDir()
	e := entry(dir, "a")
	if err := os.MkdirAll(journal.Path(e.StateDir), 0o755); err != nil { // a folder in its place
		t.Fatal(err)
	}
	uses, warnings := Collect([]registry.Entry{e}, now)
	if len(uses) != 0 || len(warnings) != 1 || !strings.Contains(warnings[0], fmt.Sprint(journal.Path(e.StateDir))) {
		t.Errorf("%v, %q", uses, warnings)
	}
}
