package tamper

import (
	"maps"
	"slices"
	"strings"
)

// Around is what surrounds commits in the git directory, where no diff shows it.
type Around struct {
	Hooks     map[string]string // fingerprints by name
	HooksPath string
	Excluded  []string
	Unseen    []string // what has git show files otherwise than they are
}

// Hooked tells whether there are hooks, or were to be.
func (a Around) Hooked() bool { return len(a.Hooks) > 0 || a.HooksPath != "" }

// Compare returns what was weakened between two looks at the git directory. A
// hook that is new asks for more, and is no finding.
func Compare(before, after Around) []Finding {
	var found []Finding
	for _, name := range slices.Sorted(maps.Keys(before.Hooks)) {
		switch is, ok := after.Hooks[name]; {
		case !ok:
			found = append(found, Finding{Path: ".git/hooks/" + name, Rule: "hook-changed", Message: "a git hook was removed or turned off"})
		case is != before.Hooks[name]:
			found = append(found, Finding{Path: ".git/hooks/" + name, Rule: "hook-changed", Message: "a git hook was changed"})
		}
	}
	if after.HooksPath != before.HooksPath && before.Hooked() {
		found = append(found, Finding{Path: ".git/config", Rule: "hook-changed", Message: "git was told to look for hooks elsewhere", Text: "core.hooksPath = " + shorten(after.HooksPath)})
	}
	for _, pattern := range after.Excluded {
		if !slices.Contains(before.Excluded, pattern) {
			found = append(found, Finding{Path: ".git/info/exclude", Rule: "hidden-from-git", Message: "files are hidden from git; .gitignore is the place for files that nobody should commit", Text: shorten(pattern)})
		}
	}
	for _, line := range after.Unseen {
		if !slices.Contains(before.Unseen, line) {
			found = append(found, Finding{Path: unseenIn(line), Rule: "hidden-from-git", Message: "git was told to show files otherwise than they are, or to leave some out", Text: shorten(line)})
		}
	}
	return found
}

// unseenIn is where a line of Around.Unseen stands.
func unseenIn(line string) string {
	if file, _, ok := strings.Cut(line, ": "); ok && strings.HasPrefix(file, "info/") {
		return ".git/" + file
	}
	return ".git/config"
}
