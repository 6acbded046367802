package evidence

import (
	"context"
	"errors"
	"slices"

	"ralph/internal/calls"
	"ralph/internal/check"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/proc"
	"ralph/internal/proof"
	"ralph/internal/recorder"
	"ralph/internal/run"
	"ralph/internal/tamper"
)

// Gate collects facts about claims on one plan in one worktree. Set its fields before use.
type Gate struct {
	Unit     string
	Run      string // id of the run; names the saved copies of plan files
	StateDir string // for the snapshot of the plan and the records of clean worktrees
	Branch   string // the checks must stay on this branch
	Repo     *git.Repo
	Plan     plan.Plan
	Checks   []check.Check
	Deps     *check.Deps // borrowed by the checks; may be nil
	Env      []string    // of the checks
	Rules    Rules
	Notes    bool // write receipts as git notes too
	// TestsRef keeps the commit with earlier tests, so that git does not remove it.
	TestsRef string
	// AcceptBaseline lets the plan be done although checks fail that failed before the work.
	AcceptBaseline bool
	// Guard returns the process under which checks are run.
	Guard    func() (*proc.Guardian, error)
	Recorder *recorder.Recorder
	// Reviewer is asked about what would be accepted; nil is no review.
	Reviewer *calls.Reviewer
	// Working shows what takes a while.
	Working func(what string)

	base    run.Base
	tests   string   // commit with tests that accepted stories changed, as they were before
	works   []string // fingerprints at each acceptance, the first base included
	handed  string   // fingerprint of the base before people changed something
	worked  bool     // an agent has worked since, without an acceptance
	rewound bool     // commits were removed from the branch in this run
	unseen  int      // the last iteration with changes that were not inspected; 0 without one

	known    map[tamper.Finding]bool // was there before the work, or was accepted
	borrowed []journal.Borrowed      // folders of dependencies at the base
	open     bool                    // findings are on record that were not accepted, and not undone
	local    git.LocalConfig         // the git directory when the run began
	commands []tamper.Finding        // what the agent ran since claims were weighed last

	red     map[string]bool // checks that failed before the work, and have not passed since
	failing map[string]bool // checks that failed when they ran last
	counts  map[string]bool // checks that said how many tests ran
	inPlace map[string]bool // checks that failed in place before the first iteration
	results check.Results
	opened  bool              // a check ran without a room since this was set back
	began   string            // the base's commit when ralph started
	prover  *proof.Prover     // keeps what it knows of trees
	foreign []string          // remote branches when ralph started
	unable  map[string]string // checks that cannot pass in a clean worktree, and why
	warned  map[string]bool   // what is said once in a run
}

// gathering is the collection of facts about one claim.
type gathering struct {
	*Gate
	claim Claim
	facts Facts
	state plan.State // the plan now

	look    *git.WorktreeState // the worktree as it was seen last, nil before the first read
	diff    changes
	chosen  bool // the fields below are set
	clean   *check.CleanWorktree
	before  *check.CleanWorktree // of the commit before the work, nil while it is not needed
	partly  bool                 // not all of the work is in the clean worktree
	why     string               // why checks count in place, empty where they do not
	print   string               // fingerprint of the worktree before the checks
	ranHere []string             // checks that the batch ran in place
}

// Gather collects the facts about a claim. It first looks for reasons to refuse that need no
// check. If these suffice, it runs no checks for the claim. Checks for every iteration still
// run.
func (g *Gate) Gather(ctx context.Context, c Claim) (f Facts, err error) {
	at := &gathering{Gate: g, claim: c, state: c.State}
	at.facts.NoChecks, at.facts.Plan.State = len(g.Checks) == 0, c.State
	defer func() { err = errors.Join(err, at.dropClean(ctx)) }()
	if err := at.cheap(ctx); err != nil {
		return at.facts, err
	}
	left := at.provable(Weigh(c, at.facts, g.Rules).Undecided)
	if ctx.Err() != nil && g.runs() {
		return at.facts, nil
	}
	if err := at.checks(ctx, left); err != nil {
		return at.facts, err
	}
	if err := at.worth(ctx, left); err != nil {
		return at.facts, err
	}
	if len(left) > 0 { // a receipt says where the claim was proved
		err = at.choose(ctx)
	}
	at.facts.Blocking, at.facts.Place = g.Blocking(), at.place()
	err = errors.Join(err, at.review(ctx))
	at.facts.Complete = ctx.Err() == nil || !g.runs()
	return at.facts, err
}

// runs reports whether evidence is collected that a stop cuts off.
func (g *Gate) runs() bool { return len(g.Checks) > 0 || g.Reviewer != nil }

// cheap collects the facts for which nothing of the project is run.
func (g *gathering) cheap(ctx context.Context) error {
	var err error
	if g.facts.Receipts, err = g.receipts(ctx); err != nil {
		return err
	}
	if g.marked() {
		idle, err := g.idle(ctx)
		if err != nil {
			return err
		}
		g.facts.Idle = idle
		if idle && g.Rules.RequireChange {
			if err := g.already(ctx); err != nil {
				return err
			}
		}
	}
	if g.claim.Looked || g.marked() || g.claim.Promised {
		found, err := g.weakened(ctx)
		if err != nil {
			return err
		}
		g.facts.Findings, g.facts.Looked = found, true
	}
	if g.marked() && g.Plan.About().Kind.Receipts() {
		look, err := g.readOnce(ctx)
		if err != nil {
			return err
		}
		if len(look.Changes) > 0 {
			g.facts.Uncommitted = uncommitted(look)
		}
	}
	return nil
}

// provable are those of the items that checks can prove: of the marks that were taken over,
// those with a receipt, and those that the user allowed.
func (g *gathering) provable(items []string) []string {
	if g.claim.Boxes {
		return items
	}
	taken := Without(g.claim.TakenOver, g.facts.Receipts)
	return Without(items, Without(taken, g.claim.allowed(taken, NoReceipt)))
}

// marked reports whether there are marks to judge by the work that was done for them.
func (g *gathering) marked() bool { return len(Without(g.claim.Items, g.claim.TakenOver)) > 0 }

// checks runs the checks that are due. left are the items that nothing speaks against yet.
func (g *gathering) checks(ctx context.Context, left []string) error {
	done := g.claim.DoneSoFar || g.claim.Done && len(left) == len(g.claim.Items)
	at := check.Every
	if len(left) > 0 || g.claim.Promised || done {
		at = check.Claim
	}
	if err := g.run(ctx, journal.Phase(at), check.Due(g.Checks, at), len(left) > 0 || done); err != nil || ctx.Err() != nil {
		return err
	}
	if !done || slices.ContainsFunc(g.facts.Checks, CheckFact.against) {
		return nil
	}
	last := slices.DeleteFunc(slices.Clone(g.Checks), func(c check.Check) bool { return c.When != check.End })
	return g.run(ctx, journal.PhaseEnd, last, true)
}

// run runs checks, where claims are proved or in place, and adds how they fared to the facts.
func (g *gathering) run(ctx context.Context, phase journal.Phase, due []check.Check, prove bool) error {
	red := make(map[string]bool, len(g.red)) // as it was before: a pass clears it
	for name := range g.red {
		red[name] = true
	}
	results, err := g.prove(ctx, phase, due, prove)
	for _, r := range results {
		g.facts.Checks = append(g.facts.Checks, CheckFact{Result: r, Phase: phase, Red: red[r.Check.Name],
			Tolerated: g.AcceptBaseline || r.Check.AcceptBaseline})
	}
	return err
}

// place says where the claim was checked.
func (g *gathering) place() ProvedAt {
	if !g.chosen {
		return ProvedAt{}
	}
	p := ProvedAt{Commit: g.facts.Worktree.Head.Commit, Tree: g.print, Partly: g.partly, Why: g.why}
	switch {
	case p.Why != "":
	case len(g.facts.Checks) == 0:
		p.Why = "no quality check is due when a story is finished"
	default:
		p.Clean, p.Tree = true, g.clean.Tree
	}
	return p
}
