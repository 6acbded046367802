package evidence

import (
	"context"
	"errors"
	"fmt"

	"ralph/internal/check"
	"ralph/internal/journal"
)

// choose decides where the claim is proved.
func (g *gathering) choose(ctx context.Context) error {
	if g.chosen {
		return nil
	}
	look, err := g.readOnce(ctx)
	if err != nil {
		return err
	}
	g.chosen, g.print = true, look.Hash
	switch {
	case len(g.Checks) == 0:
		g.why = journal.NoChecks
	case g.Rules.Mode != Auto && g.Rules.Mode != Clean:
		g.why = "the setting proof.mode asks for it"
	case !g.Plan.About().Kind.Receipts():
		g.why = fmt.Sprintf("a %s plan is proved where it is", g.Plan.About().Kind)
	case len(look.Changes) > 0 && look.Head.Commit == g.base.Commit:
		g.why = uncommitted(look)
		return g.once("uncommitted", "the checks run in place and not in a clean worktree (%s)", g.why)
	case len(look.Changes) > 0:
		// What is committed must pass as it is: a file may have been forgotten.
		g.why, g.partly = uncommitted(look), true
		if err := g.once("partly", "the checks run in place too, not only in a clean worktree (%s)", g.why); err != nil {
			return err
		}
		return g.chooseClean(ctx)
	default:
		return g.chooseClean(ctx)
	}
	return nil
}

// chooseClean makes room for a clean worktree of the commit.
func (g *gathering) chooseClean(ctx context.Context) error {
	commit := g.look.Head.Commit
	clean, err := check.NewCleanWorktree(context.WithoutCancel(ctx), g.Repo, commit, g.StateDir)
	switch {
	case err == nil:
		g.clean = clean
		return nil
	case g.Rules.Mode == Clean:
		return fmt.Errorf("a clean worktree of %.12s cannot be made: %w", commit, err)
	}
	g.why = "a clean worktree cannot be made: " + err.Error()
	return g.once("no worktree", "the checks run in place: %s", g.why)
}

// once warns of a kind of thing for the first time in the run.
func (g *Gate) once(kind, format string, args ...any) error {
	if g.warned[kind] {
		return nil
	}
	g.warned[kind] = true
	return g.Recorder.Warn(format, args...)
}

// prove runs checks where claims are proved, or where the agent works.
func (g *gathering) prove(ctx context.Context, phase journal.Phase, due []check.Check, claimed bool) ([]check.Result, error) {
	if !claimed {
		return g.batch(ctx, due, func(c check.Check) (check.Result, error) { return g.check(ctx, phase, c, nil) })
	}
	if err := g.choose(ctx); err != nil {
		return nil, err
	}
	return g.batch(ctx, due, func(c check.Check) (check.Result, error) { return g.proveOne(ctx, phase, c) })
}

// proveOne runs one check in the clean worktree, where there is one and the check can pass
// there. A failure there is compared with the commit that the work began with: a check that
// failed on that too shows nothing about the work. A success is only half of the proof while
// not all of the work is committed.
func (g *gathering) proveOne(ctx context.Context, phase journal.Phase, c check.Check) (check.Result, error) {
	if g.clean == nil {
		return g.check(ctx, phase, c, nil)
	}
	if why := g.unable[c.Name]; why != "" {
		return g.proveInPlace(ctx, phase, c, why)
	}
	r, err := g.check(ctx, phase, c, g.clean)
	var none *check.CheckoutError
	switch {
	case ctx.Err() != nil:
		return check.Result{Check: c, Outcome: journal.CheckInterrupted}, nil
	case errors.As(err, &none) && g.Rules.Mode == Clean:
		r = check.Result{Check: c, Outcome: journal.CheckFailed, ExitCode: -1, Tail: err.Error(), Commit: g.clean.Commit}
		return r, g.recordCheck(phase, r, g.clean.Tree, false)
	case errors.As(err, &none):
		return g.proveInPlace(ctx, phase, c, err.Error())
	case err == nil && r.Green() && g.partly:
		return g.check(ctx, phase, c, nil)
	case err != nil || r.Green() || g.Rules.Mode == Clean:
		return r, err
	}
	why, err := g.compare(ctx, c)
	if err != nil || why == "" {
		return r, err
	}
	return g.proveInPlace(ctx, phase, c, why)
}

// compare runs a check that failed on the agent's commit on the commit that its work began
// with. It returns why the failure shows nothing about the work, empty where it does.
func (g *gathering) compare(ctx context.Context, c check.Check) (why string, err error) {
	if g.base.Commit == "" {
		return "there is no commit before the agent's work to compare with", nil
	}
	if g.before == nil {
		if g.before, err = check.NewCleanWorktree(context.WithoutCancel(ctx), g.Repo, g.base.Commit, g.StateDir); err != nil {
			// It was readable when the work began: the failure counts.
			return "", g.once("no base", "the commit %.12s before the work cannot be read any more: %v", g.base.Commit, err)
		}
	}
	r, err := g.check(ctx, baseline, c, g.before)
	var none *check.CheckoutError
	switch {
	case errors.As(err, &none):
		return "", g.once("no base", "the commit %.12s before the work cannot be checked out any more: %v", g.base.Commit, err)
	case err != nil || r.Green() || ctx.Err() != nil:
		return "", err
	}
	why = fmt.Sprintf("it also fails in one of %.12s, where the work started", g.base.Commit)
	if g.inPlace[c.Name] {
		return why, nil // in place it failed then as well: it may be green in both any time now
	}
	why += ": something that it needs is not in git"
	if g.clean.HasSubmodules() {
		why += ", or in a submodule"
	}
	g.unable[c.Name] = why
	return why, nil
}

// proveInPlace runs a check where the agent works, for a reason that is said once.
func (g *gathering) proveInPlace(ctx context.Context, phase journal.Phase, c check.Check, why string) (check.Result, error) {
	if g.why == "" {
		g.why = fmt.Sprintf("check %s: %s", c.Name, why)
	}
	if err := g.once("unable "+c.Name, "check %s runs in place and not in a clean worktree: %s", c.Name, why); err != nil {
		return check.Result{}, err
	}
	return g.check(ctx, phase, c, nil)
}

// dropClean removes the clean worktrees. It warns where one cannot be removed; the next run
// tries again.
func (g *gathering) dropClean(ctx context.Context) error {
	var failed error
	for _, c := range []*check.CleanWorktree{g.clean, g.before} {
		if c == nil {
			continue
		}
		if err := c.Remove(); err != nil {
			warning := fmt.Sprintf("the clean worktree in %s cannot be removed: %v", c.Folder(), err)
			failed = errors.Join(failed, g.Recorder.Record(journal.Warning{Message: warning}))
		}
	}
	return failed
}
