package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ralph/internal/git"
)

const (
	// folderPrefix begins the name of every folder that holds a clean worktree:
	// nothing of another name is ever removed as one.
	folderPrefix = "ralph-proof-"
	// checkoutLimit bounds how long git may take to check a commit out.
	checkoutLimit = 10 * time.Minute
)

// CleanWorktree is a fresh checkout of one commit, as a new clone would have it. It
// has no untracked or ignored files, empty submodules, and its own git directory with the
// history.
//
// The first check that needs it makes the checkout, in the system's temporary directory. Test
// runners skip paths with ".git" in them, so the git directory is no place for it.
type CleanWorktree struct {
	Commit string
	Tree   string // of the commit

	repo   *git.Repo
	folder string // made for this worktree alone
	record string // file that names the folder while it exists; empty without one
	tried  bool   // git was asked to check it out
	failed error
	dir    string // of the worktree, empty until it is checked out
}

// NewCleanWorktree prepares a clean worktree of commit, without a checkout yet. If stateDir is
// given, it writes a record there until Remove. After a crash, Sweep finds the worktree by this
// record.
func NewCleanWorktree(
	ctx context.Context, repo *git.Repo, commit, stateDir string,
) (*CleanWorktree, error) {
	at, err := repo.Commit(ctx, commit)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", folderPrefix)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real // git, and programs that compare paths, know it by this name
	}
	c := &CleanWorktree{Commit: commit, Tree: at.Tree, repo: repo, folder: folder}
	if stateDir != "" {
		c.record = filepath.Join(stateDir, filepath.Base(folder))
		if err := os.WriteFile(c.record, []byte(folder+"\n"), 0o600); err != nil {
			return nil, errors.Join(err, os.Remove(folder))
		}
	}
	return c, nil
}

// Folder returns the temporary folder that holds the worktree. A process that cannot call
// Remove passes it to RemoveFolder.
func (c *CleanWorktree) Folder() string { return c.folder }

// CheckoutError reports that a commit could not be checked out, for example because the disk is
// full or a content filter failed.
type CheckoutError struct {
	Commit string
	Err    error
}

// Error implements error.
func (e *CheckoutError) Error() string {
	why := e.Err.Error()
	var refused *git.Error
	if errors.As(e.Err, &refused) && refused.Stderr != "" {
		why = refused.Stderr // the call itself does not help the user
	}
	return fmt.Sprintf("a clean worktree of %s cannot be made: %s", short(e.Commit), why)
}

// Unwrap implements the interface of package errors.
func (e *CheckoutError) Unwrap() error { return e.Err }

// Dir returns the root of the clean worktree. The first call checks the commit out. If that
// fails, every call returns the same *CheckoutError.
func (c *CleanWorktree) Dir(ctx context.Context) (string, error) {
	if c.dir != "" {
		return c.dir, nil
	}
	if c.tried { // it will not go better for the next check
		return "", c.failed
	}
	ctx, cancel := context.WithTimeout(ctx, checkoutLimit)
	defer cancel()
	// Some tools name things after the folder they are in: it is the same.
	dir := filepath.Join(c.folder, filepath.Base(c.repo.Root))
	c.tried = true
	if err := c.repo.Export(ctx, dir, c.Commit); err != nil {
		c.failed = &CheckoutError{Commit: c.Commit, Err: err}
		return "", c.failed
	}
	c.dir = dir
	return dir, nil
}

// HasSubmodules reports whether the repository has submodules. They are empty in a clean
// worktree.
func (c *CleanWorktree) HasSubmodules() bool {
	_, err := os.Stat(filepath.Join(c.dir, ".gitmodules"))
	return c.dir != "" && err == nil
}

// Remove removes the worktree with all files that checks left in it. It takes no context, so
// nothing interrupts it.
func (c *CleanWorktree) Remove() error {
	err := error(nil)
	if c.tried {
		err = RemoveFolder(c.folder)
	} else {
		err = os.Remove(c.folder)
	}
	if err == nil && c.record != "" {
		err = os.Remove(c.record)
	}
	return err
}

// Sweep removes clean worktrees that a dead process left. It finds them by their records in
// stateDir. The caller holds the unit's lock.
func Sweep(stateDir string) error {
	files, err := os.ReadDir(stateDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	failed := []error{err}
	for _, f := range files {
		if !f.Type().IsRegular() || !strings.HasPrefix(f.Name(), folderPrefix) {
			continue
		}
		record := filepath.Join(stateDir, f.Name())
		data, err := os.ReadFile(record)
		if err == nil {
			err = RemoveFolder(strings.TrimSpace(string(data)))
		}
		if err == nil {
			err = os.Remove(record)
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// RemoveFolder removes the folder of a clean worktree. It ignores any path that does not look
// like one, because an agent can write any path into a record.
func RemoveFolder(folder string) error {
	info, err := os.Lstat(folder)
	if err == nil && !info.IsDir() || !filepath.IsAbs(folder) || !strings.HasPrefix(filepath.Base(folder), folderPrefix) {
		return nil
	}
	if err := os.RemoveAll(folder); err == nil {
		return nil
	}
	unlock(folder)
	return os.RemoveAll(folder)
}

// unlock makes folders writable again: some tools protect what they have put
// into a cache, even from its removal.
func unlock(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && err == nil {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
}
