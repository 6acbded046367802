package main

import (
	"fmt"
	"strings"
	"time"

	"ralph/internal/journal"
	"ralph/internal/stream"
)

// duration shows a time span to a person, as exact as it matters.
func duration(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d < time.Minute:
		return d.Round(time.Second).String()
	case d < time.Hour:
		d = d.Round(time.Second)
		if s := int(d.Seconds()) % 60; s != 0 {
			return fmt.Sprintf("%dm%02ds", int(d.Minutes()), s)
		}
		return fmt.Sprintf("%dm", int(d.Minutes()))
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// clock shows a time of day in the user's zone, with the day where it is not today.
func clock(t time.Time) string {
	t = t.Local()
	if now := time.Now(); t.Year() == now.Year() && t.YearDay() == now.YearDay() {
		return t.Format("15:04")
	}
	return t.Format("Mon 2 Jan 15:04")
}

// tokens shows a number of tokens; an estimate is marked.
func tokens(n int64, estimated bool) string {
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

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func itemWord(planKind string) string {
	if planKind == "prd" {
		return "stories"
	}
	return "tasks"
}

func title(s journal.Story) string {
	if s.ID == s.Title {
		return s.Title
	}
	return s.ID + ": " + s.Title
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// shortened cuts a text that is longer than a number of characters.
func shortened(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:max(0, most-1)]) + "…"
}

// oneLine is a text that can do nothing to a terminal, without line breaks: a
// title must not look like a line of ralph's own.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(stream.Sanitize(s), func(r rune) bool { return r == '\n' || r == '\t' }), " ")
}
