package loop

import (
	"context"
	"slices"

	"ralph/internal/tamper"
)

// idle reports whether nothing was done since a story was last accepted: the work
// is the same, or as it was at an earlier acceptance because commits were taken
// back, or nothing but white space has changed.
func (l *Loop) idle(ctx context.Context, it *iteration, now string) (bool, error) {
	switch {
	case now == l.work, l.rewound && slices.Contains(l.works, now):
		return true, nil
	case l.workHead == "":
		return false, nil
	}
	ctx = context.WithoutCancel(ctx)
	d, err := l.changes(ctx, it, l.workHead)
	if err != nil || d.cut || !tamper.OnlySpace(d.text) {
		// A commit that is not there any more proves nothing.
		return false, nil //nolint:nilerr // the fingerprint has answered already
	}
	untracked, err := l.Repo.Untracked(ctx, derived...)
	return len(untracked) == 0, err
}

// changes is what differs from a commit, as git tells it.
type changes struct {
	from, text string
	cut        bool
}

// changes asks git once for what two questions about an iteration need.
func (l *Loop) changes(ctx context.Context, it *iteration, from string) (changes, error) {
	if it.changes.from == from {
		return it.changes, nil
	}
	text, cut, err := l.Repo.Diff(ctx, from, maxDiff, derived...)
	if err == nil {
		it.changes = changes{from, text, cut}
	}
	return it.changes, err
}
