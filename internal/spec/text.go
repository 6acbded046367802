package spec

import (
	"bytes"
	"strings"
	"unicode"
)

// fold makes white space, and what cannot be seen, a single blank.
func fold(s string) string {
	if folded(s) {
		return s
	}
	return strings.Join(strings.FieldsFunc(s, func(c rune) bool {
		return unicode.IsSpace(c) || unicode.IsControl(c)
	}), " ")
}

// folded reports whether a text is surely folded already. It is quick.
func folded(s string) bool {
	last := byte(' ')
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c >= 0x7f || c == ' ' && last == ' ' {
			return false
		}
		last = c
	}
	return last != ' ' || s == ""
}

// stripBox removes the box of a task, ticked or not.
func stripBox(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 3 && s[0] == '[' && s[2] == ']' && strings.IndexByte(" xX-?~", s[1]) >= 0 && endsBox(s[3:]) {
		return strings.TrimSpace(s[3:])
	}
	if rest, ok := strings.CutPrefix(s, "[]"); ok {
		return strings.TrimSpace(rest)
	}
	return s
}

// endsBox reports, from the text after brackets, whether they are a box. A blank is often
// forgotten, and the start of a link is not a box.
func endsBox(rest string) bool {
	return rest == "" || strings.IndexByte("([:", rest[0]) < 0
}

// sameWords compares without regard to case, white space and a final colon.
func sameWords(a, b string) bool {
	return strings.EqualFold(strings.TrimSuffix(fold(a), ":"), b)
}

// joined makes one text of the lines of a block.
func joined(lines [][]byte) string {
	if len(lines) == 1 {
		return string(bytes.TrimSpace(lines[0]))
	}
	return string(bytes.Join(lines, []byte(" ")))
}

// shortened keeps messages readable.
func shortened(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
