package evidence

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ralph/internal/check"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/stream"
)

// baseline is the phase in which checks are run to see how they fare without the agent.
const baseline = journal.PhaseBaseline

// batch runs checks one after the other, each by one, until the run is asked to end.
func (g *gathering) batch(
	ctx context.Context, due []check.Check, one func(check.Check) (check.Result, error),
) (results []check.Result, err error) {
	if len(due) == 0 {
		return nil, nil
	}
	touched, err := g.guarded(ctx, func() (err error) {
		results, err = g.each(due, one)
		return err
	})
	if touched != "" && g.claim.N > 0 {
		refuse(&results[len(results)-1], touched)
	}
	return results, err
}

// guarded runs code that the agent may have written, such as the checks. It restores the plan
// afterwards, and returns what the code changed of the repository.
func (g *gathering) guarded(ctx context.Context, run func() error) (touched string, err error) {
	if _, err := g.readOnce(ctx); err != nil {
		return "", err
	}
	if err := g.Plan.Snapshot(g.StateDir); err != nil {
		return "", err
	}
	g.ranHere, g.opened = nil, false
	before := g.Repo.ReadMetadata()
	if err := errors.Join(run(), g.reseal(ctx)); err != nil {
		return "", err
	}
	return g.touched(ctx, before)
}

// touched warns if HEAD, the index, a ref, a hook or a setting of git has changed while checks
// ran without a room, and returns what changed. No proof can come from code that changes what
// is proved. In a room no check can do that: a change is the user's, or another loop's.
func (g *gathering) touched(ctx context.Context, before git.Metadata) (what string, err error) {
	if !g.opened {
		return "", nil
	}
	changed, err := g.Repo.ChangedSince(context.WithoutCancel(ctx), before)
	if err != nil || len(changed) == 0 {
		return "", err
	}
	g.results.Clear() // the same checks must not count the next time either
	g.prover = nil
	what = strings.Join(changed, ", ")
	return what, g.Recorder.Warn("the quality checks changed %s of the repository; no code of the project may do that", what)
}

// refuse lets a result speak against the claim.
func refuse(r *check.Result, touched string) {
	r.Outcome, r.Touched = journal.CheckFailed, touched
}

func (g *gathering) each(due []check.Check, one func(check.Check) (check.Result, error)) ([]check.Result, error) {
	var results []check.Result
	for _, c := range due {
		r, err := one(c)
		if err != nil {
			return results, err
		}
		results = append(results, r)
		g.counts[c.Name] = g.counts[c.Name] || r.Counted
		switch {
		case r.Outcome == journal.CheckInterrupted:
			return results, nil
		case r.Green():
			delete(g.red, c.Name)
			delete(g.failing, c.Name)
		default:
			g.failing[c.Name] = true
		}
	}
	return results, nil
}

// check runs one check, in place where clean is nil, and records how it fared. What is known
// of it on the same tree is not found out again.
func (g *gathering) check(ctx context.Context, phase journal.Phase, c check.Check, clean *check.CleanWorktree) (check.Result, error) {
	on := g.on(clean)
	r, known := g.results.Find(c, on)
	if known && g.reusable(r, phase, clean != nil) {
		return r, g.recordCheck(phase, r, on.Tree, true)
	}
	dir, err := g.folder(ctx, clean)
	if err != nil {
		return check.Result{Check: c}, err
	}
	if clean == nil {
		g.ranHere = append(g.ranHere, c.Name)
	}
	g.Working("running check " + c.Name)
	if r, err = g.try(ctx, c, dir); err != nil {
		return r, err
	}
	if err := g.sayWhere(r); err != nil {
		return r, err
	}
	if clean != nil && unsealed(c) && r.Green() && check.RunsCached(c, dir) {
		if err := g.once("cached "+c.Name, "check %s uses npx without node_modules: its program may come from npm's cache, not from the project", c.Name); err != nil {
			return r, err
		}
	}
	if clean != nil {
		r.Commit = clean.Commit
	}
	g.results.Keep(r, on)
	return r, g.recordCheck(phase, r, on.Tree, false)
}

// sayWhere warns once of a check that runs without its room.
func (g *gathering) sayWhere(r check.Result) error {
	if r.Unsealed != "" && !r.Outside {
		return g.once("unsealed "+r.Check.Name, "check %s passes only outside of its room, and runs unsealed: %s", r.Check.Name, r.Unsealed)
	}
	return nil
}

// on is what a check would be run on now. The commit that the work began with is left with
// the plan of its own time.
func (g *gathering) on(clean *check.CleanWorktree) check.On {
	switch clean {
	case nil:
		return check.On{Tree: g.look.Hash, Plan: g.state.Print}
	case g.before:
		return check.On{Tree: clean.Tree, Clean: true}
	}
	return check.On{Tree: clean.Tree, Plan: g.state.Print, Clean: true}
}

// folder returns the folder in which a check is run, with the marks as they are now.
func (g *gathering) folder(ctx context.Context, clean *check.CleanWorktree) (string, error) {
	if clean == nil {
		return g.Repo.Root, nil
	}
	dir, err := clean.Dir(ctx)
	if path, data := g.Plan.Record(); data != nil && err == nil && clean != g.before {
		err = clean.AddFile(ctx, path, data)
	}
	return dir, err
}

// try runs a check, and once more where the guardian was killed meanwhile: that says nothing
// about the project, unless the check does it every time.
func (g *gathering) try(ctx context.Context, c check.Check, dir string) (check.Result, error) {
	// 'ralph prd' refuses to change the plan for whatever a run has started.
	env := append(slices.Clip(g.Env),
		"RALPH_UNIT="+g.Unit, fmt.Sprintf("RALPH_ITERATION=%d", g.claim.N))
	for again := true; ; again = false {
		guardian, err := g.Guard()
		if err != nil {
			return check.Result{Check: c}, err
		}
		r, err := check.Run(ctx, guardian, c, dir, env)
		g.opened = g.opened || r.Open
		if lost := r.Lost || errors.Is(err, proc.ErrLost); !again || !lost || ctx.Err() != nil {
			r.Tail = g.Recorder.Secrets.Text(stream.Sanitize(r.Tail))
			return r, err
		}
	}
}

// reusable reports whether a known result will do. A success always does, but in the
// baseline, which is there to find out. A failure may have been chance: it does where nothing
// depends on it, and a claim has a right to a new try.
func (g *gathering) reusable(r check.Result, phase journal.Phase, clean bool) bool {
	if phase == baseline {
		return clean
	}
	return r.Green() || phase == journal.PhaseEvery || g.claim.N == 0
}

func (g *gathering) recordCheck(phase journal.Phase, r check.Result, tree string, same bool) error {
	return g.Recorder.Record(journal.CheckEnded{N: g.claim.N, Phase: phase, Name: r.Check.Name, Command: r.Check.Command, Outcome: r.Outcome,
		ExitCode: r.ExitCode, DurationSeconds: r.Duration.Seconds(), Tree: tree, Clean: r.Commit != "", Same: same,
		Unsealed: r.Unsealed, Outside: r.Outside, Tail: r.Tail})
}

// reseal restores what checks changed of the plan, and says what else they left.
func (g *gathering) reseal(ctx context.Context) error {
	head, err := g.Repo.Head(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	if head.Branch != g.Branch {
		// The plan that is here now is another branch's.
		return fmt.Errorf("a quality check left the branch %s for %s: review its changes there, then: git switch %s",
			g.Branch, head.Name(), g.Branch)
	}
	before, after := g.state, &g.facts.Plan
	restored, err := g.Plan.Guard(fmt.Sprintf("%s-%d-checks", g.Run, g.claim.N))
	after.Restored = append(after.Restored, restored...)
	if err != nil {
		return err
	}
	now, err := g.Plan.Read()
	if err != nil {
		return err
	}
	after.Opened = append(after.Opened, Without(before.Done(), now.Done())...)
	if ticked := Without(now.Done(), before.Done()); len(ticked) > 0 {
		after.Ticked = append(after.Ticked, ticked...)
		if err := g.Plan.Mark(ticked, false); err != nil {
			return fmt.Errorf("the marks of %s cannot be revoked: %w", strings.Join(ticked, ", "), err)
		}
		if now, err = g.Plan.Read(); err != nil {
			return err
		}
	}
	g.state, after.State = now, now
	return g.leftovers(ctx)
}

// leftovers notes the files that checks in place have left in the worktree: they are not the
// agent's work.
func (g *gathering) leftovers(ctx context.Context) error {
	if len(g.ranHere) == 0 {
		return nil
	}
	before := *g.look
	g.look = nil
	after, err := g.readOnce(ctx)
	if err != nil || after.Hash == before.Hash && after.Head == before.Head {
		return err
	}
	g.results.Forget(before.Hash)
	if g.base.Work == before.Hash {
		g.base.Work = after.Hash
	}
	if g.facts.Worktree.Hash == before.Hash {
		g.facts.Worktree = after
	}
	what := "changed files"
	if after.Head != before.Head {
		what = "made commits"
	}
	if paths := appeared(before, after); len(paths) > 0 {
		what += ": " + strings.Join(paths, ", ")
	}
	return g.once("leftovers "+what, "the quality checks (%s) %s; that is not the agent's work", strings.Join(g.ranHere, ", "), what)
}

// appeared are the paths with changes that were not there before, not all of them.
func appeared(before, after git.WorktreeState) []string {
	const shown = 3
	var paths []string
	for _, c := range after.Changes {
		if !slices.Contains(before.Changes, c) && len(paths) < shown {
			paths = append(paths, c.Path)
		}
	}
	return paths
}
