package doctor

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// clock shows a time to a person, with the day where it is not today.
func clock(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if t.Year() == now.Year() && t.YearDay() == now.YearDay() {
		return t.Format("15:04")
	}
	return t.Format("Mon 2 Jan 15:04")
}

func sortedKeys(m map[string]time.Time) []string { return slices.Sorted(maps.Keys(m)) }
