package main

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ralph/internal/journal"
	"ralph/internal/stream"
	"ralph/internal/words"
)

// Short names for the words that every command uses.

func duration(d time.Duration) string { return words.Duration(d) }

func oneLine(s string) string { return stream.OneLine(s) }

func clock(t time.Time) string { return words.Clock(t, time.Now()) }

func tokens(n int64, estimated bool) string { return words.Tokens(n, estimated) }

func plural(n int, what string) string { return words.Count(n, what) }

func itemWord(planKind string) string { return words.Items(planKind) }

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

// shortened cuts a text that is wider than a number of columns: a character of
// Chinese, or a symbol of many parts, takes two.
func shortened(s string, most int) string { return ansi.Truncate(s, max(0, most), "…") }

// fit is shortened for this terminal's locale.
func (t *terminal) fit(s string, most int) string {
	return ansi.Truncate(s, max(0, most), t.symbol("…"))
}

// padded fills a text up to a number of columns.
func padded(s string, columns int) string {
	return s + strings.Repeat(" ", max(0, columns-ansi.StringWidth(s)))
}

// spaced returns a word of the journal as people read it.
func spaced[T ~string](word T) string { return strings.ReplaceAll(string(word), "_", " ") }
