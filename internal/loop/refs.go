package loop

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxRef bounds how much of one referenced file stands in the prompt.
const maxRef = 256 << 10

// ref matches @path where a word begins, as agents that expand references see it.
var ref = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(?:^|[\s("'])@([\pL\pN._/-]*[\pL\pN_/-])`)
})

// inlineRefs appends the files that a prompt names with @path: most agents
// show their model the bare word. A name that is no file of the worktree stays
// as it is.
func inlineRefs(text, root string) string {
	var b strings.Builder
	b.WriteString(text)
	var seen []string
	for _, m := range ref().FindAllStringSubmatch(text, -1) {
		rel := filepath.Clean(m[1])
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

// fence is a code fence that does not occur in the text it goes round.
func fence(data []byte) string {
	f := "```"
	for strings.Contains(string(data), f) {
		f += "`"
	}
	return f
}
