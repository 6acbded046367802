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
)

// whole is what reading everything makes of a journal.
func whole(data []byte) journal.Latest {
	var s journal.Status
	for e, err := range journal.Read(bytes.NewReader(data)) {
		if err == nil {
			s.Apply(e)
		}
	}
	return journal.Latest{Status: s.Status, Reason: s.Reason, Iteration: s.Iteration, MaxIterations: s.MaxIterations, PID: s.PID, PIDStart: s.PIDStart, LastUpdated: s.LastUpdated}
}

// TestLatestIsWhatAllOfItSays cuts a journal of several runs behind every line,
// and in the middle of each.
func TestLatestIsWhatAllOfItSays(t *testing.T) {
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
			got, err := journal.ReadLatest(path)
			if diff := cmp.Diff(whole(data[:cut]), got); err != nil || diff != "" {
				t.Errorf("cut at %d: %v (-want +got):\n%s", cut, err, diff)
			}
		}
		end += len(line)
	}
}

func TestLatestOfOddJournals(t *testing.T) {
	run := string(lines(t, oneRun()...))
	first := run[:strings.IndexByte(run, '\n')+1]
	for name, text := range map[string]string{
		"nothing":                "",
		"no run":                 strings.TrimPrefix(run, first),
		"garbage":                "\x00\x01garbage\n",
		"behind a torn line":     first[:40] + run,
		"garbage in the middle":  first + "garbage\n" + strings.TrimPrefix(run, first),
		"far from its beginning": first + strings.Repeat(string(lines(t, event(1, journal.Warning{Message: strings.Repeat("x", 1000)}))), 300),
		"one long run":           first + strings.Repeat(strings.TrimPrefix(run, first), 30),
		"a long run behind one":  strings.ReplaceAll(run, `"run":"r1"`, `"run":"r0"`) + strings.Replace(first, `"maxIterations":20`, `"maxIterations":9`, 1) + strings.Repeat(strings.TrimPrefix(run, first), 30),
		"a torn second run":      run + first[:len(first)/2] + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal.jsonl")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			want := whole([]byte(text))
			if name == "no run" {
				want = journal.Latest{}
			}
			got, err := journal.ReadLatest(path)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
	if _, err := journal.ReadLatest(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no journal: %v", err)
	}
}
