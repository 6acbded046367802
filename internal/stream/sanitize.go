package stream

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Sanitize removes everything from a text that could control a terminal. It removes escape
// sequences, characters that reorder text, and control characters except tab and line break.
// It replaces invalid UTF-8. A carriage return becomes a line break, so that no text is
// overwritten.
func Sanitize(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, isControl) {
		return text // as most are
	}
	text = strings.ReplaceAll(string([]rune(text)), "\r\n", "\n")
	return controls.ReplaceAllStringFunc(text, func(found string) string {
		if found == "\r" {
			return "\n"
		}
		return ""
	})
}

// isControl reports whether a character steers the terminal (C0, C1) or the direction of the
// text around it.
func isControl(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 ||
		r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// controls matches what controls a terminal, each with the sequence after it. The text
// of a sequence that never ends stays: nothing may be hidden in it.
var controls = regexp.MustCompile(strings.Join([]string{
	`(?:\x1b\[|\x{9b})[ -?]*[@-~]?`, // CSI: a colour, a move of the cursor
	`(?:\x1b[\]PX^_]|[\x{90}\x{98}\x{9d}-\x{9f}])(?:[^\n\x07]*?(?:\x07|\x1b\\|\x{9c}))?`, // OSC, DCS: a title, a link
	`\x1b(?:[ -/][0-~]|[0-~])?`,                                         // another escape sequence
	`[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`, // what isControl names
}, "|"))
