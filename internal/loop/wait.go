package loop

import (
	"context"
	"fmt"
	"strings"
	"time"
)

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
