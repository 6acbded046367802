package loop

import (
	"context"
	"fmt"
	"strings"
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

func list(s []string) string { return strings.Join(s, ", ") }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
