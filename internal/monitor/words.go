package monitor

import (
	"fmt"
	"strings"
	"time"

	"ralph/internal/journal"
)

// words makes words of a name in the journal.
func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

// capital begins a word with a capital letter.
func capital(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

// lasting is a span of time as a person reads it: 12s, 3m12s, 2h05m, 3d4h.
func lasting(d time.Duration) string {
	d = max(d, 0).Truncate(time.Second)
	s := int(d / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600 && s%60 == 0:
		return fmt.Sprintf("%dm", s/60)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	case s < 48*3600:
		return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
	}
	return fmt.Sprintf("%dd%dh", s/86400, s/3600%24)
}

// until is the time to a moment to come, in minutes where it is not near.
func until(d time.Duration) string {
	if d > 2*time.Minute {
		d = d.Round(time.Minute)
		if d < time.Hour {
			return fmt.Sprintf("%dm", int(d/time.Minute))
		}
	}
	return lasting(d)
}

// clock is a moment in the user's zone, with the day where that is not now's.
func clock(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if t.Year() == now.Year() && t.YearDay() == now.YearDay() {
		return t.Format("15:04")
	}
	return t.Format("Mon 2 Jan 15:04")
}

// count shows a number of tokens.
func count(n int64) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 1_000:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func storyTitle(s journal.Story) string {
	if s.Title == "" || s.ID == s.Title {
		return s.ID
	}
	return s.ID + ": " + s.Title
}

// itemWord is what the parts of a plan are called.
func itemWord(plan string) string {
	if plan == "prd" {
		return "stories"
	}
	return "tasks"
}
