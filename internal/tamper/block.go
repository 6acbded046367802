package tamper

import (
	"strings"
	"unicode"
)

// block is a test of which lines were removed or added together.
type block struct {
	name  string
	line  int      // of its beginning
	lines []string // from its beginning to the next test, or to the end of the place that changed
	at    int      // index of its beginning among the lines of the hunk
}

// blocks finds the tests that begin among the lines of one side of a hunk.
func (f *framework) blocks(side []string, first int) []block {
	var found []block
	for n, line := range side {
		name, ok := f.testName(line)
		switch {
		case ok:
			found = append(found, block{name: name, line: first + n, at: n, lines: side[n : n+1]})
		case len(found) > 0:
			b := &found[len(found)-1]
			b.lines = side[b.at : n+1]
			if b.name == "" && f.nameOf != nil {
				b.name = group(f.nameOf.FindStringSubmatch(line))
			}
		}
	}
	return found
}

// id tells a test from those of other frameworks.
func (f *framework) id(b block) string { return f.Name + "\x00" + b.name }

// testName reports whether a test begins with the line, and what it is called.
func (f *framework) testName(line string) (name string, ok bool) {
	if f.isComment(line) {
		return "", false
	}
	for i := range f.Test {
		if m := f.Test[i].re.submatch(line); m != nil {
			return group(m), true
		}
	}
	return "", false
}

// group is the first group of a match that is not empty.
func group(m []string) string {
	for i := 1; i < len(m); i++ {
		if m[i] != "" {
			return m[i]
		}
	}
	return ""
}

// words returns the words of a line: names, numbers, parts of texts.
func words(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// telling reports whether a line says enough to be recognised elsewhere.
func telling(line string) bool { return len(bare(line)) >= shortest }
