package prompt

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// maxRef bounds how much of one referenced file is in the prompt.
const maxRef = 256 << 10

// refs lists the words of text that are @path, without the @, where a word begins,
// as agents that expand references see it: letters, digits and ._/-, but no dot at
// the end. It is called for each prompt, which a regular expression makes slow.
func refs(text string) []string {
	var found []string
	for at := 0; ; at++ {
		next := strings.IndexByte(text[at:], '@')
		if next < 0 {
			return found
		}
		at += next
		if at > 0 && !strings.ContainsRune(" \t\n\f\r(\"'", rune(text[at-1])) {
			continue
		}
		word := text[at+1:]
		if end := strings.IndexFunc(word, func(r rune) bool { return !inPath(r) }); end >= 0 {
			word = word[:end]
		}
		if word = strings.TrimRight(word, "."); word != "" {
			found = append(found, word)
			at += len(word)
		}
	}
}

func inPath(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || r == '.' || r == '_' || r == '/' || r == '-'
}

// inlineRefs appends the files that a prompt names with @path: most agents
// show their model the bare word. A name that is no file of the worktree stays
// as it is.
func inlineRefs(text, root string) string {
	var b strings.Builder
	b.WriteString(text)
	var seen []string
	for _, name := range refs(text) {
		rel := filepath.Clean(name)
		if slices.Contains(seen, rel) || !filepath.IsLocal(rel) {
			continue
		}
		seen = append(seen, rel)
		path, err := filepath.EvalSymlinks(filepath.Join(root, rel))
		if err != nil || !strings.HasPrefix(path, root+string(filepath.Separator)) {
			continue // nothing there, or a link that leads out of the worktree
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if info.Size() > maxRef {
			fmt.Fprintf(&b, "\n\n(`%s` has %d KB: read it in parts.)\n", rel, info.Size()>>10)
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		fmt.Fprintf(&b, "\n\nContent of `%s`:\n\n%s\n%s\n%s\n", rel, fence(data), strings.TrimRight(string(data), "\n"), fence(data))
	}
	return b.String()
}

// fence returns a code fence that does not occur in the text.
func fence(data []byte) string {
	f := "```"
	for strings.Contains(string(data), f) {
		f += "`"
	}
	return f
}
