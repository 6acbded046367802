package calls

import (
	"testing"
	"testing/synctest"
	"time"

	"ralph/internal/journal"
	"ralph/internal/stopwatch"
)

// TestAWaitFollowsWhatOthersLearn: a waiting loop records a new end of the wait as soon as
// another loop knows it, unless the difference is some seconds.
func TestAWaitFollowsWhatOthersLearn(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration // when the news comes
		reset time.Duration // the reported reset, from the start
		took  time.Duration
	}{
		{"the same by another clock", time.Minute, 5*time.Minute + 20*time.Second, 5 * time.Minute},
		{"a longer limit", time.Minute, 50 * time.Minute, time.Minute},
		{"a shorter one", time.Minute, 2 * time.Minute, time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ledgers := t.TempDir()
				one, _ := teamOf(t, ledgers, "a")
				two, _ := teamOf(t, ledgers, "a")
				began := time.Now()
				one.refuse(t, began.Add(5*time.Minute))
				time.AfterFunc(c.after, func() { one.refuse(t, began.Add(c.reset)) })
				two.stand(t)
				if took := time.Since(began); took < c.took || took > c.took+longestJitter+2*stopwatch.Tick {
					t.Errorf("the wait took %s, want %s", took, c.took)
				}
			})
		})
	}
}

// TestTheJitterIsWaitedOut: after the reset a loop still waits for its jitter.
func TestTheJitterIsWaitedOut(t *testing.T) {
	l, _ := teamOf(t, t.TempDir(), "a")
	l.refuse(t, time.Now().Add(time.Hour))
	b := l.pick(t)
	if err := l.members[0].ledger.SetLimited(t.Context(), time.Time{}, ""); err != nil {
		t.Fatal(err)
	}
	if !l.overtaken(b, b.Until.Add(-stopwatch.Tick)) || l.overtaken(b, b.Until) {
		t.Error("a limit that is forgotten ends the wait before the reset, and not behind it")
	}
}

// TestATryOfAnotherLoopThatIsRefused ends the wait for that try: the end of the new wait is
// recorded at once.
func TestATryOfAnotherLoopThatIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ledgers := t.TempDir()
		one, _ := teamOf(t, ledgers, "a")
		two, events := teamOf(t, ledgers, "a")
		one.refuse(t, time.Now().Add(time.Minute))
		time.Sleep(time.Minute)
		one.pick(t)
		again := time.Now().Add(3 * time.Minute)
		time.AfterFunc(10*time.Second, func() { one.refuse(t, again) })
		began := time.Now()
		for range 2 {
			two.stand(t)
			if len(*events) == 2 {
				if took := time.Since(began); took > 12*time.Second {
					t.Errorf("the refusal was seen after %s", took)
				}
			}
		}
		w, ok := (*events)[2].(journal.WaitStarted)
		if !ok || w.Until.Before(again) || w.Until.After(again.Add(longestJitter)) || w.Message != "no more" {
			t.Errorf("events: %+v, want a wait until %s", (*events)[2], again)
		}
	})
}

// TestLimitThatWasWaitedOut: where the clock was set back during a wait, the limit
// is ahead again. It is tried, not waited for once more.
func TestLimitThatWasWaitedOut(t *testing.T) {
	l, events := teamOf(t, t.TempDir(), "a")
	reset := time.Now().Add(3 * time.Hour)
	if err := l.members[0].ledger.SetLimited(t.Context(), reset, "the limit"); err != nil {
		t.Fatal(err)
	}
	if b := l.pick(t); !b.Until.Equal(reset) {
		t.Errorf("a limit that is ahead: %+v", b)
	}
	l.at.waited = reset
	if b := l.pick(t); b.Blocked() || len(*events) > 0 {
		t.Errorf("a limit that was waited out: %+v, events %+v", b, *events)
	}
}
