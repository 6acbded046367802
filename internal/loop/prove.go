package loop

import (
	"context"
	"errors"
	"fmt"

	"ralph/internal/check"
	"ralph/internal/journal"
)

// prove runs checks where claims are proved, and returns how they fared.
func (l *Loop) prove(ctx context.Context, it *iteration, phase check.When, due []check.Check) ([]check.Result, error) {
	if err := l.choose(ctx, it); err != nil {
		return nil, err
	}
	results, err := l.batch(ctx, it, due, func(c check.Check) (check.Result, error) {
		return l.proveOne(ctx, it, journal.Phase(phase), c)
	})
	it.proof.results = append(it.proof.results, results...)
	return results, err
}

// proveOne runs one check in the clean worktree, where there is one and the check
// can pass there. A failure there is held against the commit that the work began
// with: a check that failed on that too tells nothing of the work. A success is
// only half of the proof while not all of the work is committed.
func (l *Loop) proveOne(ctx context.Context, it *iteration, phase journal.Phase, c check.Check) (check.Result, error) {
	p := &it.proof
	if p.clean == nil {
		return l.runCheck(ctx, it, phase, c, nil)
	}
	if why := l.proofs.unable[c.Name]; why != "" {
		return l.proveInPlace(ctx, it, phase, c, why)
	}
	r, err := l.runCheck(ctx, it, phase, c, p.clean)
	var none *check.CheckoutError
	switch {
	case ctx.Err() != nil:
		return check.Result{Check: c, Outcome: journal.CheckInterrupted}, nil
	case errors.As(err, &none) && l.Proof.Mode == ProofClean:
		r = check.Result{Check: c, Outcome: journal.CheckFailed, ExitCode: -1, Tail: err.Error(), Commit: p.clean.Commit}
		return r, l.recordCheck(it.n, phase, r, p.clean.Tree, false)
	case errors.As(err, &none):
		return l.proveInPlace(ctx, it, phase, c, err.Error())
	case err == nil && r.Green() && p.partly:
		return l.runCheck(ctx, it, phase, c, nil)
	case err != nil || r.Green() || l.Proof.Mode == ProofClean:
		return r, err
	}
	why, err := l.holdAgainstBase(ctx, it, c)
	if err != nil || why == "" {
		return r, err
	}
	return l.proveInPlace(ctx, it, phase, c, why)
}

// holdAgainstBase runs a check that failed on the agent's commit on the commit
// that its work began with. It returns why the failure tells nothing of the work,
// empty where it does.
func (l *Loop) holdAgainstBase(ctx context.Context, it *iteration, c check.Check) (why string, err error) {
	if l.proofs.base == "" {
		return "there is no commit before the agent's work to compare with", nil
	}
	if it.proof.base == nil {
		if it.proof.base, err = check.NewClean(context.WithoutCancel(ctx), l.Repo, l.proofs.base, l.StateDir); err != nil {
			return fmt.Sprintf("there is no commit %.12s any more to compare with: %v", l.proofs.base, err), nil
		}
	}
	r, err := l.runCheck(ctx, it, baselinePhase, c, it.proof.base)
	var none *check.CheckoutError
	switch {
	case errors.As(err, &none):
		return err.Error(), nil
	case err != nil || r.Green() || ctx.Err() != nil:
		return "", err
	}
	why = fmt.Sprintf("it fails in one of %.12s too, where the work began", l.proofs.base)
	if l.proofs.before[c.Name] {
		return why, nil // in place it failed then as well: it may be green in both any time now
	}
	why += ": something that it needs is not in git"
	if it.proof.clean.HasSubmodules() {
		why += ", or in a submodule"
	}
	l.proofs.unable[c.Name] = why
	return why, nil
}

// proveInPlace runs a check where the agent works, for a reason that is said once.
func (l *Loop) proveInPlace(ctx context.Context, it *iteration, phase journal.Phase, c check.Check, why string) (check.Result, error) {
	if it.proof.why == "" {
		it.proof.why = fmt.Sprintf("check %s: %s", c.Name, why)
	}
	if err := l.once("unable "+c.Name, "check %s runs in place and not in a clean worktree: %s", c.Name, why); err != nil {
		return check.Result{}, err
	}
	return l.runCheck(ctx, it, phase, c, nil)
}

// dropClean removes the iteration's clean worktrees. It warns where one cannot be
// removed; the next run tries again.
func (l *Loop) dropClean(ctx context.Context, it *iteration) error {
	for _, c := range []*check.Clean{it.proof.clean, it.proof.base} {
		if c == nil {
			continue
		}
		if err := c.Remove(ctx); err != nil {
			if err := l.warn("the clean worktree in %s cannot be removed: %v", c.Folder(), err); err != nil {
				return err
			}
		}
	}
	return nil
}
