package proof

import (
	"regexp"
	"strings"
)

// Rust's unit tests are in the files that they test, in modules below #[cfg(test)].

var testModule = regexp.MustCompile(`(?m)^[ \t]*#\[cfg\((?:test|all\(test[^\n]*)\)\]\s*(?:#\[[^\n]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+\s*\{`)

// splitRust returns a source file without its modules of tests, and these.
func splitRust(text string) (work string, tests []string) {
	var rest strings.Builder
	for {
		at := testModule.FindStringIndex(text)
		if at == nil {
			break
		}
		end := closing(text, at[1])
		rest.WriteString(text[:at[0]])
		tests = append(tests, text[at[0]:end])
		text = text[end:]
	}
	rest.WriteString(text)
	return rest.String(), tests
}

// joinRust returns the work of one file with the modules of tests of another.
func joinRust(workOf, testsOf string) string {
	work, own := splitRust(workOf)
	_, tests := splitRust(testsOf)
	if strings.Join(own, "") == strings.Join(tests, "") {
		return workOf
	}
	if len(tests) == 0 {
		return work
	}
	return strings.TrimRight(work, "\n") + "\n\n" + strings.Join(tests, "\n\n") + "\n"
}

// closing returns the index after the brace that closes a block of Rust, which begins
// before from. Texts, characters and comments may hold braces too.
func closing(text string, from int) int {
	depth := 1
	for i := from; i < len(text); i++ {
		switch c := text[i]; {
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case strings.HasPrefix(text[i:], "//"):
			i += length(text[i:], "\n") - 1
		case strings.HasPrefix(text[i:], "/*"):
			i += length(text[i:], "*/") - 1
		case c == '"':
			i = endOfText(text, i)
		case c == 'r' && isRaw(text, i):
			hashes := len(text[i+1:]) - len(strings.TrimLeft(text[i+1:], "#"))
			open := i + 1 + hashes + 1
			i = open + length(text[open:], `"`+strings.Repeat("#", hashes)) - 1
		case c == '\'':
			i = endOfCharacter(text, i)
		}
	}
	return len(text)
}

// length returns how long a text is up to its first mark and with it.
func length(text, mark string) int {
	if i := strings.Index(text, mark); i >= 0 {
		return i + len(mark)
	}
	return len(text)
}

func isRaw(text string, i int) bool {
	return (i == 0 || !isWord(text[i-1]) || text[i-1] == 'b') && strings.HasPrefix(strings.TrimLeft(text[i+1:], "#"), `"`)
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func endOfText(text string, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// endOfCharacter returns the index of the quote that ends a character, or i where the
// quote begins a lifetime.
func endOfCharacter(text string, i int) int {
	if i+2 < len(text) && text[i+1] == '\\' {
		return i + 2 + length(text[min(i+3, len(text)):], "'")
	}
	for n := 2; n <= 5 && i+n < len(text); n++ {
		if text[i+n] == '\'' {
			return i + n
		}
		if isWord(text[i+1]) {
			break // more than one letter: 'static
		}
	}
	return i
}
