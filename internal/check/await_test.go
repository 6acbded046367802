package check

import (
	"context"
	"ralph/internal/journal"
	"testing"
	"testing/synctest"
	"time"
)

// TestAwait: a check's time passes while the machine sleeps, though timers do not.
func TestAwait(t *testing.T) {
	const limit = time.Hour
	for _, c := range []struct {
		name                string
		exited, lost, asked time.Duration // when that happens, 0 is never
		slept               time.Duration
		want                journal.CheckOutcome
		took                time.Duration
	}{
		{name: "exited", exited: 1500 * time.Millisecond, want: "", took: 1500 * time.Millisecond},
		{name: "lost its guardian", lost: time.Minute, want: "", took: time.Minute},
		{name: "asked to end", asked: time.Minute, want: journal.CheckInterrupted, took: time.Minute},
		{name: "too slow", want: journal.CheckTimeout, took: limit},
		{name: "too slow, with a sleep of the machine", slept: limit - time.Minute, want: journal.CheckTimeout, took: time.Minute},
		{name: "slept through its limit", slept: 2 * limit, want: journal.CheckTimeout, took: step},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				exited, lost := make(chan struct{}), make(chan struct{})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				for after, do := range map[time.Duration]func(){c.exited: func() { close(exited) }, c.lost: func() { close(lost) }, c.asked: cancel} {
					if after > 0 {
						time.AfterFunc(after, do)
					}
				}
				began := time.Now()
				got := await(ctx, exited, lost, limit, func() time.Duration { return time.Since(began) + c.slept })
				if took := time.Since(began); got != c.want || took != c.took {
					t.Errorf("%q after %v, want %q after %v", got, took, c.want, c.took)
				}
			})
		})
	}
}
