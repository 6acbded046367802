package tamper

import (
	"maps"
	"slices"
	"strings"

	"ralph/internal/git"
)

// ofLFS are the settings of "git lfs install --local", with which a project may begin
// to use it.
var ofLFS = []string{
	"filter.lfs.clean = git-lfs clean -- %f", "filter.lfs.smudge = git-lfs smudge -- %f", "filter.lfs.smudge = git-lfs smudge --skip -- %f",
	"filter.lfs.process = git-lfs filter-process", "filter.lfs.process = git-lfs filter-process --skip", "filter.lfs.required = true",
}

// Compare returns what the agent weakened between two states of the git directory. A new hook
// adds a check, so it is a finding only if it names the plan's files.
func Compare(before, after git.LocalConfig) []Finding {
	var found []Finding
	for _, name := range slices.Sorted(maps.Keys(before.Hooks)) {
		switch is, ok := after.Hooks[name]; {
		case !ok:
			found = append(found, Finding{Path: ".git/hooks/" + name, Rule: "hook-changed", Message: "a git hook was removed or turned off"})
		case is != before.Hooks[name]:
			found = append(found, Finding{Path: ".git/hooks/" + name, Rule: "hook-changed", Message: "a git hook was changed"})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after.Hooks)) {
		if _, was := before.Hooks[name]; !was && strings.HasSuffix(after.Hooks[name], git.TouchesPlan) {
			found = append(found, Finding{Path: ".git/hooks/" + name, Rule: "hook-changed", Message: "a new git hook names the plan's files: it could mark stories when the user commits"})
		}
	}
	if after.HooksPath != before.HooksPath && before.Hooked() {
		found = append(found, Finding{Path: ".git/config", Rule: "hook-changed", Message: "git's setting core.hooksPath was changed", Text: "core.hooksPath = " + shorten(after.HooksPath)})
	}
	for _, pattern := range after.Excluded {
		if !slices.Contains(before.Excluded, pattern) {
			found = append(found, Finding{Path: ".git/info/exclude", Rule: "hidden-from-git", Message: "files are hidden from git; list files that no one should commit in .gitignore", Text: shorten(pattern)})
		}
	}
	const unseen = "git is configured to hide files or their changes"
	for _, line := range after.Unseen {
		if !slices.Contains(before.Unseen, line) && !slices.Contains(ofLFS, line) {
			found = append(found, Finding{Path: unseenIn(line), Rule: "hidden-from-git", Message: unseen, Text: shorten(line)})
		}
	}
	if pattern, is := narrower(before.Sparse, after.Sparse); is {
		found = append(found, Finding{Path: ".git/info/sparse-checkout", Rule: "hidden-from-git", Message: unseen, Text: shorten(pattern)})
	}
	return found
}

// unseenIn returns the file that has a line of [git.LocalConfig].Unseen.
func unseenIn(line string) string {
	if strings.HasPrefix(line, "info/attributes: ") {
		return ".git/info/attributes"
	}
	return ".git/config"
}

// narrower returns the pattern by which a sparse checkout leaves out files that were there
// before. It understands the lists that git itself writes.
func narrower(before, after []string) (pattern string, is bool) {
	switch {
	case after == nil:
		return "", false
	case before == nil:
		return strings.Join(after, " "), true
	}
	for _, p := range after {
		out, isOut := strings.CutPrefix(p, "!")
		if !isOut || slices.Contains(before, p) {
			continue
		}
		// A folder that comes in for one of its folders is written with the others left out.
		folder, cone := strings.CutSuffix(out, "*/")
		if !cone || !slices.Contains(after, folder) || holds(before, folder) {
			return p, true
		}
	}
	for _, p := range before {
		if !strings.HasPrefix(p, "!") && !slices.Contains(after, p) && !holds(after, p) {
			return p + " is gone", true
		}
	}
	return "", false
}

// holds reports whether a list of patterns checks out all of a folder.
func holds(list []string, folder string) bool {
	return slices.ContainsFunc(list, func(p string) bool {
		if p == "/*" {
			return !slices.Contains(list, "!/*/")
		}
		return strings.HasSuffix(p, "/") && strings.HasPrefix(folder, p) && !slices.Contains(list, "!"+p+"*/")
	})
}
