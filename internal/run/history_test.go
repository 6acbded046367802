package run_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/stream"
)

func foldHistory(events []journal.Event) *run.State { return run.Fold(events) }

// inRun puts events into another run.
func inRun(id string, events []journal.Event) []journal.Event {
	out := make([]journal.Event, len(events))
	for i, e := range events {
		e.Run = id
		out[i] = e
	}
	return out
}

func TestHistoryOfARun(t *testing.T) {
	got := foldHistory(oneRun()).History(false)
	want := []run.Row{
		{
			N: 1, Run: "r1", StartedAt: journal.Time{Time: at(1)}, EndedAt: journal.Time{Time: at(152)},
			Outcome: "timeout", ExitCode: 143, Commits: []string{"bbb"}, StoriesPassed: []string{"S-2"},
			Tokens: used, CostUSD: ptr(0.5), Error: "no end after 90s", LogFile: ".ralph/feature-x/logs/iteration-1.log", Progress: true,
		},
		{
			N: 2, Run: "r1", StartedAt: journal.Time{Time: at(154)}, EndedAt: journal.Time{Time: at(161)},
			Outcome: "ok", Reason: "stories_complete", Commits: []string{}, StoriesPassed: []string{"S-3"},
			Tokens: used, LogFile: ".ralph/feature-x/logs/iteration-2.log", Progress: true,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestHistoryRowAsJSON(t *testing.T) {
	got, err := json.Marshal(foldHistory(oneRun()).History(false)[1])
	want := `{"n":2,"run":"r1","startedAt":"2026-11-21T14:04:37.456Z","endedAt":"2026-11-21T14:04:44.456Z","outcome":"ok",` +
		`"reason":"stories_complete","exitCode":0,"commits":[],"storiesPassed":["S-3"],` +
		`"tokens":{"input":100,"output":20,"cacheRead":3000,"cacheWrite":40},"costUsd":null,"error":null,` +
		`"logFile":".ralph/feature-x/logs/iteration-2.log"}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s\nwant %s (%v)", got, want, err)
	}
	if got, err := json.Marshal(new(run.State).History(true)); string(got) != "[]" {
		t.Errorf("no history is %s, %v", got, err)
	}
}

func TestEachCallCountsOnceInTheRun(t *testing.T) {
	calls := foldHistory(oneRun()).Last().Calls
	want := stream.Tokens{Input: 5}.Add(used).Add(used)
	if calls.Count != 3 || calls.Tokens != want || *calls.CostUSD != 0.75 {
		t.Errorf("%d calls, %+v, %v", calls.Count, calls.Tokens, *calls.CostUSD)
	}
}

// TestHistoryOfACrash cuts a run off after so many events.
func TestHistoryOfACrash(t *testing.T) {
	again := inRun("r2", oneRun())[:1]
	recorded := journal.Event{Time: at(999), Run: "r1", Body: journal.RunEnded{Status: "failed", Reason: "crashed"}}
	for _, tt := range []struct {
		name string
		n    int
		want []string // outcome and reason of each row
	}{
		{"before the first iteration", 1, []string{}},
		{"before the agent was called", 2, []string{}},
		{"while the agent worked", 4, []string{"crash crashed"}},
		{"while waiting for the usage limit", 6, []string{}},
		{"during the second try", 8, []string{"crash crashed"}},
		{"while the checks ran", 9, []string{"crash crashed"}},
		{"between two iterations", 10, []string{"timeout crashed"}},
		{"in the second iteration", 12, []string{"timeout ", "crash crashed"}},
		{"after the end", 15, []string{"timeout ", "ok stories_complete"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cut := oneRun()[:tt.n]
			if diff := cmp.Diff(tt.want, outcomes(foldHistory(cut).History(true))); diff != "" {
				t.Errorf("known to be dead: %s", diff)
			}
			if diff := cmp.Diff(tt.want, outcomes(foldHistory(append(cut, again...)).History(false))); diff != "" {
				t.Errorf("another run began: %s", diff)
			}
			if tt.n == 15 {
				return
			}
			if diff := cmp.Diff(tt.want, outcomes(foldHistory(append(cut, recorded)).History(false))); diff != "" {
				t.Errorf("recorded by the next command: %s", diff)
			}
		})
	}
}

func outcomes(rows []run.Row) []string {
	out := []string{}
	for _, r := range rows {
		out = append(out, string(r.Outcome)+" "+string(r.Reason))
	}
	return out
}

func TestLookingTwiceIsTheSame(t *testing.T) {
	h := foldHistory(oneRun()[:4])
	first := h.History(true)
	if diff := cmp.Diff(first, h.History(true)); diff != "" {
		t.Error(diff)
	}
	if rows := h.History(false); len(rows) != 0 {
		t.Errorf("alive again: %+v", rows)
	}
}

func TestLogsOfAnOlderRunLieInADirectoryOfTheirOwn(t *testing.T) {
	rows := foldHistory(append(oneRun(), inRun("r2", oneRun())...)).History(false)
	if got := rows[0].LogFile; got != ".ralph/feature-x/logs/r1/iteration-1.log" {
		t.Errorf("the older run: %s", got)
	}
	if got := rows[2].LogFile; got != ".ralph/feature-x/logs/iteration-1.log" {
		t.Errorf("the last run: %s", got)
	}
}
