package monitor

import (
	"fmt"
	"time"
)

// lasting formats a span of time: 12s, 3m12s, 2h05m, 3d4h.
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
