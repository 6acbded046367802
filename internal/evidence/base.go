package evidence

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"ralph/internal/check"
	"ralph/internal/git"
	"ralph/internal/run"
	"ralph/internal/tamper"
)

// BaseReason names the reason why the base moved.
type BaseReason string

// The reasons for which the base moves without an acceptance.
const (
	FirstSight BaseReason = "first sight"         // ralph sees the unit for the first time
	ByPeople   BaseReason = "people's changes"    // changes by the user while no agent was running
	Rewritten  BaseReason = "a rewritten history" // the user rewrote the history
	TakenOut   BaseReason = "a story was parked"  // the work since the base was removed
)

// Start prepares the gate: it continues with what is on record, and compares that with the
// worktree. It moves the base to the worktree if the unit is new, or if only the user has changed
// something. Then existing weaknesses of tests and checks are known findings. If changes is
// nil, Start looks up the uncommitted changes.
func (g *Gate) Start(
	ctx context.Context, on run.Claims, changes *[]git.StatusEntry,
) (BaseReason, error) {
	g.base, g.works, g.open = on.Base, slices.Clone(on.Works), on.Weakened
	g.tests, g.borrowed = on.Tests, slices.Clone(on.Borrowed)
	g.known, g.red, g.failing = map[tamper.Finding]bool{}, map[string]bool{}, map[string]bool{}
	maps.Copy(g.red, on.Red)
	g.inPlace, g.unable = map[string]bool{}, map[string]string{}
	g.warned, g.counts = map[string]bool{}, map[string]bool{}
	for _, f := range on.Known {
		g.known[tamper.Finding(f)] = true
	}
	g.local = g.Repo.LocalConfig()
	g.foreign, _ = tips(ctx, g.Repo) // without them, committers decide what is other people's work
	defer func() { g.began = g.base.Commit }()
	now, err := g.readNow(ctx, changes)
	if err != nil {
		return "", err
	}
	if on.Base == (run.Base{}) {
		return FirstSight, g.setBase(ctx, now)
	}
	return g.takeUserChanges(ctx, on.Seen(), now)
}

// TakeUserChanges compares the worktree with what ralph saw last, at the commit seen, and handles
// changes by the user. No agent may be running. It moves the base to the user's changes, but not while
// work of an agent waits for acceptance, unless the history was rewritten. It returns the
// reason, or "" if the base did not move.
func (g *Gate) TakeUserChanges(ctx context.Context, seen string) (BaseReason, error) {
	now, err := g.readNow(ctx, nil)
	if err != nil {
		return "", err
	}
	on := run.Base{Commit: seen}
	if !g.worked {
		on = g.base
	}
	return g.takeUserChanges(ctx, on, now)
}

func (g *Gate) takeUserChanges(
	ctx context.Context, seen run.Base, now git.WorktreeState,
) (BaseReason, error) {
	here := run.Base{Commit: now.Head.Commit, Work: now.Hash}
	g.worked = seen != g.base
	switch {
	case here == seen:
		return "", nil
	case !g.worked:
		g.handed = g.base.Work
		return ByPeople, g.setBase(ctx, now)
	case g.base.Commit != "" && seen.Commit != "" && here.Commit != "" && g.rewritten(ctx, seen.Commit, here.Commit):
		return Rewritten, g.setBase(ctx, now)
	}
	return "", g.knowPeoples(ctx, seen.Commit, here.Commit)
}

// BaseOnRestored makes the current worktree the base, after the work on a parked story was
// removed from it.
func (g *Gate) BaseOnRestored(ctx context.Context) (BaseReason, error) {
	now, err := g.readNow(ctx, nil)
	if err != nil {
		return "", err
	}
	g.unseen = 0
	return TakenOut, g.setBase(ctx, now)
}

// Worked notes that an agent worked in iteration n and that its work is not inspected yet.
func (g *Gate) Worked(n int) { g.worked, g.unseen = true, n }

func (g *Gate) readNow(ctx context.Context, changes *[]git.StatusEntry) (git.WorktreeState, error) {
	g.Working("reading the worktree")
	ctx = context.WithoutCancel(ctx)
	if changes != nil {
		return g.Repo.ReadWorktreeWith(ctx, *changes, g.Derived()...)
	}
	return g.Repo.ReadWorktree(ctx, g.Derived()...)
}

// rewritten reports whether the commit that ralph saw last is no longer in the history.
func (g *Gate) rewritten(ctx context.Context, seen, now string) bool {
	in, err := g.Repo.IsAncestor(ctx, seen, now)
	return err != nil || !in
}

// setBase makes the given state of the worktree the base. Uncommitted changes in it that weaken
// tests and checks become known findings.
func (g *Gate) setBase(ctx context.Context, look git.WorktreeState) error {
	g.base, g.open, g.worked = run.Base{Commit: look.Head.Commit, Work: look.Hash}, false, false
	g.works = append(g.works, look.Hash)
	borrowed, err := g.Deps.Prints(context.WithoutCancel(ctx), g.borrowed)
	if err != nil {
		return err
	}
	g.borrowed = borrowed
	found := tamper.Compare(g.local, g.Repo.LocalConfig())
	if look.Head.Commit != "" && slices.ContainsFunc(look.Changes, tracked) {
		at := &gathering{Gate: g}
		d, err := at.changes(context.WithoutCancel(ctx))
		if err != nil {
			return err
		}
		inDiff, err := at.inDiff(context.WithoutCancel(ctx), d)
		if err != nil {
			return err
		}
		found = append(found, inDiff...)
	}
	clear(g.known)
	for _, f := range found {
		g.known[f] = true
	}
	return nil
}

// knowPeoples finds what people committed since ralph looked last, while work of an agent was
// waiting for its acceptance: what it weakens is not the agent's, unless that is on record.
func (g *Gate) knowPeoples(ctx context.Context, from, to string) error {
	if from == "" || from == to {
		return nil
	}
	text, cut, err := g.Repo.Diff(ctx, git.Diff{From: from, To: to, Exclude: g.Derived(), Limit: maxDiff})
	if err != nil || cut {
		return nil //nolint:nilerr // then it is in doubt, and named
	}
	found, err := (&gathering{Gate: g}).inDiff(ctx, changes{from, text, false})
	for _, f := range found {
		if !g.open {
			g.known[f] = true
		}
	}
	return err
}

// Base returns the base, the state that claims are compared with.
func (g *Gate) Base() run.Base { return g.base }

// Known returns the known findings, which are never a reason to refuse a claim.
func (g *Gate) Known() []tamper.Finding {
	return slices.SortedFunc(maps.Keys(g.known), func(a, b tamper.Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule))
	})
}

// Now returns the commit and fingerprint of the current worktree. It returns a zero Base on
// another branch.
func (g *Gate) Now(ctx context.Context) (run.Base, error) {
	look, err := g.Repo.ReadWorktree(context.WithoutCancel(ctx), g.Derived()...)
	if err != nil || look.Head.Branch != g.Branch {
		return run.Base{}, err
	}
	return run.Base{Commit: look.Head.Commit, Work: look.Hash}, nil
}

// Rewound notes that commits were removed from the branch. From then on, a worktree that equals
// an earlier accepted one counts as no work.
func (g *Gate) Rewound() { g.rewound = true }

// sinceBase returns what weakens tests, checks or CI since the base, except the known findings.
func (g *Gate) sinceBase(ctx context.Context) ([]tamper.Finding, error) {
	return (&gathering{Gate: g}).weakened(ctx)
}

// Baseline runs every check in place before the first iteration, to find the checks that
// already fail.
func (g *Gate) Baseline(ctx context.Context, c Claim) (Facts, error) {
	at := &gathering{Gate: g, claim: c, state: c.State}
	at.facts.Plan.State = c.State
	err := at.run(ctx, baseline, g.Checks, false)
	for _, r := range at.facts.Checks {
		if !r.Green() {
			g.inPlace[r.Check.Name] = true
		}
	}
	at.facts.Blocking = g.Blocking()
	return at.facts, errors.Join(g.recordPlan(0, at.facts.Plan), err)
}

// KeepRed notes that the checks that fail now already failed before the work.
func (g *Gate) KeepRed() { maps.Copy(g.red, g.failing) }

// Failing returns the names of the checks that failed in their last run.
func (g *Gate) Failing() []string { return slices.Sorted(maps.Keys(g.failing)) }

// Blocking returns the names of the failing checks that keep the plan from being done.
func (g *Gate) Blocking() []string {
	var names []string
	for _, c := range g.Checks {
		accepted := g.red[c.Name] && (g.AcceptBaseline || c.AcceptBaseline)
		if g.failing[c.Name] && !accepted {
			names = append(names, c.Name)
		}
	}
	return names
}

// Failures returns the results of the checks that did not pass.
func (f Facts) Failures() []check.Result {
	var list []check.Result
	for _, c := range f.Checks {
		if !c.Green() {
			list = append(list, c.Result)
		}
	}
	return list
}
