package monitor

import (
	"slices"
	"strings"
	"time"

	"ralph/internal/stream"
)

const (
	maxLines = 500     // that the dashboard remembers, at least
	maxLine  = 4 << 10 // of one of them, in bytes
)

// line is one line of what happened, for people. Its text is harmless for a
// terminal: the only control characters in it are the colours of package stream.
type line struct {
	at   time.Time
	text string
}

// lines are the last ones, by time.
type lines []line

// add puts lines in their places. What is read of a log that was there before
// is older than what the journal said of it meanwhile.
func (l *lines) add(more ...line) {
	for _, m := range more {
		at := len(*l)
		for at > 0 && (*l)[at-1].at.After(m.at) {
			at--
		}
		*l = slices.Insert(*l, at, m)
	}
	if len(*l) >= 2*maxLines { // seldom: to move them costs more than to keep a few
		*l = slices.Delete(*l, 0, len(*l)-maxLines)
	}
}

// split makes lines of text that package stream has made harmless.
func split(text string, at time.Time) []line {
	var out []line
	for part := range strings.Lines(text) {
		part = strings.TrimRight(strings.ReplaceAll(part, "\t", "  "), " \r\n")
		if part != "" {
			out = append(out, line{at, shorten(part)})
		}
	}
	return out
}

// plainLine makes one harmless line of a text.
func plainLine(text string) string {
	return shorten(strings.Join(strings.Fields(stream.Sanitize(text)), " "))
}

// shorten cuts a text that is too long for a dashboard. It returns a copy, so that a kept
// line does not keep its whole message in memory.
func shorten(text string) string {
	return strings.Clone(strings.ToValidUTF8(text[:min(len(text), maxLine)], ""))
}
