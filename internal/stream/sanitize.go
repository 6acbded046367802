package stream

import (
	"strings"
	"unicode/utf8"
)

// Sanitize removes everything from a text that could control a terminal. It removes escape
// sequences, characters that reorder text, and control characters except tab and line break.
// It replaces invalid UTF-8. A carriage return becomes a line break, so that no text is
// overwritten.
func Sanitize(text string) string {
	i := harmless(text)
	if i == len(text) {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	for {
		out.WriteString(text[:i])
		if text = text[i:]; text == "" {
			return out.String()
		}
		text = text[replaceControl(&out, text):]
		i = harmless(text)
	}
}

// harmless is the length of the start of text that holds nothing to take out.
func harmless(text string) int {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c >= ' ' && c < 0x7f, c == '\n', c == '\t':
			i++
			continue
		case c < utf8.RuneSelf:
			return i
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 || isControl(r) {
			return i
		}
		i += size
	}
	return len(text)
}

// isControl says whether a character beyond ASCII steers the terminal (C1) or
// the direction of the text around it.
func isControl(r rune) bool {
	return r >= 0x80 && r < 0xa0 || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// replaceControl writes the replacement of the control character or sequence at the
// start of text, and returns its length.
func replaceControl(out *strings.Builder, text string) int {
	switch c := text[0]; {
	case c == 0x1b:
		return 1 + escapeLength(text[1:])
	case c == '\r':
		if !strings.HasPrefix(text, "\r\n") {
			out.WriteByte('\n')
		}
		return 1
	case c < utf8.RuneSelf:
		return 1
	}
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case r == utf8.RuneError && size == 1:
		out.WriteRune(utf8.RuneError)
	case r == 0x9b:
		return size + controlLength(text[size:])
	case strings.ContainsRune("\u0090\u0098\u009d\u009e\u009f", r):
		return size + stringLength(text[size:])
	}
	return size
}

// escapeLength is the length of what belongs to an ESC in front of text. The
// text of a sequence that never ends stays: nothing may be hidden in it.
func escapeLength(text string) int {
	if text == "" {
		return 0
	}
	switch c := text[0]; {
	case c == '[':
		return 1 + controlLength(text[1:])
	case strings.IndexByte("]PX^_", c) >= 0:
		return 1 + stringLength(text[1:])
	case c >= 0x20 && c < 0x30 && len(text) > 1 && text[1] >= 0x30 && text[1] < 0x7f:
		return 2
	case c >= 0x30 && c < 0x7f:
		return 1
	}
	return 0
}

// controlLength is the length of the parameters and the final byte of a CSI sequence.
func controlLength(text string) int {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= 0x40 && c < 0x7f:
			return i + 1
		case c < 0x20 || c >= 0x7f:
			return i
		}
	}
	return len(text)
}

// stringLength is the length of an OSC, DCS or like string with its end, or 0
// where it does not end.
func stringLength(text string) int {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == 0x07:
			return i + 1
		case text[i] == '\n':
			return 0
		case strings.HasPrefix(text[i:], "\x1b\\"), strings.HasPrefix(text[i:], "\u009c"):
			return i + 2
		}
	}
	return 0
}
