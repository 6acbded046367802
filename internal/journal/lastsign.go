package journal

import (
	"os"
	"time"
)

// LastSign is when a loop that has died showed life for the last time, as far as can
// be told: at its last event, or when it wrote to the log of the call at work (empty
// is none). It is never behind now: one of the clocks may have been set since.
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
