package git

import "context"

// CreateBranch creates a branch at HEAD and switches to it. The worktree stays as it is. It
// fails if the branch exists or its name is not valid.
func (r *Repo) CreateBranch(ctx context.Context, name string) error {
	_, err := r.git(ctx, "switch", "--create", name)
	return err
}
