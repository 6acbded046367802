package verify

import (
	"context"
	"slices"

	"ralph/internal/git"
	"ralph/internal/journal"
)

// Receipts finds the receipt of each story in the repository's notes: the
// youngest of the same files, else of the history, else of anywhere. It costs two
// calls of git, and two for each commit with a receipt of these stories.
func (r *Report) Receipts(ctx context.Context, repo *git.Repo) error {
	notes, err := repo.Notes(ctx, journal.NotesRef)
	if err != nil {
		return err
	}
	found := map[[2]string][]journal.Receipt{}
	for _, n := range notes {
		for _, one := range journal.ParseReceipts(n.Text) {
			one.Commit = n.Commit // where it stands, not what it says
			key := [2]string{one.Unit, one.Story}
			found[key] = append(found[key], one)
		}
	}
	states := map[string]State{}
	for i := range r.Stories {
		s := &r.Stories[i]
		s.Receipt = r.best(found[[2]string{s.Unit, s.ID}], func(commit string) State {
			if _, known := states[commit]; !known {
				states[commit] = r.stateOf(ctx, repo, commit)
			}
			return states[commit]
		})
	}
	return ctx.Err()
}

// stateOf asks git how a commit stands to the one that is verified. One that is
// not in this clone is an error to git, and elsewhere to us.
func (r *Report) stateOf(ctx context.Context, repo *git.Repo, commit string) State {
	if changed, err := repo.ChangedPaths(ctx, commit, r.Commit, ".ralph"); err == nil && len(changed) == 0 {
		return Same
	}
	if in, err := repo.IsAncestor(ctx, commit, r.Commit); err == nil && in {
		return History
	}
	return Elsewhere
}

// best picks the receipt that says most about the commit.
func (r *Report) best(list []journal.Receipt, stateOf func(commit string) State) *Receipt {
	slices.SortStableFunc(list, func(a, b journal.Receipt) int { return b.Time.Compare(a.Time) })
	rank := []State{Elsewhere, History, Same}
	var best *Receipt
	for _, o := range list {
		state := stateOf(o.Commit)
		if state == Same && o.Mode != "clean" {
			state = History // what was in place may have been more than the commit
		}
		if best == nil || slices.Index(rank, state) > slices.Index(rank, best.State) {
			best = r.receipt(o, state)
		}
	}
	return best
}

func (r *Report) receipt(o journal.Receipt, state State) *Receipt {
	one := &Receipt{Time: o.Time, Commit: o.Commit, Tree: o.Tree, Mode: string(o.Mode), Why: o.Why, State: state}
	for _, c := range o.Checks {
		if !slices.ContainsFunc(r.Checks, func(now Check) bool { return now.Name == c.Name }) {
			one.Dropped = append(one.Dropped, c.Name)
		}
	}
	return one
}
