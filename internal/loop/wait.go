package loop

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ralph/internal/journal"
	"ralph/internal/stopwatch"
)

// tick is how often a wait looks at the wall clock. A timer alone stands still
// while a laptop sleeps, and fires late by as much.
const tick = time.Second

// wait waits until a time by the wall clock, as a state in the journal.
func (l *Loop) wait(ctx context.Context, reason journal.Reason, until time.Time, message string) error {
	_, err := l.waitOr(ctx, reason, until, message, nil)
	return err
}

// waitOr does the same, but ends early as soon as sooner holds, which is asked
// about once a second; nil never does.
func (l *Loop) waitOr(ctx context.Context, reason journal.Reason, until time.Time, message string, sooner func(now time.Time) bool) (early bool, err error) {
	watch := stopwatch.Start()
	if err := l.record(journal.WaitStarted{Reason: reason, Until: timePtr(until), Message: message}); err != nil {
		return false, err
	}
	if early, err = l.sleepOr(ctx, watch, stopwatch.Until(until, watch.Began()), sooner); err != nil {
		return false, err
	}
	return early, l.record(journal.WaitEnded{Reason: reason, Seconds: watch.Passed().Real.Seconds()})
}

// sleepUntil waits until a deadline that counts from the start of the watch.
func (l *Loop) sleepUntil(ctx context.Context, watch stopwatch.Watch, d stopwatch.Deadline) error {
	_, err := l.sleepOr(ctx, watch, d, nil)
	return err
}

func (l *Loop) sleepOr(ctx context.Context, watch stopwatch.Watch, d stopwatch.Deadline, sooner func(now time.Time) bool) (early bool, err error) {
	for {
		now := time.Now()
		left := d.Left(watch.Passed(), now)
		if left <= 0 {
			return false, cause(ctx)
		}
		if sooner != nil && sooner(now) {
			return true, cause(ctx)
		}
		if err := l.sleep(ctx, min(left, tick)); err != nil {
			return false, err
		}
	}
}

// sleep waits for a moment or for the end of the run.
func (l *Loop) sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// cause is why the run is told to end, nil where it is not.
func cause(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

// working says what is going on.
func (l *Loop) working(what string) {
	if l.Working != nil {
		l.Working(what)
	}
}

// sayStopping says once that the run was told to end, by whoever it was. After the
// returned function nothing is said any more.
func (l *Loop) sayStopping(ctx context.Context) (hush func()) {
	said := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(said)
		if l.Stopping != nil {
			l.Stopping()
		}
	})
	return func() {
		if !stop() {
			<-said
		}
	}
}

// clock shows a time to a person, with the day where it is not today.
func clock(t time.Time) string {
	t = t.Local()
	if now := time.Now(); t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format("15:04")
	}
	return t.Format("Mon 2 Jan 15:04")
}

func list(s []string) string { return strings.Join(s, ", ") }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
