package git

import "context"

// HasIdentity tells whether somebody has told git, in its settings or in the
// environment, who commits here. Without it git guesses from the names of the
// account and the machine, and refuses to commit where it cannot.
func (r *Repo) HasIdentity(ctx context.Context) bool {
	_, err := r.git(ctx, "-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT")
	return err == nil
}
