package checklist

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// MaxSize is how large a checklist may be, in bytes. The largest that people write
// have a few hundred kilobytes; a larger file is something else by mistake.
const MaxSize = 4 << 20

// Read reads a checklist: a plain file of at most MaxSize.
func Read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	switch {
	case errors.Is(err, unix.ELOOP):
		return nil, fmt.Errorf("%s is a symbolic link: put the file itself in its place", path)
	case err != nil:
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a plain file", path)
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > MaxSize:
		return nil, fmt.Errorf("%s has %d MB, and a checklist at most %d MB: shorten it, or move it out of the way", path, max(info.Size(), MaxSize+1)>>20, MaxSize>>20)
	case slices.Contains(data, 0):
		return nil, fmt.Errorf("%s is not a text file", path)
	}
	return data, nil
}

// depth is how deep below the worktree's root a tasks.md is looked for, counted as
// find -maxdepth counts.
const depth = 3

// Find returns the tasks.md of a worktree: the one in the root, else the first by
// path that is not below archive/ or node_modules/, nor in a worktree of its own. It
// is empty where there is none.
func Find(root string) string {
	path := filepath.Join(root, "tasks.md")
	if info, err := os.Lstat(path); err == nil && !info.IsDir() {
		return path // also one that cannot be read: a person wants to know
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
