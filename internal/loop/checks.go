package loop

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ralph/internal/check"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/proc"
	"ralph/internal/stream"
)

// baselinePhase is when checks are run to see how they fare without the agent.
const baselinePhase = "baseline"

// batch runs checks one after the other, each by one, until the run is told to
// end. Checks are the project's own code, which the agent may have written: the
// plan is put in order behind them.
func (l *Loop) batch(ctx context.Context, it *iteration, due []check.Check, one func(check.Check) (check.Result, error)) ([]check.Result, error) {
	if len(due) == 0 {
		return nil, nil
	}
	if err := l.Plan.Snapshot(filepath.Join(l.StateDir, "snapshot")); err != nil {
		return nil, err
	}
	before := l.state
	it.proof.inPlace = nil
	results, err := l.runEach(due, one)
	return results, errors.Join(err, l.reseal(ctx, it, before))
}

func (l *Loop) runEach(due []check.Check, one func(check.Check) (check.Result, error)) ([]check.Result, error) {
	var results []check.Result
	for _, c := range due {
		r, err := one(c)
		if err != nil {
			return results, err
		}
		results = append(results, r)
		switch {
		case r.Outcome == journal.CheckInterrupted:
			return results, nil
		case r.Green():
			delete(l.red, c.Name)
			delete(l.failing, c.Name)
		default:
			l.failing[c.Name] = true
		}
	}
	return results, nil
}

// runInPlace runs checks where the agent works.
func (l *Loop) runInPlace(ctx context.Context, it *iteration, phase journal.Phase, due []check.Check) ([]check.Result, error) {
	if len(due) > 0 {
		if _, err := l.look(ctx, it); err != nil {
			return nil, err
		}
	}
	return l.batch(ctx, it, due, func(c check.Check) (check.Result, error) {
		return l.runCheck(ctx, it, phase, c, nil)
	})
}

// runCheck runs one check, in place where clean is nil, and records how it fared.
// What is known of it on the same tree is not found out again.
func (l *Loop) runCheck(ctx context.Context, it *iteration, phase journal.Phase, c check.Check, clean *check.Clean) (check.Result, error) {
	on := l.on(it, clean)
	r, known := l.proofs.results.Find(c, on)
	if known && reusable(r, phase, it.n, clean != nil) {
		return r, l.recordCheck(it.n, phase, r, on.Tree, true)
	}
	dir, err := l.room(ctx, it, clean)
	if err != nil {
		return check.Result{Check: c}, err
	}
	if clean == nil {
		it.proof.inPlace = append(it.proof.inPlace, c.Name)
	}
	l.working("running check " + c.Name)
	// 'ralph prd' refuses to change the plan for whatever a run has started.
	env := append(slices.Clip(l.CheckEnv), "RALPH_UNIT="+l.Unit, fmt.Sprintf("RALPH_ITERATION=%d", it.n))
	if r, err = l.tryCheck(ctx, c, dir, env); err != nil {
		return r, err
	}
	r.Tail = l.Recorder.Secrets.Text(stream.Sanitize(r.Tail)) // before anything is cut off
	if clean != nil {
		r.Commit = clean.Commit
	}
	l.proofs.results.Keep(r, on)
	return r, l.recordCheck(it.n, phase, r, on.Tree, false)
}

// on is what a check would be run on now. The commit that the work began with is
// left with the plan of its own time.
func (l *Loop) on(it *iteration, clean *check.Clean) check.On {
	switch clean {
	case nil:
		return check.On{Tree: it.proof.look.Hash, Plan: l.state.Print}
	case it.proof.base:
		return check.On{Tree: clean.Tree, Clean: true}
	}
	return check.On{Tree: clean.Tree, Plan: l.state.Print, Clean: true}
}

// room is the folder in which a check is run, with the marks as they are now.
func (l *Loop) room(ctx context.Context, it *iteration, clean *check.Clean) (string, error) {
	if clean == nil {
		return l.Repo.Root, nil
	}
	dir, err := clean.Dir(ctx)
	if p, ok := l.Plan.(*plan.PRD); ok && err == nil && clean != it.proof.base {
		path, data := p.Record()
		err = clean.Place(ctx, path, data)
	}
	return dir, err
}

// tryCheck runs a check, and once more where the guardian was killed meanwhile:
// that says nothing about the project, unless the check does it every time.
func (l *Loop) tryCheck(ctx context.Context, c check.Check, dir string, env []string) (check.Result, error) {
	for again := true; ; again = false {
		g, err := l.Keeper.Get()
		if err != nil {
			return check.Result{Check: c}, err
		}
		r, err := check.Run(ctx, g, c, dir, env)
		if lost := r.Lost || errors.Is(err, proc.ErrLost); !again || !lost || ctx.Err() != nil {
			return r, err
		}
	}
}

// reusable reports whether a known result will do. A success always does, but in
// the baseline, which is there to find out. A failure may have been chance: it
// does where nothing hangs on it, and a claim has a right to a new try.
func reusable(r check.Result, phase journal.Phase, n int, clean bool) bool {
	if phase == baselinePhase {
		return clean
	}
	return r.Green() || phase == journal.PhaseEvery || n == 0
}

func (l *Loop) recordCheck(n int, phase journal.Phase, r check.Result, tree string, same bool) error {
	return l.record(journal.CheckEnded{N: n, Phase: phase, Name: r.Check.Name, Command: r.Check.Command, Outcome: r.Outcome,
		ExitCode: r.ExitCode, DurationSeconds: r.Duration.Seconds(), Tree: tree, Clean: r.Commit != "", Same: same, Tail: r.Tail})
}

// reseal puts back what checks changed of the plan, and says what else they left.
func (l *Loop) reseal(ctx context.Context, it *iteration, before plan.State) error {
	head, err := l.Repo.Head(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	if head.Branch != l.branch {
		// The plan that is here now is another branch's.
		return fmt.Errorf("a quality check left the branch %s for %s: look at what it did there, then: git switch %s",
			l.branch, orDetached(head.Branch), l.branch)
	}
	restored, err := l.Plan.Guard(fmt.Sprintf("%s-%d-checks", l.Identity.Run, it.n))
	for _, r := range restored {
		l.notes.add(fmt.Sprintf("`%s` was put back: %s while the quality checks ran. Code of the project must not touch the plan.", r.Path, r.What))
		err = errors.Join(err, l.record(journal.PlanRestored{N: it.n, Path: r.Path, What: r.What + " while the quality checks ran", Kept: r.Kept}))
	}
	if err != nil {
		return err
	}
	if l.state, err = l.Plan.Read(); err != nil {
		return err
	}
	if opened := missing(before.Done(), l.state.Done()); len(opened) > 0 {
		if err := l.warn("%s: set back to open while the quality checks ran", list(opened)); err != nil {
			return err
		}
	}
	if ticked := missing(l.state.Done(), before.Done()); len(ticked) > 0 {
		if err := l.reject(it.n, ticked, "marked while the quality checks ran, by none but them"); err != nil {
			return err
		}
	}
	return l.leftovers(ctx, it)
}

// leftovers looks at what checks that ran in place left in the worktree: it is no
// work of the agent's.
func (l *Loop) leftovers(ctx context.Context, it *iteration) error {
	if len(it.proof.inPlace) == 0 {
		return nil
	}
	before := *it.proof.look
	it.proof.look = nil
	after, err := l.look(ctx, it)
	if err != nil || after.Hash == before.Hash && after.Head == before.Head {
		return err
	}
	l.proofs.results.Forget(before.Hash)
	if l.work == before.Hash {
		l.work = after.Hash
	}
	if it.work == before.Hash {
		it.work = after.Hash
	}
	what := "changed files"
	if after.Head != before.Head {
		what = "made commits"
	}
	if paths := appeared(before, after); len(paths) > 0 {
		what += ": " + strings.Join(paths, ", ")
	}
	return l.once("leftovers "+what, "the quality checks (%s) %s; that is no work of the agent's", list(it.proof.inPlace), what)
}

// appeared are the paths with changes that were not there before, not all of them.
func appeared(before, after git.Look) []string {
	const shown = 3
	var paths []string
	for _, c := range after.Changes {
		if !slices.Contains(before.Changes, c) && len(paths) < shown {
			paths = append(paths, c.Path)
		}
	}
	return paths
}
