package form

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// labelWidth is the column that the values begin in.
const labelWidth = 18

// keysHelp says what the keys do.
const (
	keysHelp  = "↑↓ field · ←→ change · Enter next, at the end start · Ctrl-S start · Esc leave"
	keysASCII = "Up/Down field - Left/Right change - Enter next, at the end start - Ctrl-S start - Esc leave"
)

// page returns the form as rows of at most width columns. It always has the same
// number of rows: a terminal keeps the last row of a page that becomes shorter.
func (f *Form) page(width int, color bool) string {
	paint := func(sgr, text string) string {
		if !color || text == "" {
			return text
		}
		return "\x1b[" + sgr + "m" + text + "\x1b[0m"
	}
	rows := []string{paint("1", f.Title), ""}
	for i := range f.Fields {
		field := &f.Fields[i]
		mark, label := "  ", fmt.Sprintf("%-*s", labelWidth-2, field.Label)
		if i == f.at && !f.done {
			mark, label = "> ", paint("1", label)
		}
		rows = append(rows, mark+label+field.shown(i == f.at && !f.done, width-labelWidth, f.ASCII))
		if field.Note != nil {
			rows = append(rows, strings.Repeat(" ", labelWidth)+paint("33", field.Note(field.Value)))
		}
	}
	rows = append(rows, "", paint("31", f.problem))
	keys := keysHelp
	if f.ASCII {
		keys = keysASCII
	}
	rows = append(rows, paint("2", keys))
	for i, r := range rows {
		rows[i] = ansi.Truncate(r, max(width, 1), "")
	}
	return strings.Join(rows, "\n") + "\n"
}

// shown is the value: with all options where it is a choice, with a cursor
// where it can be typed. Of a long text the end is shown.
func (f *Field) shown(current bool, room int, ascii bool) string {
	dots, cursor := "…", "█"
	if ascii {
		dots, cursor = "~", "_"
	}
	if f.Options != nil {
		var words []string
		for _, o := range f.Options {
			if o == f.Value {
				o = "[" + o + "]"
			}
			words = append(words, o)
		}
		return strings.Join(words, " ")
	}
	text := f.Value
	if cut := ansi.StringWidth(text) - room + 2; cut > 0 && room > 2 {
		text = dots + ansi.TruncateLeft(text, cut+1, "")
	}
	switch {
	case current && !f.Fixed:
		text += cursor
	case text == "" && f.Empty != "":
		text = "(" + f.Empty + ")"
	}
	if current && f.Most > 0 {
		text += fmt.Sprintf("  (%d to %d)", f.Least, f.Most)
	}
	return text
}
