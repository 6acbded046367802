package git

import (
	"cmp"
	"context"
	"fmt"
	"strings"
)

// CheckBranch returns an error if [Repo.CreateBranch] cannot create a branch of this name: the
// name is not valid, or a branch has it or a part of it.
func (r *Repo) CheckBranch(ctx context.Context, name string) error {
	out, err := r.git(ctx, "check-ref-format", "--branch", name)
	if err != nil || strings.TrimSpace(string(out)) != name { // git expands @{-1}
		return fmt.Errorf("%q is not a valid name for a branch", name)
	}
	taken, err := r.Refs(ctx, "refs/heads/"+name) // the branches below it too
	if err != nil {
		return err
	}
	if len(taken) > 0 {
		name = strings.TrimPrefix(taken[0].Name, "refs/heads/")
		return fmt.Errorf("the branch %s exists already", name)
	}
	for i, c := range name {
		if c != '/' {
			continue
		}
		if commit, err := r.RefCommit(ctx, "refs/heads/"+name[:i]); err != nil || commit != "" {
			return cmp.Or(err, fmt.Errorf("the branch %s exists already, and git allows none below it", name[:i]))
		}
	}
	return nil
}

// CreateBranch creates a branch at HEAD and switches to it. The worktree stays as it is. It
// fails if the branch exists or its name is not valid.
func (r *Repo) CreateBranch(ctx context.Context, name string) error {
	_, err := r.git(ctx, "switch", "--create", name)
	return err
}

// MoveBranch moves a branch from one commit to another, and fails if it is not at from. An
// empty from or to means that the branch has no commit.
func (r *Repo) MoveBranch(ctx context.Context, branch, from, to, why string) error {
	if from == to {
		return nil
	}
	args := []string{"update-ref", "-m", why, "refs/heads/" + branch, to, from}
	if to == "" {
		args = []string{"update-ref", "-m", why, "-d", "refs/heads/" + branch, from}
	}
	_, err := r.git(ctx, args...)
	return err
}
