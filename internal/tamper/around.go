package tamper

import (
	"maps"
	"slices"
)

// Around is what surrounds commits in the git directory, where no diff shows it.
type Around struct {
	Hooks     map[string]string // fingerprints by name
	HooksPath string
	Excluded  []string
}

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
	if after.HooksPath != before.HooksPath && (before.HooksPath != "" || len(before.Hooks) > 0) {
		found = append(found, Finding{Path: ".git/config", Rule: "hook-changed", Message: "git was told to look for hooks elsewhere", Text: "core.hooksPath = " + shorten(after.HooksPath)})
	}
	for _, pattern := range after.Excluded {
		if !slices.Contains(before.Excluded, pattern) {
			found = append(found, Finding{Path: ".git/info/exclude", Rule: "hidden-from-git", Message: "files are hidden from git; .gitignore is the place for files that nobody should commit", Text: shorten(pattern)})
		}
	}
	return found
}
