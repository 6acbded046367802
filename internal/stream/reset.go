package stream

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // messages name zones, and minimal containers know none
)

// maxReset is the longest time until a reset that is accepted as real.
const maxReset = 400 * 24 * time.Hour

var resetPhrases = regexp.MustCompile(`(?i)\b(?:(?:resets?|try again|retry|access|ends)(?: (?:on|at|in|after))?|reset time:?|in|after) `)

var resetEpoch = regexp.MustCompile(`(?i)(?:limit reached\||"?resets_?at"?: ?)(\d{9,13})\b`)

// parseReset parses the time when a limit ends from an agent's message. Examples:
//
//   - "resets 8:20pm (Europe/Istanbul)", "resets Oct 24", "reset after 2h3m4s"
//   - "try again at Sep 20th, 2026 4:00 PM", "ends on 11/17/2026", an epoch after a bar
//
// Times without a zone have the zone of now. It returns false if the message has no time after
// now.
func parseReset(text string, now time.Time) (time.Time, bool) {
	text = strings.Join(strings.Fields(strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(text)), " ")
	if m := resetEpoch.FindStringSubmatch(text); m != nil {
		epoch, _ := strconv.ParseInt(m[1], 10, 64)
		return plausible(fromEpoch(epoch), now)
	}
	starts := []int{0}
	for _, m := range resetPhrases.FindAllStringIndex(text, -1) {
		starts = append(starts, m[1])
	}
	for _, start := range starts {
		if t, ok := parseMoment(text[start:], now); ok {
			if t, ok = plausible(t, now); ok {
				return t, true
			}
		}
	}
	return time.Time{}, false
}

func plausible(t, now time.Time) (time.Time, bool) {
	if !t.After(now) || t.Sub(now) > maxReset {
		return time.Time{}, false
	}
	return t, true
}

// parseMoment reads a point in time, or a duration from now, that text begins with.
func parseMoment(text string, now time.Time) (time.Time, bool) {
	if d, ok := parseDuration(text); ok {
		return now.Add(d), true
	}
	if m := isoMoment.FindStringSubmatch(text); m != nil {
		loc := zone(m[6], now)
		return localTime(atoi(m[1]), time.Month(atoi(m[2])), atoi(m[3]), atoi(m[4]), atoi(m[5]), loc), true
	}
	if m := slashDate.FindStringSubmatch(text); m != nil {
		return localTime(atoi(m[3]), time.Month(atoi(m[1])), atoi(m[2]), 0, 0, now.Location()), true
	}
	m := clockMoment.FindStringSubmatch(text)
	if m == nil {
		if m = dayMoment.FindStringSubmatch(text); m == nil {
			return time.Time{}, false
		}
		// A day without a time is over at its end: that is never early.
		c := clock{month: m[1], day: atoi(m[2]) + 1, year: atoi(m[3]), loc: now.Location()}
		return c.next(now)
	}
	c := clock{weekday: m[1], month: m[2], day: atoi(m[3]), year: atoi(m[4]), loc: zone(cmp.Or(m[8], m[9]), now)}
	var ok bool
	if c.hour, c.minute, ok = hourOf(m[5], m[6], m[7]); !ok {
		return time.Time{}, false
	}
	return c.next(now)
}

var isoMoment = regexp.MustCompile(`(?i)^(\d{4})-(\d\d)-(\d\d)(?:t| at | )(\d\d):(\d\d)(?::\d\d)?(?: ?\(?([a-z][\w+/-]*)\)?)?`)

// slashDate is a day in the American order, of the cycle that a bill is for.
var slashDate = regexp.MustCompile(`^(1[0-2]|0?[1-9])/([12]\d|3[01]|0?[1-9])/(\d{4})\b`)

var clockMoment = regexp.MustCompile(`(?i)^(?:(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? (?:at )?)?` +
	`(?:(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?,? (?:at )?)?` +
	`(\d{1,2})(?::(\d\d))?(?: ?([ap])\.?m\b\.?)?(?: ?\(([^)]*)\)| (utc|gmt)\b)?`)

// dayMoment is a day without a time: Oct 24.
var dayMoment = regexp.MustCompile(`(?i)^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?\b`)

// hourOf turns what a clock shows into hour and minute of the day. A bare
// number is no time.
func hourOf(hour, minute, half string) (int, int, bool) {
	h, m := atoi(hour), atoi(minute)
	if half == "" {
		return h, m, minute != "" && h < 24 && m < 60
	}
	if h < 1 || h > 12 || m > 59 {
		return 0, 0, false
	}
	h %= 12
	if strings.EqualFold(half, "p") {
		h += 12
	}
	return h, m, true
}

// zone is the location of that name, or now's own where it is not known.
func zone(name string, now time.Time) *time.Location {
	switch {
	case strings.EqualFold(name, "utc"), strings.EqualFold(name, "gmt"), name == "Z", name == "z":
		return time.UTC
	case name == "" || name == "Local":
		return now.Location()
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return now.Location()
	}
	return loc
}

// atoi is the number that the digits show; a pattern has matched them.
func atoi(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
