package evidence

import (
	"context"
	"slices"

	"ralph/internal/git"
	"ralph/internal/journal"
)

// Relation is the relation of a receipt to a commit.
type Relation string

// The states of a receipt.
const (
	Same      Relation = "same"      // the receipt is for the same files, except the plan
	History   Relation = "history"   // the receipt is for an ancestor
	Elsewhere Relation = "elsewhere" // the receipt is for a commit outside the history, e.g. rebased
)

// StoryOf identifies a story by its unit and id.
type StoryOf struct{ Unit, Story string }

// String returns a name that is unique among the stories of all units.
func (s StoryOf) String() string { return s.Unit + " " + s.Story }

// Found is a receipt and its relation to a commit.
type Found struct {
	journal.Receipt
	State Relation
}

// FindReceipts returns the best receipt in the git notes for each story, with its relation to
// commit. A receipt for the same files is best, then one from the history, then any other. The
// newest wins among equals. It costs two calls of git, and two for each commit with a receipt.
func FindReceipts(ctx context.Context, repo *git.Repo, commit string, stories []StoryOf) (map[StoryOf]Found, error) {
	notes, err := repo.Notes().List(ctx)
	if err != nil {
		return nil, err
	}
	all := map[StoryOf][]journal.Receipt{}
	for _, n := range notes {
		for _, one := range journal.ParseReceipts(n.Text) {
			one.Commit = n.Commit // where it is, not what it says
			all[StoryOf{one.Unit, one.Story}] = append(all[StoryOf{one.Unit, one.Story}], one)
		}
	}
	states, found := map[string]Relation{}, map[StoryOf]Found{}
	for _, s := range stories {
		best := -1
		list := all[s]
		slices.SortStableFunc(list, func(a, b journal.Receipt) int { return b.Time.Compare(a.Time) })
		for _, one := range list {
			if _, known := states[one.Commit]; !known {
				states[one.Commit] = stateOf(ctx, repo, one.Commit, commit)
			}
			state := states[one.Commit]
			if state == Same && one.Mode != journal.ProvedClean {
				state = History // what was in place may have been more than the commit
			}
			if rank := slices.Index([]Relation{Elsewhere, History, Same}, state); rank > best {
				best, found[s] = rank, Found{one, state}
			}
		}
	}
	return found, ctx.Err()
}

// stateOf asks git how a commit relates to another. One that is not in this clone is an error
// to git, and elsewhere to us.
func stateOf(ctx context.Context, repo *git.Repo, commit, to string) Relation {
	if changed, err := repo.ChangedPaths(ctx, commit, to, ".ralph"); err == nil && len(changed) == 0 {
		return Same
	}
	if in, err := repo.IsAncestor(ctx, commit, to); err == nil && in {
		return History
	}
	return Elsewhere
}

// receipts returns the taken-over items of the claim with a receipt.
func (g *gathering) receipts(ctx context.Context) ([]string, error) {
	var stories []StoryOf
	for _, id := range g.claim.TakenOver {
		stories = append(stories, StoryOf{g.Unit, id})
	}
	if len(stories) == 0 {
		return nil, nil
	}
	head, err := g.Repo.Head(ctx)
	if err != nil || head.Commit == "" {
		return nil, err
	}
	found, err := FindReceipts(ctx, g.Repo, head.Commit, stories)
	var ids []string
	for s := range found { // of a squashed branch it is elsewhere
		ids = append(ids, s.Story)
	}
	slices.Sort(ids)
	return ids, err
}
