package loop

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ralph/internal/journal"
)

// TestAWaitFollowsWhatOthersLearn: a loop that waits says anew until when, as soon as
// another one knows better; not for some seconds of difference.
func TestAWaitFollowsWhatOthersLearn(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration // when the news comes
		reset time.Duration // what is told then, all from the begin
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
				if end, err := two.atLimit(t.Context(), two.pick(t)); end != nil || err != nil {
					t.Fatal(end, err)
				}
				if took := time.Since(began); took < c.took || took > c.took+longestJitter+2*tick {
					t.Errorf("the wait took %s, want %s", took, c.took)
				}
			})
		})
	}
}

// TestTheJitterIsWaitedOut: behind the reset nobody holds the loop back, and it waits
// that moment longer all the same.
func TestTheJitterIsWaitedOut(t *testing.T) {
	l, _ := teamOf(t, t.TempDir(), "a")
	l.refuse(t, time.Now().Add(time.Hour))
	b := l.pick(t)
	if err := l.Ledger.SetLimited(t.Context(), time.Time{}, ""); err != nil {
		t.Fatal(err)
	}
	if !l.overtaken(b, b.until.Add(-tick)) || l.overtaken(b, b.until) {
		t.Error("a limit that is forgotten ends the wait before the reset, and not behind it")
	}
}

// TestATryOfAnotherLoopThatIsRefused ends the wait for it: until when the new one
// lasts is told at once, not when the try would have been given up.
func TestATryOfAnotherLoopThatIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ledgers := t.TempDir()
		one, _ := teamOf(t, ledgers, "a")
		two, told := teamOf(t, ledgers, "a")
		one.refuse(t, time.Now().Add(time.Minute))
		time.Sleep(time.Minute)
		one.pick(t)
		again := time.Now().Add(3 * time.Minute)
		time.AfterFunc(10*time.Second, func() { one.refuse(t, again) })
		began := time.Now()
		for range 2 {
			if end, err := two.atLimit(t.Context(), two.pick(t)); end != nil || err != nil {
				t.Fatal(end, err)
			}
			if len(*told) == 2 {
				if took := time.Since(began); took > 12*time.Second {
					t.Errorf("the refusal was seen after %s", took)
				}
			}
		}
		w, ok := (*told)[2].(journal.WaitStarted)
		if !ok || w.Until.Before(again) || w.Until.After(again.Add(longestJitter)) || w.Message != "no more" {
			t.Errorf("told: %+v, want a wait until %s", (*told)[2], again)
		}
	})
}

// TestAStandstillIsOfTheRun: two agents that are refused in turn are not waited for
// twice as long as one; who is let in ends it.
func TestAStandstillIsOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := teamOf(t, t.TempDir(), "a", "b")
		l.MaxWait = 15 * time.Minute
		began := time.Now()
		var end *End
		for tries := 0; end == nil && tries < 50; tries++ {
			b := l.pick(t)
			if b.by == nil {
				l.refuse(t, time.Now().Add(4*time.Minute))
				continue
			}
			var err error
			if end, err = l.atLimit(t.Context(), b); err != nil {
				t.Fatal(err)
			}
		}
		took := time.Since(began)
		if end == nil || took < 10*time.Minute || took > 15*time.Minute || !strings.Contains(end.Hint, "max_wait_hours allows 0.25 h") {
			t.Errorf("the run ended with %+v after %s", end, took)
		}
	})
}

// TestAStandstillOutlivesADeath: a run that goes on after ralph was killed goes on
// with the wait; one that a person starts anew does not.
func TestAStandstillOutlivesADeath(t *testing.T) {
	hour := func(h float64) time.Time { return time.Unix(0, 0).Add(time.Duration(h * float64(time.Hour))) }
	at := func(h float64, b journal.Body) journal.Event { return journal.Event{Time: hour(h), Body: b} }
	wait := func(h, until float64, reason string) journal.Event {
		end := hour(until)
		return at(h, journal.WaitStarted{Reason: journal.Reason(reason), Until: &end})
	}
	waited := func(h, hours float64, reason string) journal.Event {
		return at(h, journal.WaitEnded{Reason: journal.Reason(reason), Seconds: hours * 3600})
	}
	refused, died := journal.AttemptEnded{Outcome: "usage_limit"}, journal.RunEnded{Reason: "crashed"}
	for _, c := range []struct {
		name   string
		events []journal.Event
		want   time.Duration
	}{
		{"two waits, and a third that was cut off", []journal.Event{wait(0, 1, string(limitWait)), waited(1, 1, string(limitWait)), at(1, refused),
			wait(1, 3, string(limitWait)), waited(3, 2, string(limitWait)), at(3, refused), wait(3, 9, string(limitWait)), at(4, died)}, 4 * time.Hour},
		{"a death that was found days later", []journal.Event{wait(0, 2, string(limitWait)), at(90, died)}, 2 * time.Hour},
		{"a clock that was set back", []journal.Event{wait(5, 7, string(limitWait)), at(1, died)}, 0},
		{"other waits", []journal.Event{wait(0, 1, "rate_limit"), waited(1, 1, "rate_limit"), wait(1, 3, "paused"), at(2, died)}, 0},
		{"a call that went through", []journal.Event{wait(0, 1, string(limitWait)), waited(1, 1, string(limitWait)), at(1, journal.AttemptEnded{Outcome: "ok"}), at(2, died)}, 0},
		{"an end in order", []journal.Event{wait(0, 1, string(limitWait)), waited(1, 1, string(limitWait)), at(1, journal.RunEnded{Reason: "usage_limit"})}, 0},
		{"a person's Ctrl-C in the wait", []journal.Event{wait(0, 9, string(limitWait)), at(4, journal.RunEnded{Reason: "interrupted"}), at(5, died)}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := fold(c.events).still.total; got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
