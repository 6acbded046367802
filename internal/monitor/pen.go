package monitor

import (
	"math"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// pen writes styled text and measures it. Colours are of the terminal's own
// sixteen, which suit its background, and never the only sign of anything.
type pen struct{ color, ascii bool }

// The SGR codes in use; see ECMA-48, 8.3.117. No text is green, yellow or bright: such
// text is invisible on a light background. Coloured words have a coloured background;
// green letters are only for marks.
const (
	bold     = "1"
	dim      = "2"
	red      = "31"
	green    = "32"
	onRed    = "97;41"
	onGreen  = "30;42"
	onYellow = "30;43"
)

func (p pen) paint(sgr, text string) string {
	if !p.color || text == "" {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[0m"
}

// pick returns a symbol or its plain replacement.
func (p pen) pick(symbol, plain string) string {
	if p.ascii {
		return plain
	}
	return symbol
}

// clip cuts a line to a number of columns.
func (p pen) clip(text string, width int) string {
	if len(text) <= width { // no character is wider than its bytes are many
		return text
	}
	return ansi.Truncate(text, max(width, 0), p.pick("…", "~"))
}

// pad fills a line up to a number of columns.
func (p pen) pad(text string, width int) string {
	text = p.clip(text, width)
	return text + strings.Repeat(" ", max(0, width-ansi.StringWidth(text)))
}

// bar shows a part of a whole; part may be more than 1.
func (p pen) bar(part float64, width int) string {
	full := int(math.Round(min(max(part, 0), 1) * float64(width)))
	return strings.Repeat(p.pick("█", "#"), full) + strings.Repeat(p.pick("░", "-"), width-full)
}

// graph shows values as columns of a character each, the last ones where there
// is no room for all. The highest fills its character. No digits: in a row they would
// be taken for a number.
func (p pen) graph(values []float64, width int) string {
	levels := []rune(p.pick("▁▂▃▄▅▆▇█", "_.-=+*%#"))
	values = values[max(0, len(values)-max(width, 0)):]
	top := 0.0
	for _, v := range values {
		top = max(top, v)
	}
	var out strings.Builder
	for _, v := range values {
		level := 0
		if top > 0 {
			level = int(math.Round(max(v, 0) / top * float64(len(levels)-1)))
		}
		out.WriteRune(levels[level])
	}
	return out.String()
}
