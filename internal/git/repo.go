// Package git asks git the questions ralph has: where am I, what is the head,
// what has changed since. It forks git as rarely as it can, and never runs its hooks. Only
// [Repo.PutFiles], [Repo.MoveBranch], [Repo.CreateBranch] and [Repo.Unstage] write to worktree,
// branch and index.
package git

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// ErrNotWorktree reports that a directory is in no worktree: outside of any repository, in a
// bare one, or inside of a .git directory. [Open] returns it. Its text is a whole sentence
// because scripts know it as such.
//
//lint:ignore ST1005 the sentence is shown to people as it is
var ErrNotWorktree = errors.New("Not inside a git worktree. Run from within a worktree directory.")

// Repo is one worktree of a repository: the main one, a linked one or a
// submodule. It holds no open files and may be used by several goroutines.
type Repo struct {
	Root      string // of the worktree, absolute, symbolic links resolved
	GitDir    string // of this worktree: its HEAD and index are here
	CommonDir string // shared by all worktrees: refs, objects, info/exclude

	files   memo // of a commit
	tracked memo // files, by the content of the index
}

// Open finds the worktree that contains dir. It returns ErrNotWorktree outside of a worktree, and
// an *Error with git's own words if git refuses to answer, as in a repository of another user.
func Open(ctx context.Context, dir string) (*Repo, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("the current folder cannot be found; change to a folder that exists: %w", err)
	}
	// --path-format=absolute would be shorter, but git knows it only since 2.31.
	out, err := call{dir: dir}.run(ctx, "rev-parse", "--is-inside-work-tree", "--absolute-git-dir",
		"--git-common-dir", "--show-toplevel")
	if err != nil {
		return nil, notWorktree(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != 4 {
		return nil, fmt.Errorf("the path of the repository at %q contains a line break: move it to a path without one", dir)
	}
	if lines[0] != "true" {
		return nil, ErrNotWorktree
	}
	common := lines[2]
	if !filepath.IsAbs(common) {
		common = filepath.Join(dir, common)
	}
	return &Repo{Root: lines[3], GitDir: filepath.Clean(lines[1]), CommonDir: filepath.Clean(common)}, nil
}

// notWorktree turns git's two ways to say "no worktree here" into ErrNotWorktree, and says what
// to do about a worktree with a missing repository, or with one of another user.
func notWorktree(err error) error {
	var failed *Error
	if !errors.As(err, &failed) {
		return err
	}
	if strings.HasPrefix(failed.Stderr, "fatal: not a git repository (or any") ||
		strings.HasPrefix(failed.Stderr, "fatal: this operation must be run in a work tree") {
		return ErrNotWorktree
	}
	if where, ok := strings.CutPrefix(failed.Stderr, "fatal: not a git repository: "); ok {
		return fmt.Errorf("this worktree has no repository: %s does not exist; "+
			"if the repository was moved, run there: git worktree repair", where)
	}
	if _, where, ok := strings.Cut(failed.Stderr, "dubious ownership in repository at "); ok {
		return fmt.Errorf("git found dubious ownership: the repository %s belongs to another user; "+
			"if you trust it, run: git config --global --add safe.directory %s", where, where)
	}
	return err
}
