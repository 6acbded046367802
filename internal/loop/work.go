package loop

import (
	"context"
	"slices"

	"ralph/internal/tamper"
)

// idle reports whether nothing was done since a story was last accepted: the work
// is the same, or as it was at an earlier acceptance because commits were taken
// back, or nothing but white space has changed.
func (l *Loop) idle(ctx context.Context, now string) (bool, error) {
	switch {
	case now == l.work, l.rewound && slices.Contains(l.works, now):
		return true, nil
	case l.workHead == "":
		return false, nil
	}
	ctx = context.WithoutCancel(ctx)
	diff, cut, err := l.Repo.Diff(ctx, l.workHead, maxDiff, derived...)
	if err != nil || cut || !tamper.OnlySpace(diff) {
		// A commit that is not there any more proves nothing.
		return false, nil //nolint:nilerr // the fingerprint has answered already
	}
	untracked, err := l.Repo.Untracked(ctx, derived...)
	return len(untracked) == 0, err
}
