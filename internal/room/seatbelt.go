package room

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// profile returns the room in the language of sandbox-exec, in which the last rule that
// fits decides. Folders cannot be shown elsewhere and nothing is private there: what should
// be private can be written. No one has tried it on a Mac yet.
func (r *Room) profile() string {
	var b strings.Builder
	b.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n(allow file-write* (subpath \"/dev\"))\n")
	if !r.network {
		b.WriteString("(deny network*)\n")
	}
	for _, path := range slices.Sorted(maps.Keys(r.rules)) {
		ru := r.rules[path]
		if ru.from != "" {
			path = ru.from
		}
		word := quoted(path)
		switch ru.access {
		case readOnly:
			fmt.Fprintf(&b, "(allow file-read* (subpath %s))\n(deny file-write* (subpath %s))\n", word, word)
		case writable, private:
			fmt.Fprintf(&b, "(allow file-read* file-write* (subpath %s))\n", word)
		case hidden:
			fmt.Fprintf(&b, "(deny file-read* file-write* (subpath %s))\n", word)
		}
	}
	return b.String()
}

// quoted returns a string of the profile's language.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
