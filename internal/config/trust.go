package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// trusts reports whether the user has named the project at root. Symbolic links are
// resolved on both sides.
func trusts(named []string, root, home string) bool {
	root, ok := resolved(root, home)
	return ok && slices.ContainsFunc(named, func(path string) bool {
		path, ok := resolved(path, home)
		return ok && path == root
	})
}

func resolved(path, home string) (string, bool) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && home != "" {
		path = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(path) {
		return "", false
	}
	target, err := filepath.EvalSymlinks(path)
	return target, err == nil
}

// restriction returns the function that warns about a key of a project's file that only
// the user may set.
func (l *Loaded) restriction(userFile, root string) func(place, key string) {
	if userFile == "" {
		userFile = "your own settings (~/.ralph/config.yaml)"
	}
	return func(place, key string) {
		how := fmt.Sprintf("if you trust it, add %s to trusted_projects in %s", root, userFile)
		if key == "trusted_projects" {
			how = "it belongs in " + userFile
		}
		l.Warnings = append(l.Warnings, fmt.Sprintf("%s: %s is ignored, a project cannot set it by itself: %s", place, key, how))
	}
}
