package plan

import (
	"strings"
	"unicode"
)

// Promised reports whether the agent's final message holds the promise: alone
// on a line, or at the very end. A promise that is merely mentioned in passing
// is none. White space inside the promise does not count, nor does emphasis
// round a promise that stands alone.
func Promised(final, promise string) bool {
	want := squeeze(promise)
	if want == "" {
		return false
	}
	for line := range strings.Lines(final) {
		if squeeze(strings.Trim(strings.TrimSpace(line), "*_`")) == want {
			return true
		}
	}
	return endsWith(final, want)
}

// endsWith compares from the end, leaving out white space, and so costs the
// length of the promise and not that of the message.
func endsWith(final, want string) bool {
	rest := final
	for want != "" {
		rest = strings.TrimRightFunc(rest, unicode.IsSpace)
		if rest == "" || rest[len(rest)-1] != want[len(want)-1] {
			return false
		}
		rest, want = rest[:len(rest)-1], want[:len(want)-1]
	}
	return true
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }
