package run

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// maxCompared is how much of an error is compared, in bytes. What follows is
// output of the moment rather than the error.
const maxCompared = 4096

// minID is the length from which a word of letters and digits is an id, such as
// req_011CZkJw8bQ2, and not a name, such as sha256sum.
const minID = 14

var (
	escape = lazily(`\x1b\[[0-9;?]*[ -/]*[@-~]`)
	quotes = strings.NewReplacer("‘", "'", "’", "'", "‚", "'", "“", "'", "”", "'", "„", "'",
		"«", "'", "»", "'", `"`, "'", "`", "'")

	path   = lazily(`(?:\b[a-z]:)?[\w.~@%+-]*(?:[/\\][\w.~@%+-]+)+[/\\]?`)
	uuid   = lazily(`\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)
	moment = lazily(`\b\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?z\b|[+-]\d\d:?\d\d)?`)
	date   = lazily(`\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d+`)
	hexID  = lazily(`\b(?:0x[0-9a-f]+|[0-9a-f]{7,})\b`)
	word   = lazily(`\w+`)
	number = lazily(`(?:\d+(?:[.,:]\d+)*(?:ns|us|µs|ms|s|m|h| ?[ap]m\b)?)+`)
)

// lazily compiles a pattern when it is first asked for: most runs never see an
// error, and no other command does.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// normalize removes from an error's text what differs between two occurrences of the same
// error. That is case, the kind of quotation marks, white space, colours, paths, ids, times
// and numbers. Two errors are the same if their normalized texts are equal. Normalizing twice
// changes nothing.
func normalize(text string) string {
	text = strings.ToLower(escape().ReplaceAllString(strings.ToValidUTF8(text, " "), ""))
	text = quotes.Replace(foldSpace(cut(text, maxCompared)))
	// The order counts: an id in a path is gone with the path. No replacement is
	// longer than what it replaces, or can be part of a new match.
	text = path().ReplaceAllString(text, "/")
	for _, what := range []*regexp.Regexp{uuid(), moment(), date()} {
		text = what.ReplaceAllString(text, "#")
	}
	text = hexID().ReplaceAllStringFunc(text, func(s string) string { return foldIf(s, digits(s) > 0) })
	text = word().ReplaceAllStringFunc(text, func(s string) string { return foldIf(s, len(s) >= minID && digits(s) > 1) })
	return number().ReplaceAllString(text, "#")
}

func foldIf(s string, fold bool) string {
	if fold {
		return "#"
	}
	return s
}

func digits(s string) int {
	n := 0
	for _, r := range s {
		if '0' <= r && r <= '9' {
			n++
		}
	}
	return n
}

// foldSpace makes any run of white space and control characters one space.
func foldSpace(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// cut shortens s to at most n bytes without splitting a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
