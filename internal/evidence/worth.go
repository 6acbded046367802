package evidence

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ralph/internal/check"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/proof"
)

// worth has the runs of package proof done for items that are about to be accepted.
func (g *gathering) worth(ctx context.Context, left []string) error {
	items := Without(left, g.claim.TakenOver)
	promised := g.claim.Promised && (g.claim.Done || g.claim.DoneSoFar)
	switch {
	case g.Rules.Mode == Off, g.base.Commit == "", len(items) == 0 && !promised:
		return nil
	case g.facts.Idle, ctx.Err() != nil, slices.ContainsFunc(g.facts.Checks, CheckFact.against):
		return nil
	}
	if len(check.Due(g.Checks, check.Claim)) == 0 {
		return nil
	}
	head, err := g.judged(ctx)
	if err != nil {
		return err
	}
	change := proof.Commits{Base: g.base.Commit, Head: head}
	if change.Foreign, err = g.others(ctx, head); err != nil {
		return err
	}
	for _, c := range g.facts.Checks {
		if c.Green() && c.Commit == head { // in place there may be more than in the room of the runs
			change.Green = append(change.Green, c.Result)
		}
	}
	p, touched, err := g.runsOf(ctx, change, g.Rules.Runs)
	g.facts.Proof = p
	if n := len(g.facts.Checks); touched != "" && n > 0 {
		refuse(&g.facts.Checks[n-1].Result, touched)
	}
	return err
}

// runsOf does the runs of a proof, and returns what they changed of the repository. The proof
// is nil if the run has to end.
func (g *gathering) runsOf(ctx context.Context, change proof.Commits, rules proof.Settings) (
	p *proof.Proof, touched string, err error,
) {
	if g.prover == nil {
		began := time.Now()
		g.prover = &proof.Prover{Repo: g.Repo, Elapsed: func() time.Duration { return time.Since(began) }}
	}
	g.prover.Settings, g.prover.Checks, g.prover.Run = rules, check.Due(g.Checks, check.Claim), g.runOn
	g.prover.Counting = g.counts
	change.Earlier = g.tests
	touched, err = g.guarded(ctx, func() error {
		shown, err := g.prover.Prove(ctx, change)
		if ctx.Err() != nil {
			return nil // it is not complete, and judged again
		}
		p = &shown
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return p, touched, nil
}

// judged returns the commit to be judged: the head, or a temporary one of the worktree where
// not all is committed.
func (g *gathering) judged(ctx context.Context) (string, error) {
	look, err := g.readOnce(ctx)
	if err != nil || len(look.Changes) == 0 {
		return look.Head.Commit, err
	}
	tree, err := g.Repo.Snapshot(ctx, look.Head.Commit)
	if err != nil {
		return "", err
	}
	return g.Repo.CommitTree(tree, look.Head.Commit)
}

// runOn runs a check on a commit that the prover composed. A check that cannot pass in a clean
// worktree gets what git ignores from the project's.
func (g *gathering) runOn(ctx context.Context, commit string, c check.Check) (r check.Result, err error) {
	clean, err := check.NewCleanWorktree(context.WithoutCancel(ctx), g.Repo, commit, g.StateDir)
	if err != nil {
		return check.Result{Check: c}, err
	}
	defer func() { err = errors.Join(err, clean.Remove()) }()
	dir, err := clean.Dir(ctx)
	if err == nil && (g.clean == nil || g.unable[c.Name] != "") {
		err = clean.Borrow(ctx)
	}
	if path, data := g.Plan.Record(); data != nil && err == nil && commit != g.base.Commit {
		err = clean.AddFile(ctx, path, data)
	}
	if err != nil {
		return check.Result{Check: c}, err
	}
	g.Working("proving with check " + c.Name)
	return g.try(ctx, c, dir)
}

// others returns the tips of remote branches with other people's commits: tips that existed
// when ralph started and do not build on the base, and later ones without a committer of the
// agent's commits.
func (g *gathering) others(ctx context.Context, head string) ([]string, error) {
	published, err := tips(ctx, g.Repo)
	if err != nil {
		return nil, err
	}
	var foreign []string
	for _, tip := range published {
		onBase, err := g.Repo.IsAncestor(ctx, g.base.Commit, tip)
		if err != nil {
			return nil, err
		}
		if slices.Contains(g.foreign, tip) && !onBase {
			foreign = append(foreign, tip)
			continue
		}
		theirs, err := g.Repo.Log(ctx, tip, g.base.Commit)
		if err != nil {
			return nil, err
		}
		own, err := g.Repo.Log(ctx, head, g.base.Commit, tip)
		if err != nil {
			return nil, err
		}
		ours := func(c git.Commit) bool {
			return slices.ContainsFunc(own, func(o git.Commit) bool { return o.Committer == c.Committer })
		}
		if len(theirs) > 0 && !slices.ContainsFunc(theirs, ours) {
			foreign = append(foreign, tip)
		}
	}
	return foreign, nil
}

// doubts are what the user should read in a proof, in words. Receipt text, such as how
// much is held, is none.
func doubts(p *proof.Proof) []string {
	if p == nil {
		return nil
	}
	var list []string
	if notHeld(p.Old.Outcome) {
		list = append(list, p.OldText())
	}
	if p.Hollow() {
		list = append(list, p.NewText())
	}
	for _, c := range p.Counts {
		list = append(list, c.String())
	}
	return list
}

// notHeld reports whether the old tests speak against the work.
func notHeld(v proof.TestOutcome) bool {
	return slices.Contains([]proof.TestOutcome{
		proof.Failed, proof.NoCompile, proof.Weaker, proof.Fewer, proof.Earlier,
	}, v)
}

// Doubts returns warnings for the user about the test runs for a claim.
func (f Facts) Doubts() []string { return doubts(f.Proof) }

// journalProof converts the test runs to the form in the journal and the receipts. It returns nil if
// none were due.
func (f Facts) journalProof() *journal.Proof {
	p := f.Proof
	if p == nil {
		return nil
	}
	r := &journal.Proof{Base: p.Base, Line: p.Line(), OldTests: string(p.Old.Outcome), NewTests: string(p.New.Outcome), Files: p.Old.Files,
		Held: p.Strength.Held, Sample: p.Strength.Run, Hunks: p.Strength.Total, Doubts: f.Doubts(), Runs: p.Runs, Seconds: p.Took.Round(10 * time.Millisecond).Seconds()}
	for _, h := range p.Strength.Unheld {
		r.Unheld = append(r.Unheld, h.String())
	}
	for _, c := range p.Counts {
		r.Fewer = append(r.Fewer, c.String())
	}
	return r
}

// weighProof applies the rules to what the runs showed. It returns the first rule that
// refuses, with the reason.
func weighProof(p *proof.Proof, r Rules) (Rule, string) {
	if p == nil || p.Skipped != "" {
		return "", ""
	}
	for _, c := range p.Counts {
		if c.After == 0 && c.Before > 0 && r.Runs.OldTests != proof.Off {
			return NoTestRan, c.String() + ": that does not count as passed"
		}
	}
	old := p.Old.Outcome
	if (r.Runs.OldTests == proof.Reject || r.RejectWeakened) && notHeld(old) {
		return OldTests, p.OldText()
	}
	switch strict := r.Runs.NewTests == proof.Require; {
	case !strict && r.Runs.NewTests != proof.Reject:
	case p.New.Outcome == proof.Passed:
		return NewTests, p.NewText()
	case strict && p.New.Outcome == proof.NoTests:
		return NewTests, "no test of it has changed, and one that fails without it is required"
	case strict && p.New.Outcome != proof.Failed && p.Strength.Held == 0:
		return NewTests, strings.TrimSpace(p.NewText() + ", and no part of it is held by a check")
	}
	if p.Strength.Run > 0 && p.Strength.Share() < r.Strength {
		return Weak, fmt.Sprintf("the checks hold %d of %d hunks, less than %.0f %%", p.Strength.Held, p.Strength.Run, 100*r.Strength)
	}
	return "", ""
}

// tips returns the commits of the remote branches, each once.
func tips(ctx context.Context, r *git.Repo) ([]string, error) {
	refs, err := r.Refs(ctx, "refs/remotes/")
	var list []string
	for _, ref := range refs {
		list = append(list, ref.Commit)
	}
	slices.Sort(list)
	return slices.Compact(list), err
}
