package tamper

import (
	"strings"

	"ralph/internal/git"
	"ralph/internal/glob"
)

// OnlySpace reports whether a diff changes only white space without meaning. That is blank
// lines, trailing white space and, in documents, any white space. Moved lines, indentation and
// line ends have meaning. diff has the form of Input.Diff.
func OnlySpace(diff string) bool {
	for _, f := range git.ParseDiff(diff) {
		if f.Added() || f.Deleted() || f.Renamed() || f.Binary || len(f.Hunks) == 0 {
			return false
		}
		for _, h := range f.Hunks {
			if substance(h.Removed, f.Path()) != substance(h.Added, f.Path()) {
				return false
			}
		}
	}
	return true
}

var proseFiles = glob.New("*.md", "*.mdx", "*.rst", "*.txt", "*.adoc")

// isProse reports whether a file is for people.
func isProse(path string) bool { return proseFiles.Match(path) }

// substance is what is left of lines without the white space that says nothing.
func substance(lines []string, path string) string {
	prose := isProse(path)
	var b strings.Builder
	for _, line := range lines {
		if prose {
			text := strings.Join(strings.Fields(line), "")
			b.WriteString(text)
			if text != "" && strings.HasSuffix(line, "\r") {
				b.WriteByte('\r')
			}
			continue
		}
		if line = strings.TrimRight(line, " \t"); line != "" && line != "\r" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
