package git

import "context"

// CreateBranch makes a branch at HEAD and switches to it. The worktree stays as it is.
// It is an error where the branch exists or its name is not valid.
func (r *Repo) CreateBranch(ctx context.Context, name string) error {
	_, err := r.git(ctx, "switch", "--create", name)
	return err
}
