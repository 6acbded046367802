package flow

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"ralph/fleet/internal/feature"
)

// turns plays what hosts make of the turns, one after the other, and returns what the
// feature has become and how many turns it took. signals are sent at their time.
func turns(t *testing.T, patience time.Duration, signals map[time.Duration]string, plays ...any) (feature.Standing, int) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute)
	n := 0
	env.RegisterActivityWithOptions(func(ctx context.Context, turn feature.Turn) (feature.Handback, error) {
		n++
		if turn.Ordinal.Turn != n || turn.Ordinal.Epoch == 0 {
			t.Errorf("turn %d has the ordinal %+v", n, turn.Ordinal)
		}
		switch play := plays[min(n, len(plays))-1].(type) {
		case feature.Handback:
			return play, nil
		case error:
			return feature.Handback{}, play
		}
		panic("neither a handback nor an error")
	}, activity.RegisterOptions{Name: feature.TurnName})
	for at, signal := range signals {
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(signal, nil) }, at)
	}
	env.ExecuteWorkflow(Feature, Life{Submission: feature.Submission{Repo: "r", Branch: "b", Silence: time.Minute, Patience: patience}})
	var s feature.Standing
	if err := env.GetWorkflowResult(&s); err != nil {
		t.Fatal(err)
	}
	return s, n
}

func TestFeature(t *testing.T) {
	soon := time.Now().Add(time.Hour)
	done, failed := feature.Handback{Outcome: feature.Done, Reason: "stories_complete"}, feature.Handback{Outcome: feature.Failed, Reason: "no_progress"}
	limited, drained := feature.Handback{Outcome: feature.Limited, ResumesAt: &soon}, feature.Handback{Outcome: feature.Ended}
	trouble := temporal.NewNonRetryableApplicationError("remote down", feature.ErrTrouble, nil)
	busy := temporal.NewNonRetryableApplicationError("full", feature.ErrBusy, nil)
	gone := temporal.NewNonRetryableApplicationError("no branch", feature.ErrFeature, nil)
	silent := temporal.NewHeartbeatTimeoutError(feature.Progress{Host: "a"})
	for _, test := range []struct {
		name    string
		plays   []any
		signals map[time.Duration]string
		outcome feature.Outcome
		reason  string
		turns   int
	}{
		{"done", []any{done}, nil, feature.Done, "stories_complete", 1},
		{"failed", []any{failed}, nil, feature.Failed, "no_progress", 1},
		{"a drained host", []any{drained, done}, nil, feature.Done, "stories_complete", 2},
		{"a busy host", []any{busy, busy, done}, nil, feature.Done, "stories_complete", 3},
		{"the usage limit", []any{limited, done}, nil, feature.Done, "stories_complete", 2},
		{"trouble that passes", []any{trouble, trouble, done}, nil, feature.Done, "stories_complete", 3},
		{"trouble that stays", []any{trouble}, nil, feature.Failed, "trouble", 17},
		{"silent hosts", []any{silent}, nil, feature.Failed, "hosts_lost", maxLost},
		{"some silent hosts", []any{silent, silent, done}, nil, feature.Done, "stories_complete", 3},
		{"no branch", []any{gone}, nil, feature.Failed, feature.ErrFeature, 1},
		{"stopped while it waits", []any{limited, done}, map[time.Duration]string{time.Minute: feature.SignalStop}, feature.Ended, "stopped", 1},
		{"resumed while it waits", []any{limited, done}, map[time.Duration]string{time.Minute: feature.SignalResume}, feature.Done, "stories_complete", 2},
		{"paused, then stopped", []any{limited, done}, map[time.Duration]string{time.Minute: feature.SignalPause, 9 * time.Hour: feature.SignalStop}, feature.Ended, "stopped", 1},
		{"paused, then resumed", []any{limited, done}, map[time.Duration]string{time.Minute: feature.SignalPause, 9 * time.Hour: feature.SignalResume}, feature.Done, "stories_complete", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, n := turns(t, time.Hour, test.signals, test.plays...)
			if s.Outcome != test.outcome || s.Reason != test.reason || n != test.turns || s.Phase != feature.Finished {
				t.Errorf("%+v after %d turns", s, n)
			}
		})
	}
}

// A host that gets an iteration done before it falls silent is not brought down by the feature.
func TestIterationsBetweenSilences(t *testing.T) {
	var plays []any
	for i := range 2 * maxLost {
		plays = append(plays, temporal.NewHeartbeatTimeoutError(feature.Progress{Host: "a", Spent: feature.Spent{Iterations: i + 1}}))
	}
	s, _ := turns(t, time.Hour, nil, append(plays, feature.Handback{Outcome: feature.Done})...)
	if s.Outcome != feature.Done || s.Lost != 2*maxLost {
		t.Errorf("%+v", s)
	}
}

// What a host could not push before the stop is not said to be on the branch.
func TestStopSaysWhereTheWorkIs(t *testing.T) {
	stop := map[time.Duration]string{time.Second: feature.SignalStop}
	trouble := temporal.NewNonRetryableApplicationError("remote down", feature.ErrTrouble, nil)
	for want, play := range map[string]any{
		"what was finished is on the branch": feature.Handback{Outcome: feature.Limited},
		"with trouble: remote down":          trouble,
		"before a host had started":          temporal.NewNonRetryableApplicationError("full", feature.ErrBusy, nil),
	} {
		if s, _ := turns(t, time.Hour, stop, play); s.Outcome != feature.Ended || !strings.Contains(s.Message, want) {
			t.Errorf("%+v, want %q", s, want)
		}
	}
}

// A host that did not hand the feature back has still reported its progress.
func TestHowFarAHostWas(t *testing.T) {
	p := feature.Progress{Host: "a", Stories: 2, StoriesTotal: 3, Spent: feature.Spent{Iterations: 2, Calls: 4}, Lines: []string{"a line"}}
	for _, play := range []error{
		temporal.NewHeartbeatTimeoutError(p),
		temporal.NewNonRetryableApplicationError("remote down", feature.ErrTrouble, nil, feature.Handback{Host: "a", Progress: p}),
	} {
		nothing := temporal.NewNonRetryableApplicationError("remote down", feature.ErrOusted, nil, feature.Handback{Host: "b", Progress: feature.Progress{Host: "b"}})
		s, _ := turns(t, time.Hour, nil, play, nothing)
		if s.Last == nil || s.Last.Host != "a" || s.Last.Progress.Spent.Calls != 4 {
			t.Errorf("after %v: %+v", play, s.Last)
		}
	}
}

func TestUnknownErrorEndsTheFeature(t *testing.T) {
	s, n := turns(t, time.Hour, nil, errors.New("a fault of the worker"))
	if s.Outcome != feature.Failed || n != 1 || s.Message == "" {
		t.Errorf("%+v after %d turns", s, n)
	}
}

// A run that went before it had its answer has made no call, whether the ledger gets its take
// before or after that.
func TestVoid(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 30, 0, 0, time.UTC)
	a := &feature.Account{Hours: map[string]int{}, Runs: map[string]feature.Took{}}
	take(a, feature.Take{Run: "x", Seq: 1}, noon)
	take(a, feature.Take{Run: "x", Seq: 3}, noon)
	void(a, feature.Take{Run: "x", Seq: 3})
	void(a, feature.Take{Run: "x", Seq: 3}) // sent twice
	void(a, feature.Take{Run: "x", Seq: 1}) // it had the answer to this one
	void(a, feature.Take{Run: "y", Seq: 2}) // which comes late
	if g := take(a, feature.Take{Run: "y", Seq: 2}, noon); g.OK {
		t.Errorf("what was taken back is granted: %+v", g)
	}
	if a.Total != 1 || a.Hours[feature.Hour(noon)] != 1 || a.Runs["x"].Calls != 1 {
		t.Errorf("%+v", a)
	}
}

func TestTake(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 30, 0, 0, time.UTC)
	one := time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC)
	a := &feature.Account{Hours: map[string]int{}, Runs: map[string]feature.Took{}}
	for i, step := range []struct {
		take feature.Take
		at   time.Time
		ok   bool
		used int
	}{
		{feature.Take{Run: "x", Seq: 1, Limit: 2}, noon, true, 1},
		{feature.Take{Run: "x", Seq: 1, Limit: 2}, noon, true, 1}, // the answer was lost
		{feature.Take{Run: "y", Seq: 1, Limit: 2}, noon, true, 2},
		{feature.Take{Run: "x", Seq: 2, Limit: 2}, noon, false, 2},
		{feature.Take{Run: "x", Seq: 3}, noon, true, 3}, // without a limit
		{feature.Take{Run: "x", Seq: 4, Limit: 2}, one, true, 1},
	} {
		g := take(a, step.take, step.at)
		if want := (feature.Grant{OK: step.ok, Used: step.used, ResetsAt: step.at.Truncate(time.Hour).Add(time.Hour), Now: step.at}); !cmp.Equal(want, g) {
			t.Errorf("step %d: %s", i, cmp.Diff(want, g))
		}
	}
	a.Limited, a.Note = one.Add(time.Hour), "session limit"
	if g := take(a, feature.Take{Run: "z", Seq: 1}, one); g.OK || g.Note != "session limit" {
		t.Errorf("at the provider's limit: %+v", g)
	}
	settle(a, feature.Settle{Run: "x", Calls: 2})
	settle(a, feature.Settle{Run: "x", Calls: 0}) // once is enough
	if a.Total != 3 || a.Hours[feature.Hour(one)] != 0 {
		t.Errorf("after settling: %+v", a)
	}
	for i := range maxRuns + 10 {
		take(a, feature.Take{Run: time.Duration(i).String(), Seq: 1}, noon.Add(time.Duration(i)*time.Hour))
	}
	if len(a.Runs) != maxRuns || len(a.Hours) != maxHours {
		t.Errorf("%d runs and %d hours are remembered", len(a.Runs), len(a.Hours))
	}
}
