package stream

import "strings"

// OneLine sanitizes a text and replaces its line breaks, so that a title cannot look like a
// line of ralph.
func OneLine(text string) string {
	return strings.Join(strings.FieldsFunc(Sanitize(text), func(r rune) bool { return r == '\n' || r == '\t' }), " ")
}
