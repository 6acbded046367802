package git

import "context"

// HasIdentity reports whether the settings or the environment name the author of commits.
// Without a name git guesses one from the account and the machine. It refuses to commit if it
// cannot.
func (r *Repo) HasIdentity(ctx context.Context) bool {
	_, err := r.git(ctx, "-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT")
	return err == nil
}
