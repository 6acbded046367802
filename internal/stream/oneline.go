package stream

import "strings"

// OneLine is a text that can do nothing to a terminal, without line breaks: a
// title must not look like a line of ralph's own.
func OneLine(text string) string {
	return strings.Join(strings.FieldsFunc(Sanitize(text), func(r rune) bool { return r == '\n' || r == '\t' }), " ")
}
