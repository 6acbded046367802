package loop

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"ralph/internal/check"
	"ralph/internal/journal"
	"ralph/internal/plan"
)

// claims holds what the agent marked and promised against the evidence.
func (l *Loop) claims(ctx context.Context, it *iteration) (err error) {
	defer func() { err = firstErr(err, l.dropClean(ctx, it)) }()
	state, err := l.Plan.Read()
	if err != nil {
		return err
	}
	l.state = state
	newly := l.unseen(it, state)
	it.promised = l.team.Promised(it.outcome)
	if newly, err = l.requireWork(ctx, it, newly); err != nil {
		return err
	}
	if newly, err = l.requireEvidence(ctx, it, newly); err != nil {
		return err
	}
	if newly, err = l.requireCommit(ctx, it, newly); err != nil {
		return err
	}
	if context.Cause(ctx) != nil && len(l.Checks) > 0 {
		return l.leave(it) // nothing is accepted unchecked
	}
	at := check.Every
	if len(newly) > 0 || it.promised || l.Plan.Judge(l.state, false, false).Done {
		at = check.Claim
	}
	if newly, err = l.check(ctx, it, at, newly); err != nil {
		return err
	}
	if context.Cause(ctx) != nil && len(l.Checks) > 0 {
		return l.leave(it)
	}
	it.passed = newly
	l.accept(it)
	if err := l.judge(it); err != nil {
		return err
	}
	if err := l.confirm(ctx, it); err != nil {
		return err
	}
	return l.receipts(ctx, it)
}

// unseen returns the items that are marked and that nobody has looked at: marked in
// the iteration, or by somebody else since the one before it.
func (l *Loop) unseen(it *iteration, now plan.State) []string {
	before := it.before.Done()
	return slices.DeleteFunc(now.Done(), func(id string) bool { return l.accepted[id] && slices.Contains(before, id) })
}

// leave ends an iteration that was cut off before its marks were looked at: the
// next run does that first.
func (l *Loop) leave(it *iteration) error {
	if it.outcome.Kind == journal.OutcomeOK {
		it.outcome.Kind, it.outcome.Message = journal.OutcomeInterrupted, "ended by ralph before its work was checked"
	}
	return nil
}

// accept believes the marks that are left from now on.
func (l *Loop) accept(it *iteration) {
	for _, id := range it.passed {
		l.accepted[id] = true
	}
	if len(it.passed) > 0 && it.work != "" {
		l.work, l.workHead = it.work, it.head.Commit
		l.works = append(l.works, it.work)
	}
}

// reopen takes note of the marks that somebody has taken back: who sets them again is
// to be held against the evidence again.
func (l *Loop) reopen(now plan.State) {
	done := now.Done()
	maps.DeleteFunc(l.accepted, func(id string, _ bool) bool { return !slices.Contains(done, id) })
}

// judge asks the plan for its verdict and holds what else must be true against it.
func (l *Loop) judge(it *iteration) error {
	v := l.Plan.Judge(l.state, it.promised && !it.tampered, l.TrustPromise)
	switch {
	case v.Refused != "":
		l.notes.first("You promised completion, and it was not accepted: " + v.Refused + ".")
		if err := l.record(journal.ClaimRejected{N: it.n, Claim: journal.ClaimPromise, Reason: v.Refused}); err != nil {
			return err
		}
	case v.Done && v.Reason == string(journal.ReasonPromise) && it.n < l.MinIterations:
		v.Done = false
		reason := fmt.Sprintf("iteration %d of at least %d", it.n, l.MinIterations)
		l.notes.add("You promised completion in " + reason + ". Go over the work again, and promise again if nothing is left.")
		if err := l.record(journal.ClaimRejected{N: it.n, Claim: journal.ClaimPromise, Reason: reason}); err != nil {
			return err
		}
	}
	it.verdict = v
	return nil
}
