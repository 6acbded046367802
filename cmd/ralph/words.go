package main

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

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
