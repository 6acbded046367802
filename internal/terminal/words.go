package terminal

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Shortened cuts a text that is wider than a number of columns: a character of
// Chinese, or a symbol of many parts, takes two.
func Shortened(s string, most int) string { return ansi.Truncate(s, max(0, most), "…") }

// Fit is shortened for this terminal's locale.
func (t *Terminal) Fit(s string, most int) string {
	return ansi.Truncate(s, max(0, most), t.Symbol("…"))
}

// Padded fills a text up to a number of columns.
func Padded(s string, columns int) string {
	return s + strings.Repeat(" ", max(0, columns-ansi.StringWidth(s)))
}
