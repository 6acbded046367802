package journal

import (
	"os"
	"time"
)

// LastSign returns the last known sign of life of a dead loop: its last event, or its last write
// to the log of the current call (empty for no log). It is never after now: a clock may have been
// set since.
func LastSign(event time.Time, log string, now time.Time) time.Time {
	last := event
	if log != "" {
		if info, err := os.Stat(log); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	if last.After(now) {
		return now
	}
	return last
}
