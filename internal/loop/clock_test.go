package loop

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/calls"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/recorder"
	"ralph/internal/run"
	"ralph/internal/stopwatch"
)

// recording is a loop that can only write its journal, and what it wrote.
func recording(t *testing.T) (*Loop, *[]journal.Body) {
	t.Helper()
	w, err := journal.OpenWriter(filepath.Join(t.TempDir(), journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	events := new([]journal.Body)
	l := &Loop{Identity: Identity{Run: "run"}, Recorder: &recorder.Recorder{Shared: &run.Shared{}, Journal: w, Run: "run", Observe: func(e journal.Event) { *events = append(*events, e.Body) }}}
	l.Repo, l.Keeper, l.team = &git.Repo{}, &proc.Keeper{}, &calls.Team{Recorder: l.Recorder}
	return l, events
}

func TestJumpsAreWrittenDown(t *testing.T) {
	l, events := recording(t)
	for _, p := range []stopwatch.Passed{
		{Wall: time.Second, Awake: time.Second, Real: time.Second},
		{Wall: 8*time.Hour + time.Second, Awake: time.Second, Real: 8*time.Hour + time.Second},
		{Wall: -time.Hour + time.Second, Awake: time.Second, Real: time.Second},
	} {
		if err := recordJumps(l.Recorder, p); err != nil {
			t.Fatal(err)
		}
	}
	want := []journal.Body{
		journal.ClockJumped{Seconds: 28800, Slept: true, Message: "the machine slept for 8h"},
		journal.ClockJumped{Seconds: -3600, Message: "the clock was set back by 1h"},
	}
	if diff := cmp.Diff(want, *events); diff != "" {
		t.Error(diff)
	}
}

func TestWaitTakesAsLongAsItSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, events := recording(t)
		stop := watchClock(t.Context(), l.Recorder)
		began := time.Now()
		until := began.Add(90*time.Minute + 300*time.Millisecond)
		if err := l.team.Wait(t.Context(), journal.WaitStarted{Reason: "rate_limit", Until: journal.TimePtr(until), Message: "no calls are left"}); err != nil {
			t.Fatal(err)
		}
		stop()
		if took := time.Since(began); took != until.Sub(began) {
			t.Errorf("the wait took %s", took)
		}
		want := []journal.Body{
			journal.WaitStarted{Reason: "rate_limit", Until: journal.TimePtr(until), Message: "no calls are left"},
			journal.WaitEnded{Reason: "rate_limit", Seconds: 5400.3},
		}
		if diff := cmp.Diff(want, *events); diff != "" {
			t.Error(diff) // an unchanged clock has not jumped
		}
	})
}

func TestWaitEndsWithTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := recording(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		began := time.Now()
		time.AfterFunc(10*time.Minute, func() { cancel(ErrStopped) })
		if err := l.team.Wait(ctx, journal.WaitStarted{Reason: "usage_limit", Until: journal.TimePtr(began.Add(time.Hour))}); !errors.Is(err, ErrStopped) {
			t.Errorf("the wait ended with %v", err)
		}
		if took := time.Since(began); took != 10*time.Minute {
			t.Errorf("the stop was heard after %s", took)
		}
	})
}

// TestStoppingIsSaidOnce, and not after the run has gone on to its end.
func TestStoppingIsSaidOnce(t *testing.T) {
	said := 0
	show := func() { said++ }
	ctx, cancel := context.WithCancelCause(t.Context())
	hush := showStopping(ctx, show)
	cancel(ErrInterrupted)
	cancel(ErrStopped)
	hush()
	if said != 1 {
		t.Errorf("it was said %d times", said)
	}
	ctx, cancel = context.WithCancelCause(t.Context())
	showStopping(ctx, show)()
	cancel(nil)
	if said != 1 {
		t.Error("it was said after the end")
	}
}
