// Package words formats durations, times and numbers for the user, the same way everywhere.
package words

import (
	"fmt"
	"strings"
	"time"
)

// Duration formats a duration with suitable precision. A negative one is "0s".
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
	hours := int(d.Hours())
	if hours < 48 {
		return fmt.Sprintf("%dh%02dm", hours, int(d.Minutes())%60)
	}
	return fmt.Sprintf("%dd%dh", hours/24, hours%24)
}

// Left formats the time from now until a time, without seconds unless it is near.
func Left(until, now time.Time) string {
	left := max(until.Sub(now), 0)
	if left >= time.Minute {
		return Duration(left.Round(time.Minute))
	}
	return Duration(left.Round(time.Second))
}

// Seconds formats a duration in seconds, as Duration does.
func Seconds(s float64) string { return Duration(time.Duration(s * float64(time.Second))) }

// Clock formats a time of day in the user's zone. It adds the date if t is not on the same day
// as now.
func Clock(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if t.Year() == now.Year() && t.YearDay() == now.YearDay() {
		return t.Format("15:04")
	}
	return t.Format("Mon 2 Jan 15:04")
}

// Tokens formats a number of tokens, with a tilde before an estimate.
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

// Cost formats an amount in US dollars.
func Cost(usd float64) string { return fmt.Sprintf("$%.2f", usd) }

// Spent formats a number of tokens as Tokens does, with their cost if it is known.
func Spent(tokens int64, estimated bool, usd *float64) string {
	text := Tokens(tokens, estimated)
	if usd != nil && *usd > 0 {
		text += ", " + Cost(*usd)
	}
	return text
}

// Count formats a number with its noun, and appends an s to the noun unless the number is 1.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// CountPlural formats a number with its noun as Count does, for a noun with an irregular plural.
func CountPlural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Local formats a time as Clock does, compared with the current time.
func Local(t time.Time) string { return Clock(t, time.Now()) }

// WithSpaces replaces the underscores of a word by spaces.
func WithSpaces[T ~string](word T) string { return strings.ReplaceAll(string(word), "_", " ") }

// LastLines returns the last n lines of a text.
func LastLines(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// Capital returns a word with a capital letter at its start.
func Capital[T ~string](word T) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(string(word[:1])) + string(word[1:])
}

// Fence splits a line of markdown that opens or closes a code block into its marks and the rest.
// marks is empty for any other line. Backticks with backticks after them are code within a line.
func Fence(line string) (marks, rest string) {
	line = strings.TrimLeft(line, " \t")
	for _, mark := range []string{"`", "~"} {
		rest = strings.TrimLeft(line, mark)
		if n := len(line) - len(rest); n >= 3 && (mark == "~" || !strings.Contains(rest, mark)) {
			return line[:n], rest
		}
	}
	return "", ""
}
