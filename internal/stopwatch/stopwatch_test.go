package stopwatch

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestJumps(t *testing.T) {
	for _, c := range []struct {
		name string
		p    Passed
		want []Jump
	}{
		{"nothing", Passed{time.Second, time.Second, time.Second}, nil},
		{"a correction of the time server", Passed{3 * time.Second, time.Second, time.Second}, nil},
		{"a busy machine", Passed{time.Minute, time.Minute, time.Minute}, nil},
		{"sleep", Passed{8*time.Hour + time.Second, time.Second, 8*time.Hour + time.Second}, []Jump{{8 * time.Hour, true}}},
		{"set forward", Passed{3*time.Hour + time.Second, time.Second, time.Second}, []Jump{{3 * time.Hour, false}}},
		{"set back", Passed{-3*time.Hour + time.Second, time.Second, time.Second}, []Jump{{-3 * time.Hour, false}}},
		{"slept, and woke in 1970", Passed{-9 * time.Hour, time.Second, time.Hour + time.Second}, []Jump{{time.Hour, true}, {-10*time.Hour - time.Second, false}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, c.p.Jumps()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestJumpInWords(t *testing.T) {
	for _, c := range []struct {
		jump Jump
		want string
	}{
		{Jump{90 * time.Minute, true}, "the machine slept for 1h30m"},
		{Jump{-time.Hour - time.Millisecond, false}, "the clock was set back by 1h"},
		{Jump{7 * time.Second, false}, "the clock was set forward by 7s"},
	} {
		if got := c.jump.String(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.jump, got, c.want)
		}
	}
}

func TestDeadline(t *testing.T) {
	now := time.Date(2026, 3, 1, 14, 50, 0, 0, time.UTC)
	reset := Until(now.Add(10*time.Minute), now)
	pause := Deadline{After: 2 * time.Second}
	for _, c := range []struct {
		name string
		d    Deadline
		p    Passed
		want time.Duration
	}{
		{"a reset, as time goes on", reset, Passed{time.Minute, time.Minute, time.Minute}, 9 * time.Minute},
		{"a reset, slept through", reset, Passed{time.Hour, time.Second, time.Hour}, -50 * time.Minute},
		{"a reset, the clock set forward", reset, Passed{time.Hour, time.Minute, time.Minute}, -50 * time.Minute},
		{"a reset, the clock set back", reset, Passed{-3 * time.Hour, time.Minute, time.Minute}, 9 * time.Minute},
		{"a pause, as time goes on", pause, Passed{time.Second, time.Second, time.Second}, time.Second},
		{"a pause, slept through", pause, Passed{time.Hour, time.Second, time.Hour}, 2*time.Second - time.Hour},
		{"a pause, the clock set forward", pause, Passed{time.Hour, time.Second, time.Second}, time.Second},
		{"a pause, the clock set back", pause, Passed{-time.Hour, time.Second, time.Second}, time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.d.Left(c.p, now.Add(c.p.Wall)); got != c.want {
				t.Errorf("%s left, want %s", got, c.want)
			}
		})
	}
}

// TestWatchOfRealClocks reads the machine's own clocks: no one sets them here.
func TestWatchOfRealClocks(t *testing.T) {
	w := Start()
	first := w.Passed()
	second := w.Passed()
	if second.Awake < first.Awake || second.Real < first.Real {
		t.Errorf("time went back: %+v, then %+v", first, second)
	}
	if second.Real < second.Awake {
		t.Errorf("%s have passed, of which %s awake", second.Real, second.Awake)
	}
	if sinceBoot() == 0 {
		t.Error("the clock that goes on in sleep cannot be read")
	}
	if lap := w.Lap(); lap.Real < second.Real || w.Passed().Real > lap.Real+time.Minute {
		t.Errorf("a lap of %+v after %+v, and then %+v", lap, second, w.Passed())
	}
	if jumps := second.Jumps(); jumps != nil {
		t.Errorf("jumps out of nowhere: %v", jumps)
	}
}

// TestWatchOfAFakeClock: where time is faked all clocks agree.
func TestWatchOfAFakeClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := Start()
		time.Sleep(time.Hour)
		p := w.Passed()
		if diff := cmp.Diff(Passed{time.Hour, time.Hour, time.Hour}, p); diff != "" {
			t.Error(diff)
		}
	})
}
