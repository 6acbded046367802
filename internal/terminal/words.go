package terminal

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Shortened cuts a text to a width in columns and marks the cut with "…". A Chinese character
// takes two columns.
func Shortened(s string, most int) string { return ansi.Truncate(s, max(0, most), "…") }

// Fit cuts a text to a width as Shortened does, with the symbols of this terminal's locale.
func (t *Terminal) Fit(s string, most int) string {
	return ansi.Truncate(s, max(0, most), t.Symbol("…"))
}

// Padded appends spaces to a text up to a width in columns.
func Padded(s string, columns int) string {
	return s + strings.Repeat(" ", max(0, columns-ansi.StringWidth(s)))
}
