// Package words formats spans, times and numbers for the user, the same way everywhere.
package words

import (
	"fmt"
	"strings"
	"time"
)

// Duration shows a time span as exact as it matters; a negative one is "0s".
func Duration(d time.Duration) string {
	const half = 500 * time.Millisecond // what rounds up to a whole minute is one
	switch {
	case d < 0:
		return "0s"
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d < time.Minute-half:
		return d.Round(time.Second).String()
	case d < time.Hour-half:
		d = d.Round(time.Second)
		if s := int(d.Seconds()) % 60; s != 0 {
			return fmt.Sprintf("%dm%02ds", int(d.Minutes()), s)
		}
		return fmt.Sprintf("%dm", int(d.Minutes()))
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// Seconds shows a time span given in seconds, as the journal has it.
func Seconds(s float64) string { return Duration(time.Duration(s * float64(time.Second))) }

// Clock shows a time of day in the user's zone, with the day where that is
// another one than now's.
func Clock(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if t.Year() == now.Year() && t.YearDay() == now.YearDay() {
		return t.Format("15:04")
	}
	return t.Format("Mon 2 Jan 15:04")
}

// Tokens shows a number of tokens; an estimate is marked by a tilde.
func Tokens(n int64, estimated bool) string {
	s := fmt.Sprint(n)
	switch {
	case n >= 1_000_000:
		s = fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 1_000:
		s = fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	if estimated {
		return "~" + s
	}
	return s
}

// Count shows how many of something there are.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Plural is Count for a word with an irregular plural.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Local shows a moment as Clock does, as seen now.
func Local(t time.Time) string { return Clock(t, time.Now()) }

// Spaced returns a word of a file format as people read it.
func Spaced[T ~string](word T) string { return strings.ReplaceAll(string(word), "_", " ") }

// LastLines returns the last n lines of a text.
func LastLines(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// Items is what the items of a kind of plan are called.
func Items(plan string) string {
	if plan == "prd" {
		return "stories"
	}
	return "tasks"
}
