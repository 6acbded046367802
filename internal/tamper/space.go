package tamper

import "strings"

// OnlySpace reports whether a diff, as Input has it, changes nothing but blank
// lines, white space at the end of lines and, in texts for people, white space
// anywhere. Indentation counts as a change: it is code in some languages.
func OnlySpace(diff string) bool {
	for _, f := range parseDiff(diff) {
		if f.added() || f.deleted() || f.renamed() || f.binary || len(f.hunks) == 0 {
			return false
		}
		var removed, added []string
		for _, h := range f.hunks {
			removed, added = append(removed, h.removed...), append(added, h.added...)
		}
		if substance(removed, f.path()) != substance(added, f.path()) {
			return false
		}
	}
	return true
}

// substance is what is left of lines without the white space that says nothing.
func substance(lines []string, path string) string {
	text := prose().match(path)
	var b strings.Builder
	for _, line := range lines {
		if text {
			b.WriteString(strings.Join(strings.Fields(line), ""))
			continue
		}
		if line = strings.TrimRight(line, " \t\r"); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
