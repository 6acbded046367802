package loop

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ralph/internal/check"
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
	print, err := l.Repo.WorktreeHash(context.WithoutCancel(ctx), derived...)
	if err != nil {
		return err
	}
	l.work = print
	return nil
}

// requireWork flags stories that were marked with nothing changed for them, and
// takes their marks back where a change is required. It returns what is left.
func (l *Loop) requireWork(ctx context.Context, it *iteration, newly []string) ([]string, error) {
	if len(newly) == 0 || l.Plan.CommitIsProgress() {
		return newly, nil
	}
	now, err := l.Repo.WorktreeHash(context.WithoutCancel(ctx), derived...)
	it.work = now
	if err != nil || now != l.work {
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
	failed, err := l.runChecks(ctx, it.n, string(at), check.Due(l.Checks, at))
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, nil // what was not checked to the end is not accepted
	}
	var against []check.Result
	for _, r := range failed {
		l.notes.add(failure(r))
		if !l.red[r.Check.Name] {
			against = append(against, r)
		}
	}
	if len(against) > 0 && len(newly) > 0 {
		return nil, l.reject(it.n, newly, against[0].String())
	}
	return newly, nil
}

// runChecks runs checks one after the other and returns those that failed.
func (l *Loop) runChecks(ctx context.Context, n int, phase string, due []check.Check) ([]check.Result, error) {
	var failed []check.Result
	for _, c := range due {
		g, err := l.guard()
		if err != nil {
			return nil, err
		}
		r, err := check.Run(ctx, g, c, l.Repo.Root, l.CheckEnv)
		if err != nil {
			return nil, err
		}
		if err := l.record(journal.CheckEnded{N: n, Phase: phase, Name: c.Name, Command: c.Command, Outcome: string(r.Outcome),
			ExitCode: r.ExitCode, DurationSeconds: r.Duration.Seconds(), Tail: r.Tail}); err != nil {
			return nil, err
		}
		switch {
		case r.Outcome == check.Interrupted:
			return failed, nil
		case r.Green():
			delete(l.red, c.Name)
			delete(l.failing, c.Name)
		default:
			l.failing[c.Name] = true
			failed = append(failed, r)
		}
	}
	return failed, nil
}

// baseline runs every check once before the first iteration, and has marks
// checked that a run left behind without accepting them.
func (l *Loop) baseline(ctx context.Context) error {
	l.failing = map[string]bool{}
	open := missing(l.state.Done(), slices.Collect(maps.Keys(l.accepted)))
	if len(l.Checks) == 0 {
		return l.adopt(open)
	}
	failed, err := l.runChecks(ctx, 0, "baseline", l.Checks)
	if err != nil {
		return err
	}
	if err := cause(ctx); err != nil {
		return err
	}
	var fresh []check.Result
	for _, r := range failed {
		l.notes.add(failure(r))
		if !l.red[r.Check.Name] {
			fresh = append(fresh, r)
		}
	}
	if len(open) > 0 && len(fresh) > 0 {
		// The marks come from an iteration that was cut off: the failure is as
		// likely its doing as anybody's.
		return l.reject(0, open, fresh[0].String())
	}
	for _, r := range failed {
		l.red[r.Check.Name] = true
	}
	if err := l.adopt(open); err != nil || len(failed) == 0 {
		return err
	}
	if len(l.standing()) == 0 {
		return l.warn("quality checks fail (%s) before any agent was called; that is accepted", l.redNames())
	}
	return l.warn("quality checks fail (%s) before any agent was called: stories can pass, but the plan is not done until they are green (or run with --accept-baseline)",
		l.redNames())
}

// adopt accepts marks of an earlier run that nothing speaks against.
func (l *Loop) adopt(ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	for _, id := range ids {
		l.accepted[id] = true
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
	l.notes.add(fmt.Sprintf("%s: marked as done, and not accepted: %s.", list(ids), reason))
	return l.record(journal.ClaimRejected{N: n, Claim: "story", Stories: ids, Reason: reason})
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
	failed, err := l.runChecks(ctx, it.n, string(check.End), last)
	if err != nil {
		return err
	}
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
	if err := l.record(journal.ClaimRejected{N: it.n, Claim: "done", Reason: reason}); err != nil {
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
	return fmt.Sprintf("Quality %s (`%s`). The end of its output:\n\n```\n%s\n```", r, r.Check.Command, tail)
}
