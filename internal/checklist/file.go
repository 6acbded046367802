package checklist

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ralph/internal/regular"
)

// MaxSize is the largest size of a checklist in bytes. Real checklists reach a few hundred
// kilobytes. A larger file is something else by mistake.
const MaxSize = 4 << 20

// Read reads a checklist file. It fails if the file is not plain text or is larger than
// MaxSize.
func Read(path string) ([]byte, error) {
	data, err := regular.ReadNoLink(path, MaxSize)
	if err == nil && slices.Contains(data, 0) {
		err = fmt.Errorf("%s is not a text file", path)
	}
	return data, err
}

// depth is how deep below the worktree's root a tasks.md is looked for, counted as
// find -maxdepth counts.
const depth = 3

// Find returns the path of a worktree's tasks.md, or "" if there is none. It prefers the one in
// the root, then takes the first by path, at most two folders deep. It skips archive/,
// node_modules/ and nested worktrees.
func Find(root string) string {
	path := filepath.Join(root, "tasks.md")
	if info, err := os.Lstat(path); err == nil && !info.IsDir() {
		return path // also one that cannot be read: the user wants to know
	}
	var found []string
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // a folder that cannot be read holds no plan of ours
		}
		rel, _ := filepath.Rel(root, path)
		level := strings.Count(rel, string(filepath.Separator)) + 1
		switch {
		case d.IsDir() && rel != ".":
			if slices.Contains([]string{"archive", "node_modules", ".git"}, d.Name()) || level >= depth || hasGit(path) {
				return fs.SkipDir
			}
		case d.Name() == "tasks.md" && d.Type().IsRegular():
			found = append(found, path)
		}
		return nil
	})
	if len(found) == 0 {
		return ""
	}
	return slices.Min(found)
}

// hasGit reports whether a folder is the root of a worktree, such as those that tools
// put into .worktrees/: the plan in it is that of another loop.
func hasGit(folder string) bool {
	_, err := os.Lstat(filepath.Join(folder, ".git"))
	return err == nil
}
