package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// AddWorktree checks commit out at path, detached, in a new worktree of the same repository.
// Hooks do not run. RemoveWorktree removes it.
func (r *Repo) AddWorktree(ctx context.Context, path, commit string) error {
	if err := checkRevision(commit); err != nil {
		return err
	}
	_, err := r.git(ctx, "worktree", "add", "--quiet", "--detach", "--force", "--", path, commit)
	return err
}

// RemoveWorktree removes the worktree at path with its files, even if it is incomplete. It
// does not fail if nothing is there.
func (r *Repo) RemoveWorktree(ctx context.Context, path string) error {
	// Twice --force: an unfinished worktree is still locked.
	_, refused := r.git(ctx, "worktree", "remove", "--force", "--force", "--", path)
	if refused == nil {
		return nil
	}
	// What git does not know as a worktree may be anything: only the remains
	// of one are taken away, never a repository.
	info, err := os.Lstat(filepath.Join(path, ".git"))
	if err == nil && !info.Mode().IsRegular() || under(r.Root, []string{path}) {
		return refused
	}
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("remove the worktree at %s: %w", path, err)
	}
	_, err = r.git(ctx, "worktree", "prune")
	return err
}

// Overlook makes git ignore changes of a tracked file in the worktree at path. It changes
// only the index of that worktree. The error is an *[Error] if git does not track the file.
func (r *Repo) Overlook(ctx context.Context, path, file string) error {
	_, err := run(ctx, path, nil, "update-index", "--skip-worktree", "--", file)
	return err
}
