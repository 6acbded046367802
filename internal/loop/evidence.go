package loop

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ralph/internal/check"
	"ralph/internal/git"
	"ralph/internal/journal"
)

// derived are the paths that do not count as work: the plan itself and what
// ralph writes for others.
var derived = []string{".ralph", ".ito/.state", ".claude/loop-state.json", ".claude/ralph-loop.log", ".claude/ralph-terminal.pid"}

// measureWork remembers how the worktree looks when the run begins. Later it is
// how it looked when a story was last accepted.
func (l *Loop) measureWork(ctx context.Context) error {
	if l.Plan.CommitIsProgress() {
		return nil // only a story needs work behind it
	}
	l.working("reading the worktree")
	ctx = context.WithoutCancel(ctx)
	var look git.Look
	var err error
	if l.Changes != nil {
		look, err = l.Repo.LookKnowing(ctx, *l.Changes, derived...)
	} else {
		look, err = l.Repo.Look(ctx, derived...)
	}
	if err != nil {
		return err
	}
	l.work = look.Hash
	return nil
}

// requireWork flags stories that were marked with nothing changed for them, and
// takes their marks back where a change is required. It returns what is left.
func (l *Loop) requireWork(ctx context.Context, it *iteration, newly []string) ([]string, error) {
	if len(newly) == 0 || l.Plan.CommitIsProgress() {
		return newly, nil
	}
	now, err := l.look(ctx, it)
	it.work = now.Hash
	if err != nil {
		return newly, err
	}
	if idle, err := l.idle(ctx, it, now.Hash); err != nil || !idle {
		return newly, err
	}
	if err := l.record(journal.NoWork{N: it.n, Stories: newly, Accepted: !l.RequireChange}); err != nil {
		return newly, err
	}
	if !l.RequireChange {
		return newly, nil
	}
	return nil, l.reject(it.n, newly, "nothing outside of the plan was changed for it")
}

// check runs the checks that are due, records them and takes marks back that a
// failure speaks against. It returns the items that are left.
func (l *Loop) check(ctx context.Context, it *iteration, at check.When, newly []string) ([]string, error) {
	due := check.Due(l.Checks, at)
	var results []check.Result
	var err error
	if len(newly) > 0 || l.Plan.Judge(l.state, false, false).Done {
		results, err = l.prove(ctx, it, at, due)
	} else {
		results, err = l.runInPlace(ctx, it, journal.Phase(at), due)
	}
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, nil // what was not checked to the end is not accepted
	}
	var against []check.Result
	for _, r := range failures(results) {
		if it.n > 0 { // else the baseline has told of it
			l.notes.add(failure(r))
		}
		if !l.red[r.Check.Name] {
			against = append(against, r)
		}
	}
	newly = slices.DeleteFunc(newly, func(id string) bool { return !slices.Contains(l.state.Done(), id) })
	if len(against) > 0 && len(newly) > 0 {
		reason := against[0].String()
		if against[0].Commit != "" && it.proof.partly {
			reason += ", " + it.proof.why
		}
		return nil, l.reject(it.n, newly, reason)
	}
	return newly, nil
}

func failures(results []check.Result) []check.Result {
	return slices.DeleteFunc(slices.Clone(results), check.Result.Green)
}

// baseline runs every check once before the first iteration, and has marks
// checked that a run left behind without accepting them.
func (l *Loop) baseline(ctx context.Context) error {
	l.failing = map[string]bool{}
	open, err := l.adoptable(ctx, missing(l.state.Done(), slices.Collect(maps.Keys(l.accepted))))
	if err != nil {
		return err
	}
	it := &iteration{}
	results, err := l.runInPlace(ctx, it, baselinePhase, l.Checks)
	if err := firstErr(err, context.Cause(ctx)); err != nil {
		return err
	}
	failed := failures(results)
	var fresh []check.Result
	for _, r := range failed {
		l.notes.add(failure(r))
		if !l.red[r.Check.Name] {
			fresh = append(fresh, r)
		}
		l.proofs.before[r.Check.Name] = true
	}
	if len(open) > 0 && len(fresh) > 0 {
		// The marks come from an iteration that was cut off: the failure is as
		// likely its doing as anybody's.
		return l.reject(0, open, fresh[0].String())
	}
	for _, r := range failed {
		l.red[r.Check.Name] = true
	}
	if err := l.adopt(ctx, it, open); err != nil || len(failed) == 0 {
		return err
	}
	if len(l.standing()) == 0 {
		return l.warn("quality checks fail (%s) before any agent was called; that is accepted", l.redNames())
	}
	return l.warn("quality checks fail (%s) before any agent was called: stories can pass, but the plan is not done until they are green (or run with --accept-baseline)",
		l.redNames())
}

// adopt proves marks of an earlier run, and accepts those that nothing speaks
// against.
func (l *Loop) adopt(ctx context.Context, it *iteration, ids []string) (err error) {
	defer func() { err = firstErr(err, l.dropClean(ctx, it)) }()
	if ids, err = l.requireCommit(ctx, it, ids); err != nil || len(ids) == 0 {
		return err
	}
	ids, err = l.check(ctx, it, check.Claim, ids)
	if err := firstErr(err, context.Cause(ctx)); err != nil || len(ids) == 0 {
		return err
	}
	for _, id := range ids {
		l.accepted[id] = true
	}
	it.passed = ids
	if err := l.receipts(ctx, it); err != nil {
		return err
	}
	return l.record(journal.PlanChanged{Stories: l.stories(),
		Message: "accepted what an iteration that was cut off had finished: " + list(ids)})
}

// reject takes the marks of items back and says why.
func (l *Loop) reject(n int, ids []string, reason string) error {
	if err := l.Plan.Revoke(ids); err != nil {
		return fmt.Errorf("the marks of %s cannot be taken back: %w", list(ids), err)
	}
	state, err := l.Plan.Read()
	if err != nil {
		return err
	}
	l.state = state
	l.notes.first(fmt.Sprintf("%s: marked as done, and not accepted: %s.", list(ids), reason))
	return l.record(journal.ClaimRejected{N: n, Claim: journal.ClaimStory, Stories: ids, Reason: reason})
}

// standing returns the names of the checks whose failure keeps the plan from
// being done.
func (l *Loop) standing() []string {
	var names []string
	for _, c := range l.Checks {
		accepted := l.red[c.Name] && (l.AcceptBaseline || c.AcceptBaseline)
		if l.failing[c.Name] && !accepted {
			names = append(names, c.Name)
		}
	}
	return names
}

func (l *Loop) redNames() string { return list(slices.Sorted(maps.Keys(l.failing))) }

// confirm holds a plan that would be done against the checks: those that run
// only at the end, and those that have been failing since before the run.
func (l *Loop) confirm(ctx context.Context, it *iteration) error {
	if !it.verdict.Done || len(l.Checks) == 0 {
		return nil
	}
	var last []check.Check
	for _, c := range l.Checks {
		if c.When == check.End {
			last = append(last, c)
		}
	}
	results, err := l.prove(ctx, it, check.End, last)
	if err != nil {
		return err
	}
	failed := failures(results)
	for _, r := range failed {
		l.notes.add(failure(r))
	}
	if ctx.Err() != nil {
		it.verdict.Done = false
		return nil
	}
	standing := l.standing()
	if len(standing) == 0 {
		return nil
	}
	it.verdict.Done = false
	reason := "quality checks fail: " + list(standing)
	if err := l.record(journal.ClaimRejected{N: it.n, Claim: journal.ClaimDone, Reason: reason}); err != nil {
		return err
	}
	var against []string
	for _, r := range failed {
		if !l.red[r.Check.Name] && len(it.passed) > 0 {
			against = it.passed
		}
	}
	if len(against) > 0 {
		it.passed = nil
		for _, id := range against {
			delete(l.accepted, id)
		}
		return l.reject(it.n, against, reason)
	}
	return nil
}

// failure is what the agent is told about a check, bounded.
func failure(r check.Result) string {
	const most = 3000
	tail := r.Tail
	if len(tail) > most {
		tail = "…" + strings.ToValidUTF8(tail[len(tail)-most:], "")
	}
	fence := "```"
	for strings.Contains(tail, fence) {
		fence += "`" // what a check prints stays inside
	}
	where := ""
	if r.Commit != "" {
		where = " That worktree holds what is committed and nothing else: no file that git ignores, none that was forgotten."
	}
	return fmt.Sprintf("Quality %s (`%s`).%s The end of its output:\n\n%s\n%s\n%s", r, r.Check.Command, where, fence, tail, fence)
}
