package plan

import (
	"strings"
	"unicode"

	"ralph/internal/words"
)

// Promised reports whether the agent's final message contains the promise. The promise counts
// alone on a line, or at the end of the message. It does not count inside a sentence, or in a
// code block with more text after it. White space in the promise is ignored, and so is
// emphasis around a promise that is alone.
func Promised(final, promise string) bool {
	want := squeeze(promise)
	if want == "" {
		return false
	}
	fence, shown := "", false
	for line := range strings.Lines(final) {
		line = strings.TrimSpace(line)
		switch marks, _ := words.Fence(line); {
		case fence == "" && marks != "":
			fence = marks
		case fence != "" && marks == line && strings.HasPrefix(marks, fence):
			fence = ""
		case squeeze(strings.Trim(line, "*_`")) == want:
			if fence == "" {
				return true
			}
			shown = true
		case line != "":
			shown = false
		}
	}
	return shown || endsWith(final, want)
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
