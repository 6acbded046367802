package stream

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// clock is a time of day as a message shows it, to the minute, with as much of
// a date as the message names.
type clock struct {
	weekday, month string // the first three letters, or ""
	day, year      int
	hour, minute   int
	loc            *time.Location
}

// next is the first moment after now that the clock shows. Messages round
// down to the minute, so the minute that is running counts as still to come.
func (c clock) next(now time.Time) (time.Time, bool) {
	now = now.In(c.loc)
	if c.month != "" {
		return c.nextDate(now)
	}
	days := 0
	if c.weekday != "" {
		days = (dayOfWeek(c.weekday) - int(now.Weekday()) + 7) % 7
	}
	step := 1
	if c.weekday != "" {
		step = 7
	}
	for range 2 {
		t := localTime(now.Year(), now.Month(), now.Day()+days, c.hour, c.minute, c.loc)
		if t, ok := toCome(t, now); ok {
			return t, true
		}
		days += step
	}
	return time.Time{}, false
}

// nextDate is the moment of a date, next year's where no year is named and
// this year's is over.
func (c clock) nextDate(now time.Time) (time.Time, bool) {
	month := monthOf(c.month)
	year := c.year
	if year == 0 {
		year = now.Year()
	}
	t, ok := toCome(localTime(year, month, c.day, c.hour, c.minute, c.loc), now)
	if !ok && c.year == 0 {
		t, ok = toCome(localTime(year+1, month, c.day, c.hour, c.minute, c.loc), now)
	}
	return t, ok
}

// toCome returns t if it is after now, or the end of its minute if that is. In
// the hour that comes twice in autumn the second pass may be what is meant.
func toCome(t, now time.Time) (time.Time, bool) {
	if t.After(now) {
		return t, true
	}
	if second := t.Add(time.Hour); second.Hour() == t.Hour() && second.After(now) {
		return second, true
	}
	if end := t.Add(time.Minute); end.After(now) {
		return end, true
	}
	return time.Time{}, false
}

// localTime returns the moment when a clock in loc shows this time. A time in the skipped
// hour of spring is moved after the gap, so that the moment is never too early.
func localTime(year int, month time.Month, day, hour, minute int, loc *time.Location) time.Time {
	t := time.Date(year, month, day, hour, minute, 0, 0, loc)
	if t.Hour() == hour && t.Minute() == minute {
		return t
	}
	shown := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
	if short := time.Date(year, month, day, hour, minute, 0, 0, time.UTC).Sub(shown); short > 0 {
		t = t.Add(short)
	}
	return t
}

func dayOfWeek(name string) int {
	return strings.Index("sunmontuewedthufrisat", strings.ToLower(name)) / 3
}

func monthOf(name string) time.Month {
	return time.Month(strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower(name))/3 + 1)
}

var durationPart = regexp.MustCompile(`(?i)^(\d{1,6}(?:\.\d{1,6})?) ?(d|days?|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)(?:\b|(\d))`)

// parseDuration reads a duration that text begins with: `3 hours 2 minutes`,
// `2h39m52s`, `44.09s`.
func parseDuration(text string) (time.Duration, bool) {
	units := map[byte]time.Duration{'d': 24 * time.Hour, 'h': time.Hour, 'm': time.Minute, 's': time.Second}
	var sum time.Duration
	found := false
	for {
		m := durationPart.FindStringSubmatch(text)
		if m == nil {
			break
		}
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			break
		}
		sum += time.Duration(n * float64(units[strings.ToLower(m[2])[0]]))
		found = true
		text = text[len(m[0])-len(m[3]):]
		text = strings.TrimPrefix(strings.TrimLeft(text, " ,"), "and ")
	}
	return sum, found && sum > 0
}
