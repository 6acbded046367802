package loop

import (
	"context"

	"ralph/internal/evidence"
	"ralph/internal/git"
)

// changedFiles counts the files that differ between two commits or are not committed. It is nil
// where git fails: the count decides nothing.
func changedFiles(ctx context.Context, repo *git.Repo, from, to string) *int {
	ctx = context.WithoutCancel(ctx)
	paths := map[string]bool{}
	if to != "" && to != from {
		committed, err := repo.ChangedPaths(ctx, from, to, evidence.Derived...)
		if err != nil {
			return nil
		}
		for _, p := range committed {
			paths[p] = true
		}
	}
	dirty, err := repo.Status(ctx, evidence.Derived...)
	if err != nil {
		return nil
	}
	for _, c := range dirty {
		paths[c.Path] = true
	}
	n := len(paths)
	return &n
}
