package evidence

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ralph/internal/git"
	"ralph/internal/tamper"
)

// readOnce reads the state of the worktree, once as long as only ralph is running there.
func (g *gathering) readOnce(ctx context.Context) (git.WorktreeState, error) {
	if g.look == nil {
		look, err := g.Repo.ReadWorktree(context.WithoutCancel(ctx), g.Derived()...)
		if err != nil {
			return git.WorktreeState{}, err
		}
		g.look = &look
		if g.facts.Worktree.Hash == "" {
			g.facts.Worktree = look
		}
	}
	return *g.look, nil
}

// Derived returns the paths that do not count as work, including the record of this plan.
func (g *Gate) Derived() []string {
	if record, _ := g.Plan.Record(); record != "" {
		return append(slices.Clip(Derived), filepath.ToSlash(record))
	}
	return Derived
}

// idle reports whether nothing was done since the base: the work is the same, or as it was at
// an earlier acceptance because commits were removed, or only white space has changed.
func (g *gathering) idle(ctx context.Context) (bool, error) {
	look, err := g.readOnce(ctx)
	switch {
	case err != nil:
		return false, err
	case g.claim.N == 0 && g.handed != "": // the marks are as likely of those who did the work
		return look.Hash == g.handed, nil
	case look.Hash == g.base.Work, g.rewound && slices.Contains(g.works, look.Hash):
		return true, nil
	case g.base.Commit == "", slices.ContainsFunc(look.Changes, g.isRepository):
		return false, nil // git shows no difference inside of a submodule
	}
	d, err := g.changes(context.WithoutCancel(ctx))
	if err != nil || d.cut || !tamper.OnlySpace(d.text) {
		// A commit that is not there any more proves nothing.
		return false, nil //nolint:nilerr // the fingerprint has answered already
	}
	return !slices.ContainsFunc(look.Changes, git.StatusEntry.Untracked), nil
}

// isRepository reports whether the change is inside of a submodule or another repository.
func (g *gathering) isRepository(c git.StatusEntry) bool {
	info, err := os.Lstat(filepath.Join(g.Repo.Root, c.Path))
	return err == nil && info.IsDir()
}

// changes is what differs from the base, as git shows it.
type changes struct {
	from, text string
	cut        bool
}

// maxDiff bounds what is read of the changes, in bytes.
const maxDiff = 8 << 20

// changes asks git once for what two questions need.
func (g *gathering) changes(ctx context.Context) (changes, error) {
	if g.diff.from != "" {
		return g.diff, nil
	}
	if g.look != nil && g.look.Head.Commit == g.base.Commit && !slices.ContainsFunc(g.look.Changes, tracked) {
		g.diff = changes{from: g.base.Commit} // nothing differs
		return g.diff, nil
	}
	text, cut, err := g.Repo.Diff(ctx, git.Diff{From: g.base.Commit, Exclude: g.Derived(), Limit: maxDiff})
	if err == nil {
		g.diff = changes{g.base.Commit, text, cut}
	}
	return g.diff, err
}

func tracked(c git.StatusEntry) bool { return !c.Untracked() }

// uncommitted says which changes are not committed, not all of them.
func uncommitted(look git.WorktreeState) string {
	const shown = 3
	var paths []string
	for _, c := range look.Changes[:min(len(look.Changes), shown)] {
		paths = append(paths, c.Path)
	}
	text := "not committed: " + strings.Join(paths, ", ")
	if more := len(look.Changes) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
