package loop

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ralph/internal/check"
	"ralph/internal/evidence"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/run"
)

// openGate makes the gate for all marks, and compares its base with the worktree.
func (l *Loop) openGate(ctx context.Context, on run.Claims) (evidence.BaseReason, error) {
	l.gate = &evidence.Gate{
		Unit: l.Unit, Run: l.Identity.Run, StateDir: l.StateDir, Branch: l.branch, Repo: l.Repo, Plan: l.Plan,
		Checks: l.Checks, Deps: l.Deps, Env: l.CheckEnv, Rules: l.ClaimRules, Notes: l.Notes, AcceptBaseline: l.AcceptBaseline,
		TestsRef: l.States.Tests(), Guard: l.Keeper.Get, Recorder: l.Recorder, Working: l.Working,
	}
	if l.Reviewer != nil {
		l.gate.Reviewer = l.team.Reviewer(*l.Reviewer, l.ReviewLimit)
	}
	if err := check.Sweep(l.StateDir); err != nil {
		l.late = append(l.late, fmt.Sprintf("the clean worktree of a run that died cannot be removed: %v", err))
	}
	return l.gate.Start(ctx, on, l.Changes)
}

// prepare runs every check once before the first iteration, and judges the marks without an
// acceptance on record: of a run that died, met a limit or left the branch, or of a clone.
func (l *Loop) prepare(ctx context.Context) error {
	if err := l.parker.Compare(ctx); err != nil {
		return err
	}
	items := l.marks.unjudged()
	c := l.marks.claim(0, items)
	c.Looked = len(items) > 0
	f, err := l.gate.Baseline(ctx, c)
	l.notes.Checks(f)
	l.marks.state = f.Plan.State
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if len(items) > 0 {
		c.State, c.Done = l.marks.state, l.marks.conclusion(items, false).Done
		if err := l.adopt(ctx, c); err != nil {
			return err
		}
	}
	l.gate.KeepRed()
	failing := strings.Join(l.gate.Failing(), ", ")
	outside := func(r check.Result) bool { return r.Outside }
	switch failed := f.Failures(); {
	case len(failed) == 0, slices.ContainsFunc(failed, outside):
		// The next rule ends the run for a check that only passes outside.
	case len(l.gate.Blocking()) == 0:
		err = l.Recorder.Warn("quality checks fail (%s) before any agent was called; that is accepted", failing)
	default:
		err = l.Recorder.Warn("quality checks fail (%s) before any agent was called: stories can pass, but the plan is not done until they are green (or run with --accept-baseline)", failing)
	}
	l.ready = true
	if l.marks.conclusion(nil, false).Done && len(l.gate.Blocking()) > 0 {
		l.notes.Add("Every item of the plan is marked as done, but a quality check fails: " + failing + ". Fix what it reports.")
	}
	if err != nil {
		return err
	}
	return l.parker.NoteWorktree(ctx)
}

// adopt judges marks that no iteration of this run made.
func (l *Loop) adopt(ctx context.Context, c evidence.Claim) error {
	f, v, err := l.weigh(ctx, c)
	switch {
	case err != nil:
		return err
	case !f.Complete:
		return context.Cause(ctx)
	}
	for _, r := range v.Refusals {
		if r.Rule == evidence.NoWork || r.Rule == evidence.Weakened {
			if err := l.Recorder.Warn("if that is right as it is, accept it: %s", run.AllowHint(r.Items)); err != nil {
				return err
			}
		}
	}
	if len(v.Accepted) == 0 {
		return nil
	}
	if err := l.accept(ctx, c, evidence.Author{}, f, v); err != nil {
		return err
	}
	return l.Recorder.Record(journal.PlanChanged{Stories: l.marks.stories(), Message: "accepted what was marked before this run: " + strings.Join(v.Accepted, ", ")})
}

// claims judges what the agent marked and promised.
func (l *Loop) claims(ctx context.Context, it *iteration) error {
	if err := l.marks.read(); err != nil {
		return err
	}
	it.promised = l.team.Promised(it.outcome)
	items := l.marks.since(it.before)
	if len(items) > 0 || l.marks.state.Open() == 0 {
		items = append(items, evidence.Without(l.marks.takenOver(), items)...)
	}
	done := func(items []string) bool {
		v := l.marks.conclusion(items, it.promised)
		return v.Done && !early(v, it.n, l.MinIterations)
	}
	c := l.marks.claim(it.n, items)
	c.Promised, c.Done, c.DoneSoFar = it.promised, done(items), done(nil)
	c.Looked = it.from != it.head.Commit || l.gate.Open() || l.gate.HasCommandFindings()
	f, v, err := l.weigh(ctx, c)
	if err != nil {
		return err
	}
	if !f.Complete { // nothing is accepted unchecked: the next run judges it first
		if it.outcome.Kind == journal.OutcomeOK {
			it.outcome.Kind, it.outcome.Message = journal.OutcomeInterrupted, "ended by ralph before its work was checked"
		}
		return nil
	}
	if err := l.judgePromise(it, v); err != nil {
		return err
	}
	it.passed = v.Accepted
	by := evidence.Author{Harness: l.team.Current().Harness.Name, Model: it.outcome.Summary.Model, Session: it.outcome.Summary.Session}
	return l.accept(ctx, c, by, f, v)
}

// weigh sends a claim through the gate.
func (l *Loop) weigh(ctx context.Context, c evidence.Claim) (evidence.Facts, evidence.Verdict, error) {
	f, v, err := l.gate.Judge(ctx, c)
	l.notes.Judged(c, f, v)
	l.marks.state = f.Plan.State
	if f.Complete {
		l.marks.waiting = v.Waiting
	}
	return f, v, err
}

// accept accepts marks.
func (l *Loop) accept(ctx context.Context, c evidence.Claim, by evidence.Author, f evidence.Facts, v evidence.Verdict) error {
	if len(v.Accepted) == 0 {
		return nil
	}
	e, err := l.gate.Accept(ctx, c, by, f, v)
	if err != nil {
		return err
	}
	return l.hooks.storiesDone(ctx, l.marks.state, e)
}

// judgePromise asks the plan whether it is done with what the gate accepted.
func (l *Loop) judgePromise(it *iteration, of evidence.Verdict) error {
	v := l.marks.conclusion(of.Accepted, it.promised && !of.Weakened)
	reason, rule := v.Refused, evidence.Open
	switch {
	case reason != "":
		l.notes.First("You promised completion, and it was not accepted: " + reason + ".")
	case early(v, it.n, l.MinIterations):
		v.Done, it.tooEarly = false, true
		rule, reason = evidence.NotYet, fmt.Sprintf("iteration %d of at least %d", it.n, l.MinIterations)
		l.notes.Add("You promised completion in " + reason + ". Go over the work again, and promise again if nothing is left.")
	}
	if slices.ContainsFunc(of.Refusals, func(r evidence.Refusal) bool { return r.Claim == journal.ClaimDone }) {
		v.Done = false
	}
	it.conclusion = v
	if reason == "" {
		return nil
	}
	refusal := evidence.Refusal{Claim: journal.ClaimPromise, Rule: rule, Reason: reason}
	return l.gate.Refuse(it.n, refusal, evidence.Facts{})
}

// early reports whether the plan would be done by a promise in iteration n, which is before the
// least number of iterations.
func early(v plan.Conclusion, n, least int) bool {
	return v.Done && v.Reason == string(journal.ReasonPromise) && n < least
}
