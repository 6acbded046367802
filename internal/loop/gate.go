package loop

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"ralph/internal/check"
	"ralph/internal/evidence"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/prompt"
	"ralph/internal/run"
	"ralph/internal/stream"
	"ralph/internal/tamper"
)

// maxFindings bounds how many findings one event of the journal lists.
const maxFindings = 50

// openGate makes the gate through which every mark goes, and compares its base with what is
// there.
func (l *Loop) openGate(ctx context.Context, on evidence.OnRecord) (evidence.Move, error) {
	l.gate = &evidence.Gatherer{
		Unit: l.Unit, Run: l.Identity.Run, StateDir: l.StateDir, Branch: l.branch, Repo: l.Repo, Plan: l.Plan,
		Checks: l.Checks, Deps: l.Deps, Env: l.CheckEnv, Rules: l.Gate, Notes: l.Notes, AcceptBaseline: l.AcceptBaseline,
		Guard: l.Keeper.Get, Recorder: l.Recorder, Working: l.Working,
	}
	if err := check.Sweep(l.StateDir); err != nil {
		l.late = append(l.late, fmt.Sprintf("the clean worktree of a run that died cannot be removed: %v", err))
	}
	return l.gate.Start(ctx, on, l.Changes)
}

// hear takes note of what the agent runs, and passes the event on.
func (l *Loop) hear(e stream.Event) {
	l.gate.Hear(e)
	if l.Stream != nil {
		l.Stream(e)
	}
}

// recordBase records that the base has moved, and why: parked is the story of which nothing is
// left in it, if any.
func (l *Loop) recordBase(n int, why evidence.Move, parked string) error {
	if why == "" {
		return nil
	}
	base := l.gate.Base()
	return l.record(journal.BaseMoved{N: n, Commit: base.Commit, Work: base.Work, Reason: string(why),
		Known: l.known(), Borrowed: l.gate.Borrowed(), Parked: parked})
}

// meetPeople takes note of what people committed between two iterations.
func (l *Loop) meetPeople(ctx context.Context, it *iteration) error {
	why, err := l.gate.Meet(ctx, l.head)
	if err != nil {
		return err
	}
	l.head = it.head.Commit
	return l.recordBase(it.n, why, "")
}

// known are the findings that belong to the base.
func (l *Loop) known() []journal.TamperFinding {
	var list []journal.TamperFinding
	for _, f := range l.gate.Known() {
		if len(list) < maxFindings {
			list = append(list, journal.TamperFinding(f))
		}
	}
	return list
}

// beforeWork runs every check once before the first iteration, and judges the marks without an
// acceptance on record: of a run that died, met a limit or left the branch, or of a clone.
func (l *Loop) beforeWork(ctx context.Context) error {
	items := missing(l.state.Done(), slices.Collect(maps.Keys(l.accepted)))
	c := evidence.Claim{State: l.state, Items: items, TakenOver: overlap(items, l.takenIDs()), Boxes: l.boxes(), Allowed: l.allowed, Looked: len(items) > 0}
	f, err := l.gate.Baseline(ctx, c)
	if err := errors.Join(l.tellPlan(0, f.Plan), err); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	failed := f.Failures()
	for _, r := range failed {
		l.notes.Add(prompt.Failure(r))
	}
	if len(items) > 0 {
		c.State, c.Done = l.state, l.judged(items, false).Done
		if err := l.adopt(ctx, c); err != nil {
			return err
		}
	}
	l.gate.KeepRed()
	switch {
	case len(failed) == 0, slices.ContainsFunc(failed, func(r check.Result) bool { return r.Outside }):
		return nil // the next rule ends the run for a check that only passes outside
	case len(l.gate.Standing()) == 0:
		return l.warn("quality checks fail (%s) before any agent was called; that is accepted", l.redNames())
	}
	return l.warn("quality checks fail (%s) before any agent was called: stories can pass, but the plan is not done until they are green (or run with --accept-baseline)",
		l.redNames())
}

// adopt judges marks that no iteration of this run made.
func (l *Loop) adopt(ctx context.Context, c evidence.Claim) error {
	it := &iteration{}
	f, v, err := l.weigh(ctx, it, c)
	switch {
	case err != nil:
		return err
	case !f.Complete:
		return context.Cause(ctx)
	}
	for _, r := range v.Refusals {
		if r.Rule == evidence.NoWork || r.Rule == evidence.Weakened {
			if err := l.warn("if that is right as it is, accept it: %s", run.AllowHint(r.Items)); err != nil {
				return err
			}
		}
	}
	if len(v.Accepted) == 0 {
		return nil
	}
	if err := l.accept(ctx, it, f, v); err != nil {
		return err
	}
	return l.record(journal.PlanChanged{Stories: l.stories(), Message: "accepted what was marked before this run: " + list(v.Accepted)})
}

// claims judges what the agent marked and promised.
func (l *Loop) claims(ctx context.Context, it *iteration) error {
	state, err := l.Plan.Read()
	if err != nil {
		return err
	}
	l.state = state
	it.promised = l.team.Promised(it.outcome)
	items := l.unseen(it, state)
	if len(items) > 0 || state.Open() == 0 {
		items = append(items, missing(l.takenIDs(), items)...)
	}
	done, sofar := l.judged(items, it.promised), l.judged(nil, it.promised)
	c := evidence.Claim{N: it.n, State: state, Items: items, TakenOver: overlap(items, l.takenIDs()),
		Boxes: l.boxes(), Allowed: l.allowed, Promised: it.promised, Done: done.Done && !l.tooEarly(it, done), DoneSoFar: sofar.Done && !l.tooEarly(it, sofar),
		Looked: it.from != it.head.Commit || l.gate.Open() || l.gate.Heard()}
	f, v, err := l.weigh(ctx, it, c)
	if err != nil {
		return err
	}
	if !f.Complete {
		return l.leave(it) // nothing is accepted unchecked
	}
	if err := l.judge(it, v); err != nil {
		return err
	}
	return l.accept(ctx, it, f, v)
}

// weigh sends a claim through the gate and records what came of it.
func (l *Loop) weigh(ctx context.Context, it *iteration, c evidence.Claim) (evidence.Facts, evidence.Verdict, error) {
	f, err := l.gate.Gather(ctx, c)
	v := evidence.Weigh(c, f, l.Gate)
	if f.Looked {
		l.unseenIn = 0
		err = errors.Join(err, l.tellFindings(c.N, f.Findings))
	} else if c.N > 0 {
		l.unseenIn = c.N // it is looked at when it is committed, claimed, or the run ends
	}
	if f.Complete {
		l.waiting = v.Waiting
	}
	// What the checks did to the plan is told also where ralph failed meanwhile.
	if err := errors.Join(err, l.tellPlan(c.N, f.Plan)); err != nil {
		return f, v, err
	}
	for _, r := range f.Failures() {
		if c.N > 0 { // else the baseline has told it
			l.notes.Add(prompt.Failure(r))
		}
	}
	if len(v.Idle) > 0 {
		if err := l.record(journal.NoWork{N: c.N, Stories: v.Idle, Accepted: !l.Gate.RequireChange}); err != nil {
			return f, v, err
		}
	}
	if v.Weakened && len(f.Findings) > 0 {
		l.notes.First(prompt.Weakened(f.Findings))
	}
	if r := f.Record(); r != nil {
		if err := l.record(journal.WorkProved{N: c.N, Stories: c.Items, Proof: *r}); err != nil {
			return f, v, err
		}
		if note := prompt.Proof(f.Proof); note != "" && refusedBy(v, evidence.OldTests, evidence.NewTests, evidence.NoTestRan, evidence.Weak) {
			l.notes.Add(note)
		}
	}
	return f, v, l.refuseClaims(c.N, v.Refusals)
}

// refuseClaims revokes the marks of refused claims and records why.
func (l *Loop) refuseClaims(n int, refusals []evidence.Refusal) error {
	for _, r := range refusals {
		if r.Claim == journal.ClaimStory {
			l.settle(r.Items, true)
			if err := l.Plan.Revoke(r.Items); err != nil {
				return fmt.Errorf("the marks of %s cannot be revoked: %w", list(r.Items), err)
			}
			state, err := l.Plan.Read()
			if err != nil {
				return err
			}
			l.state = state
			l.notes.First(fmt.Sprintf("%s: marked as done, and not accepted: %s.", list(r.Items), r.Reason))
		}
		if err := l.record(journal.ClaimRejected{N: n, Claim: r.Claim, Stories: r.Items, Reason: r.Reason, Rule: string(r.Rule)}); err != nil {
			return err
		}
	}
	return nil
}

// accept records the receipts of accepted marks, then the acceptance, which is the new base.
func (l *Loop) accept(ctx context.Context, it *iteration, f evidence.Facts, v evidence.Verdict) error {
	it.passed = v.Accepted
	if len(v.Accepted) == 0 {
		return nil
	}
	var by evidence.Author
	if it.n > 0 {
		by = evidence.Author{Harness: l.team.Current().Harness.Name, Model: it.outcome.Summary.Model, Session: it.outcome.Summary.Session}
	}
	if err := l.gate.WriteReceipts(ctx, it.n, by, f, l.state, v.Accepted); err != nil {
		return err
	}
	if slices.ContainsFunc(v.Accepted, func(id string) bool { return !l.takenOver[id] }) {
		if err := l.gate.Move(ctx, f.Look); err != nil {
			return err
		}
	}
	for _, id := range v.Accepted {
		l.accepted[id] = true
		delete(l.takenOver, id)
	}
	l.settle(v.Accepted, false)
	base := l.gate.Base()
	e := journal.ClaimAccepted{N: it.n, Stories: v.Accepted, Rule: string(v.Rule), Commit: base.Commit, Work: base.Work, Known: l.known(), Borrowed: l.gate.Borrowed()}
	if err := l.record(e); err != nil {
		return err
	}
	return l.hooks.storiesDone(ctx, l.state, e)
}

// unseen returns the marks that were not judged: made in the iteration, or by somebody else
// since the one before it.
func (l *Loop) unseen(it *iteration, now plan.State) []string {
	before := it.before.Done()
	return slices.DeleteFunc(now.Done(), func(id string) bool {
		return (l.accepted[id] || l.takenOver[id]) && slices.Contains(before, id)
	})
}

// reopen forgets the marks that are gone: made again, they are judged again.
func (l *Loop) reopen(now plan.State) {
	done := now.Done()
	gone := func(id string, _ bool) bool { return !slices.Contains(done, id) }
	maps.DeleteFunc(l.accepted, gone)
	maps.DeleteFunc(l.takenOver, gone)
}

// leave ends an iteration that was cut off before its marks were judged: the next run does
// that first.
func (l *Loop) leave(it *iteration) error {
	if it.outcome.Kind == journal.OutcomeOK {
		it.outcome.Kind, it.outcome.Message = journal.OutcomeInterrupted, "ended by ralph before its work was checked"
	}
	return nil
}

// counted is the plan with the marks that count.
func (l *Loop) counted() plan.State { return l.with(nil) }

// with is the plan with the marks that count, and those of items.
func (l *Loop) with(items []string) plan.State {
	s := l.state
	s.Items = slices.Clone(s.Items)
	for i := range s.Items {
		it := &s.Items[i]
		it.Done = it.Done && (l.accepted[it.ID] || slices.Contains(items, it.ID))
	}
	return s
}

// judged is the plan's verdict where the items are accepted.
func (l *Loop) judged(items []string, promised bool) plan.Verdict {
	return l.Plan.Judge(l.with(items), promised, l.TrustPromise)
}

func (l *Loop) tooEarly(it *iteration, v plan.Verdict) bool {
	return v.Done && v.Reason == string(journal.ReasonPromise) && it.n < l.MinIterations
}

// judge asks the plan for its verdict, with what the gate accepted.
func (l *Loop) judge(it *iteration, of evidence.Verdict) error {
	v := l.judged(of.Accepted, it.promised && !of.Weakened)
	switch {
	case v.Refused != "":
		l.notes.First("You promised completion, and it was not accepted: " + v.Refused + ".")
		if err := l.record(journal.ClaimRejected{N: it.n, Claim: journal.ClaimPromise, Reason: v.Refused}); err != nil {
			return err
		}
	case l.tooEarly(it, v):
		v.Done, it.tooEarly = false, true
		reason := fmt.Sprintf("iteration %d of at least %d", it.n, l.MinIterations)
		l.notes.Add("You promised completion in " + reason + ". Go over the work again, and promise again if nothing is left.")
		if err := l.record(journal.ClaimRejected{N: it.n, Claim: journal.ClaimPromise, Reason: reason}); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(of.Refusals, func(r evidence.Refusal) bool { return r.Claim == journal.ClaimDone }) {
		v.Done = false
	}
	it.verdict = v
	return nil
}

// tellPlan records what the checks changed of the plan.
func (l *Loop) tellPlan(n int, after evidence.PlanAfter) error {
	for _, r := range after.Restored {
		l.notes.Add(fmt.Sprintf("`%s` was put back: %s while the quality checks ran. Code of the project must not touch the plan.", r.Path, r.What))
		if err := l.record(journal.PlanRestored{N: n, Path: r.Path, What: r.What + " while the quality checks ran", Kept: r.Kept}); err != nil {
			return err
		}
	}
	if len(after.Opened) > 0 {
		if err := l.warn("%s: set back to open while the quality checks ran", list(after.Opened)); err != nil {
			return err
		}
	}
	l.state = after.State
	return nil
}

// tellFindings records what weakens the evidence, or that it is as it was.
func (l *Loop) tellFindings(n int, found []tamper.Finding) error {
	accepted := !l.Gate.RejectWeakened
	switch {
	case len(found) > 0:
		if err := l.record(tamperEvent(n, l.gate.Base().Commit, found, accepted)); err != nil {
			return err
		}
	case l.gate.Open():
		undone := journal.TamperFound{N: n, Findings: []journal.TamperFinding{}, Accepted: true, Base: l.gate.Base().Commit}
		if err := l.record(undone); err != nil {
			return err
		}
	}
	l.gate.Told(found, accepted)
	return nil
}

// lookLast inspects what the last iterations left uncommitted and unclaimed: for the next run
// it would be what a person left before it.
func (l *Loop) lookLast(ctx context.Context) error {
	if l.unseenIn == 0 {
		return nil
	}
	found, err := l.gate.Inspect(ctx)
	if err != nil {
		return err
	}
	return l.tellFindings(l.unseenIn, found)
}

func tamperEvent(n int, base string, found []tamper.Finding, accepted bool) journal.TamperFound {
	e := journal.TamperFound{N: n, Accepted: accepted, Base: base, More: max(0, len(found)-maxFindings)}
	for _, f := range found[:min(maxFindings, len(found))] {
		e.Findings = append(e.Findings, journal.TamperFinding(f))
	}
	return e
}

// refusedBy reports whether one of the rules refused something.
func refusedBy(v evidence.Verdict, rules ...evidence.Rule) bool {
	return slices.ContainsFunc(v.Refusals, func(r evidence.Refusal) bool { return slices.Contains(rules, r.Rule) })
}

func (l *Loop) redNames() string { return list(l.gate.Failing()) }

// overlap returns the elements of a that are in b, in their order.
func overlap(a, b []string) []string { return missing(a, missing(a, b)) }
