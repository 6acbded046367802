package loop

import (
	"context"

	"ralph/internal/evidence"
)

// changedFiles counts the files that the iteration has committed, and those with
// changes that are not committed when it ends. It is nil where nobody asked, or git
// cannot tell: the count decides nothing.
func (l *Loop) changedFiles(ctx context.Context, it *iteration) *int {
	if !l.CountChanges {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	paths := map[string]bool{}
	if it.head.Commit != "" && it.head.Commit != it.from {
		committed, err := l.Repo.ChangedPaths(ctx, it.from, it.head.Commit, evidence.Derived...)
		if err != nil {
			return nil
		}
		for _, p := range committed {
			paths[p] = true
		}
	}
	dirty, err := l.Repo.Status(ctx, evidence.Derived...)
	if err != nil {
		return nil
	}
	for _, c := range dirty {
		paths[c.Path] = true
	}
	n := len(paths)
	return &n
}
