package report_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
	"ralph/internal/report"
	"ralph/internal/run"
)

func TestAnEventfulRun(t *testing.T) {
	r := fold("", false, eventful().events)
	shown := r.Run
	type brief struct {
		N                 int
		Mark              report.Mark
		Claimed, Accepted []string
		Spent             run.Spent
		Attempts          int
	}
	var got []brief
	for i := range shown.Iterations {
		it := &shown.Iterations[i]
		got = append(got, brief{it.N, it.Mark(), it.Claimed, it.Accepted, it.Spent, len(it.Attempts)})
	}
	want := []brief{
		{1, report.Good, []string{"S-1"}, []string{"S-1"}, run.Spent{Agent: 330, Check: 12, Wait: 1110}, 2},
		{2, report.None, []string{"S-2"}, []string{}, run.Spent{Agent: 240, Check: 12.8}, 1},
		{3, report.Bad, []string{"S-2"}, []string{}, run.Spent{Agent: 900}, 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	var points [][2]int
	for _, p := range shown.Points {
		points = append(points, [2]int{p.Complete, p.Total})
	}
	if diff := cmp.Diff([][2]int{{0, 3}, {1, 3}, {1, 4}}, points); diff != "" {
		t.Error(diff)
	}

	var how []string
	for i := range shown.Stories {
		how = append(how, shown.Stories[i].Name()+" | "+shown.Stories[i].Brief())
	}
	if diff := cmp.Diff([]string{
		"S-1: Log in | accepted in iteration 1; proved in a clean worktree at 9d8e7f60",
		"S-2: Reset the password | open; not accepted 2 times, the last time: nothing outside of the plan was changed for it",
		"S-3: Log out | open", "S-4: Lock out | open",
	}, how); diff != "" {
		t.Error(diff)
	}

	var notes []string
	for _, n := range shown.Notes {
		notes = append(notes, n.Kind+" "+n.Text)
	}
	if diff := cmp.Diff([]string{
		"wait You've hit your limit", "request context added: use argon2", "plan 1 story added", "warning a warning",
		"clock the clock went 1h forward", "harness codex takes over from claude: usage limit",
		"breaker circuit breaker open: no progress (2 in a row)",
	}, notes); diff != "" {
		t.Error(diff)
	}

	if s := shown.Summary; s.Calls != 4 || s.Commits != 1 || s.Ended != 3 || s.Tokens.Input != 3005 || *s.CostUSD != 0.5 || !s.TokensEstimated || *s.ExitCode != 1 ||
		s.Outcome() != "Not done: 2 iterations in a row brought no progress." {
		t.Errorf("%+v: %s", s, s.Outcome())
	}
}

// TestARunWithoutAnEnd: what is known about an active run, and about a run with a dead
// process.
func TestARunWithoutAnEnd(t *testing.T) {
	limit := journal.AttemptEnded{N: 1, Attempt: 1, Outcome: "usage_limit", Message: "limit"}
	call := journal.AttemptStarted{N: 1, Attempt: 1, Harness: "claude", LogFile: logOf(1)}
	wait := journal.WaitStarted{Reason: "usage_limit", Message: "wait for it"}
	for _, tt := range []struct {
		name    string
		dead    bool
		events  []journal.Body
		status  journal.RunStatus
		outcome string // of the iteration, empty without one
		says    string
	}{
		{"just started", false, nil, "running", "", "Running: 0 iterations ended so far."},
		{"at work", false, []journal.Body{journal.IterationStarted{N: 1}, call}, "running", "running", "Running: 0 iterations ended so far."},
		{"waiting", false, []journal.Body{journal.IterationStarted{N: 1}, call, limit, wait}, "paused", "running", "Waiting: wait for it."},
		{"waited", false, []journal.Body{journal.IterationStarted{N: 1}, call, limit, wait, journal.WaitEnded{Seconds: 5}}, "running", "running", "Running: 0 iterations ended so far."},
		{"died at work", true, []journal.Body{journal.IterationStarted{N: 1}, call}, "failed", "crash", "Not done: ralph died before it could end this run."},
		{"died before the call", true, []journal.Body{journal.IterationStarted{N: 1}}, "failed", "no call", "Not done: ralph died before it could end this run."},
		{"ended at the limit", false, []journal.Body{journal.IterationStarted{N: 1}, call, limit,
			journal.RunEnded{Status: "stopped", Reason: "usage_limit", ExitCode: 2}}, "stopped", "usage_limit", "Not done: the provider's usage limit is reached."},
		{"ended by a newer ralph", false, []journal.Body{journal.RunEnded{Status: "stopped", Reason: "solar_flare"}}, "stopped", "", "Not done: solar flare."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tp := &tape{run: "20261121-140203"}
			tp.add(0, opened(tp.run))
			for i, b := range tt.events {
				tp.add(float64(i+1), b)
			}
			r := fold("", tt.dead, tp.events)
			outcome := journal.Outcome("")
			if len(r.Run.Iterations) > 0 {
				outcome = r.Run.Iterations[0].Outcome
			}
			if r.Run.Status != tt.status || string(outcome) != tt.outcome || r.Run.Outcome() != tt.says {
				t.Errorf("%q, %q, %q", r.Run.Status, outcome, r.Run.Outcome())
			}
			if page := html(t, r); !strings.Contains(page, strings.ReplaceAll(tt.says, "'", "&#39;")) {
				t.Errorf("the page does not say %q", tt.says)
			}
		})
	}
}

// TestOneRunOfMany picks a run, and knows that its logs were moved by the next one.
func TestOneRunOfMany(t *testing.T) {
	first, second := eventful(), eventful()
	second.run = "20261122-090000"
	for i := range second.events {
		second.events[i].Run, second.events[i].Time = second.run, second.events[i].Time.Add(19*time.Hour)
	}
	second.events = second.events[:len(second.events)-1] // its process died
	for _, tt := range []struct{ ask, run, log string }{
		{"", second.run, ".ralph/feature-x/logs/iteration-1.log"},
		{second.run, second.run, ".ralph/feature-x/logs/iteration-1.log"},
		{first.run, first.run, ".ralph/feature-x/logs/20261121-140203/iteration-1.log"},
	} {
		r := fold(tt.ask, true, first.events, second.events)
		if r.Run.ID != tt.run || r.Run.Iterations[0].LogFile != tt.log {
			t.Errorf("asked for %q: %s, %s", tt.ask, r.Run.ID, r.Run.Iterations[0].LogFile)
		}
		if len(r.Runs) != 2 || r.Runs[0].Reason != "no_progress" || r.Runs[1].Reason != "crashed" {
			t.Errorf("the runs are %+v", r.Runs)
		}
		if page := html(t, r); !strings.Contains(page, "All runs of feature-x") || !strings.Contains(page, second.run) {
			t.Error("the page does not list the runs")
		}
	}
	if r := fold("20200101-000000", true, first.events); r.Run != nil {
		t.Errorf("a run that nobody made: %+v", r.Run.Summary)
	}
	if r := fold("", false, nil); r.Run != nil || r.Runs == nil {
		t.Errorf("an empty journal: %+v", r)
	}
}

// TestNoListIsNull: an empty list is [] and never null.
func TestNoListIsNull(t *testing.T) {
	tp := &tape{run: "20261121-140203"}
	tp.add(0, journal.RunStarted{Unit: "x", Plan: "prompt"})
	tp.add(1, journal.IterationStarted{N: 1})
	tp.add(2, journal.IterationEnded{N: 1})
	data, err := json.Marshal(fold("", false, tp.events))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"runs", "stories", "points", "iterations", "notes", "commits", "claimed", "accepted", "attempts", "checks", "proofs", "rejected",
		"noWork", "restored", "headMoved"} {
		if !strings.Contains(string(data), `"`+key+`":[`) {
			t.Errorf("%s is no list in %s", key, data)
		}
	}
}

// FuzzFold plays events in any order, as a damaged journal would.
func FuzzFold(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	f.Add([]byte{4, 3, 2, 0, 9, 9, 200})
	events := eventful().events
	f.Fuzz(func(t *testing.T, order []byte) {
		var played []journal.Event
		for _, i := range order {
			played = append(played, events[int(i)%len(events)])
		}
		r := fold("", len(order)%2 == 0, played)
		if r.Run == nil {
			return
		}
		html(t, r)
		for i := range r.Run.Iterations {
			r.Run.Decisions(&r.Run.Iterations[i])
		}
		if err := r.Markdown(&strings.Builder{}); err != nil {
			t.Error(err)
		}
	})
}
