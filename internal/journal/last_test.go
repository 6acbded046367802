package journal_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
	"ralph/internal/run"
)

// short is what a list shows of a unit's last run.
func short(s run.Status) run.Status {
	return run.Status{Status: s.Status, Reason: s.Reason, Iteration: s.Iteration, MaxIterations: s.MaxIterations,
		PID: s.PID, PIDStart: s.PIDStart, LastUpdated: s.LastUpdated}
}

// whole is what reading everything makes of a journal.
func whole(data []byte) run.Status {
	var s run.State
	for e, err := range journal.Read(bytes.NewReader(data)) {
		if err == nil {
			s.Apply(e)
		}
	}
	return short(s.Status())
}

// last is what reading little makes of it.
func last(t *testing.T, path string) run.Status {
	t.Helper()
	events, err := journal.ReadLast(path)
	if err != nil {
		t.Fatal(err)
	}
	return short(run.Fold(events).Status())
}

// TestTheLastRunIsWhatAllOfItSays cuts a journal of several runs after every line,
// and in the middle of each.
func TestTheLastRunIsWhatAllOfItSays(t *testing.T) {
	second := runStarted
	second.MaxIterations, second.PID, second.PIDStart = 7, 456, "10"
	events := append(oneRun(), event(500, second),
		event(501, journal.WaitStarted{Reason: "rate_limit", Until: ptr(at(900)), Message: `a text with "type":"run_started" in it`}),
		event(502, journal.WaitEnded{}))
	for _, e := range oneRun()[1:] {
		e.Time = e.Time.Add(600 * time.Second)
		events = append(events, e)
	}
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	data := lines(t, events...)
	end := 0
	for line := range bytes.Lines(data) {
		for _, cut := range []int{end + len(line)/2, end + len(line)} {
			if err := os.WriteFile(path, data[:cut], 0o600); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(whole(data[:cut]), last(t, path)); diff != "" {
				t.Errorf("cut at %d (-want +got):\n%s", cut, diff)
			}
		}
		end += len(line)
	}
}

func TestTheLastRunOfOddJournals(t *testing.T) {
	text := string(lines(t, oneRun()...))
	first := text[:strings.IndexByte(text, '\n')+1]
	for name, content := range map[string]string{
		"nothing":                "",
		"no run":                 strings.TrimPrefix(text, first),
		"garbage":                "\x00\x01garbage\n",
		"behind a torn line":     first[:40] + text,
		"garbage in the middle":  first + "garbage\n" + strings.TrimPrefix(text, first),
		"far from its beginning": first + strings.Repeat(string(lines(t, event(1, journal.Warning{Message: strings.Repeat("x", 1000)}))), 300),
		"one long run":           first + strings.Repeat(strings.TrimPrefix(text, first), 30),
		"a long run behind one":  strings.ReplaceAll(text, `"run":"r1"`, `"run":"r0"`) + strings.Replace(first, `"maxIterations":20`, `"maxIterations":9`, 1) + strings.Repeat(strings.TrimPrefix(text, first), 30),
		"a torn second run":      text + first[:len(first)/2] + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal.jsonl")
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			want := whole([]byte(content))
			if name == "no run" {
				want = run.Status{}
			}
			if diff := cmp.Diff(want, last(t, path)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if _, err := journal.ReadLast(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no journal: %v", err)
	}
}
