package evidence

import (
	"context"

	"ralph/internal/check"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/proc"
)

// Finished gathers facts about finished stories where no journal is, in a fresh clone for
// example: what the checks and the receipts say. Set its fields before use.
type Finished struct {
	Repo     *git.Repo
	Commit   string
	Guardian *proc.Guardian // under which the checks run
	Checks   []check.Check
	Dir      string          // where the checks run
	Env      []string        // of the checks
	Ran      func(CheckFact) // is called with each result
}

// Gather runs all checks, and finds the receipts of the stories. For [Weigh], the stories are
// taken over. It stops when ctx ends.
func (g Finished) Gather(ctx context.Context, stories []StoryOf) (
	f Facts, found map[StoryOf]Found, err error,
) {
	for _, c := range g.Checks {
		r, err := check.Run(ctx, g.Guardian, c, g.Dir, g.Env)
		if err != nil {
			return f, nil, err
		}
		if ctx.Err() != nil {
			return f, nil, context.Cause(ctx)
		}
		fact := CheckFact{Result: r, Phase: journal.PhaseClaim,
			Red: c.AcceptBaseline, Tolerated: c.AcceptBaseline}
		g.Ran(fact)
		f.Checks = append(f.Checks, fact)
	}
	found, err = FindReceipts(ctx, g.Repo, g.Commit, stories)
	for s := range found {
		f.Receipts = append(f.Receipts, s.String())
	}
	f.Complete = true
	return f, found, err
}
