package git

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Saved identifies a saved state of a worktree: a commit that is on no branch.
type Saved struct {
	Commit string // its files are those of the worktree
	Head   string // what was checked out, the first parent; empty on a branch without a commit

	content [sha256.Size]byte // identifies parents and files; zero where it is not known
	at      time.Time         // when the commit was made
}

// maxReuse is how long a state may be the state of later times too: states are forgotten by
// their age.
const maxReuse = 24 * time.Hour

// SaveState saves the worktree as a commit under a reference, with uncommitted and untracked
// files. It leaves out ignored files, except those in also. If staged content differs from
// both the head and the worktree, it becomes the second parent. SaveState does not touch the
// index or the worktree. It leaves out a nested repository that is not a submodule.
//
// If nothing has changed since last, it returns last, and creates no commit and no reference.
func (r *Repo) SaveState(ctx context.Context, ref, message string, now time.Time, last Saved, also ...string) (Saved, error) {
	head, err := r.Head(ctx)
	if err != nil {
		return Saved{}, err
	}
	changes, err := r.Status(ctx)
	if err != nil {
		return Saved{}, err
	}
	staged, err := r.staged(ctx, head.Commit, changes)
	if err != nil {
		return Saved{}, err
	}
	into := r.store()
	files, err := r.worktreeFiles(ctx, into, keepable(r.Root, changes, also))
	if err != nil {
		return Saved{}, err
	}
	saved := Saved{Head: head.Commit, content: contentOf(head.Commit, staged, files), at: now}
	if age := now.Sub(last.at); last.content == saved.content && age >= 0 && age < maxReuse {
		return last, nil
	}
	if saved.Commit, err = r.saveFiles(ctx, into, files, head.Commit, staged, now, message); err != nil {
		return Saved{}, err
	}
	return saved, r.SetRef(ctx, ref, saved.Commit)
}

// contentOf identifies a state by its parents and its files.
func contentOf(head, staged string, files map[string]TreeEntry) [sha256.Size]byte {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\x00%s\x00", head, staged)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&text, "%s\x00%s %s\x00", path, files[path].Mode, files[path].Hash)
	}
	return sha256.Sum256([]byte(text.String()))
}

// saveFiles commits the head with the files as they are in the worktree now.
func (r *Repo) saveFiles(ctx context.Context, into store, files map[string]TreeEntry, head, staged string, now time.Time, message string) (string, error) {
	list, err := r.list(ctx, head)
	if err != nil {
		return "", err
	}
	stored := map[string]bool{}
	for path, e := range list.all() {
		if now, ok := files[path]; ok && now == e {
			stored[path] = true
		}
	}
	for path, e := range files {
		if e.Mode == "" || e.IsSubmodule() || stored[path] {
			continue
		}
		file := filepath.Join(r.Root, path)
		info, err := os.Lstat(file)
		if err == nil {
			files[path], err = into.entryOf(file, info, true)
		}
		if err != nil {
			return "", err
		}
	}
	tree, err := into.compose(list, files)
	if err != nil {
		return "", err
	}
	parents := slices.DeleteFunc([]string{head, staged}, func(p string) bool { return p == "" })
	return into.writeCommit(tree, parents, now, message)
}

// ReadState returns the saved state at a commit or reference.
func (r *Repo) ReadState(ctx context.Context, revision string) (Saved, error) {
	c, err := r.Commit(ctx, revision)
	return Saved{Commit: c.Hash, Head: c.Parent}, err
}

// staged returns a commit of the index where that has content which neither the head nor the
// worktree has, else "".
func (r *Repo) staged(ctx context.Context, head string, changes []StatusEntry) (string, error) {
	both := func(c StatusEntry) bool { return !c.Untracked() && c.XY[0] != '.' && c.XY[1] != '.' && c.XY[0] != 'D' }
	unmerged := func(c StatusEntry) bool { return strings.Contains(c.XY, "U") || c.XY == "AA" || c.XY == "DD" }
	if slices.ContainsFunc(changes, unmerged) || !slices.ContainsFunc(changes, both) {
		return "", nil
	}
	index, err := readFile(filepath.Join(r.GitDir, "index"))
	if err != nil {
		return "", err
	}
	var tree string
	err = r.inIndex(ctx, index, func(git gitFunc) error {
		tree, err = git(nil, "write-tree")
		return err
	})
	if err != nil {
		return "", err
	}
	if head == "" {
		return r.CommitTree(tree)
	}
	return r.CommitTree(tree, head)
}

// keepable lists the paths that may differ from the head. It leaves out paths that lead through a
// link or into another repository.
func keepable(root string, changes []StatusEntry, also []string) []string {
	var paths []string
	for _, c := range changes {
		if !strings.HasSuffix(c.Path, "/") {
			paths = append(paths, c.Path)
		}
	}
	for _, path := range also {
		real, err := filepath.EvalSymlinks(filepath.Join(root, filepath.Dir(path)))
		if err == nil && real == filepath.Join(root, filepath.Dir(path)) {
			paths = append(paths, filepath.ToSlash(path))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// worktreeFiles returns the entries that the files at paths would have in a commit now, empty
// where one is gone.
func (r *Repo) worktreeFiles(ctx context.Context, of store, paths []string) (map[string]TreeEntry, error) {
	files := make(map[string]TreeEntry, len(paths))
	for _, path := range paths {
		file := filepath.Join(r.Root, path)
		info, err := os.Lstat(file)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, errNotFolder):
			files[path] = TreeEntry{}
		case err != nil:
			return nil, err
		case info.IsDir() && exists(filepath.Join(file, ".git")): // a submodule: the commit that is checked out there
			out, err := call{dir: file}.run(ctx, "rev-parse", "--verify", "HEAD^{commit}")
			if err == nil { // else it has none: the head's is kept
				files[path] = TreeEntry{"160000", strings.TrimSpace(string(out))}
			}
		case info.Mode().IsRegular(), info.Mode()&fs.ModeSymlink != 0:
			if files[path], err = of.entryOf(file, info, false); err != nil {
				return nil, err
			}
		default: // a folder in its place, or a socket or the like, which has no content to keep
			files[path] = TreeEntry{}
		}
	}
	return files, nil
}

func exists(path string) bool { _, err := os.Lstat(path); return err == nil }
