package loop

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"ralph/internal/agent"
	"ralph/internal/breaker"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/stream"
)

// iteration is one session of the agent and what came of it.
type iteration struct {
	n         int
	before    plan.State
	head      git.Head
	from      string // the commit it began at
	outcome   agent.Outcome
	overloads int
	gaveUp    bool          // after so many overloads in a row
	tokens    stream.Tokens // of the whole run before it
	cost      *float64

	commits  []string
	passed   []string // newly marked, and accepted
	promised bool
	early    bool // it promised, and was asked to go over the work again
	verdict  plan.Verdict
	moved    string // why the branch is not what it was, empty where it is
	closed   bool   // it is on record
}

// iteration runs iteration n; the end is nil where the run goes on.
func (l *Loop) iteration(ctx context.Context, n int) (*End, error) {
	it := &iteration{n: n, tokens: l.team.Tokens, cost: l.team.Cost}
	end, err := l.play(ctx, it)
	if err != nil {
		l.abandon(it, err)
	}
	return end, err
}

// abandon records an iteration that ralph's own trouble cut off after the agent
// had worked. None of its marks is accepted: the next run looks at them.
func (l *Loop) abandon(it *iteration, err error) {
	if it.closed || !it.counts(func() bool { return false }) {
		return
	}
	done, total := l.counted().Counts()
	// Where the journal itself is the trouble, the run's end tells.
	_ = l.Recorder.Surely(journal.IterationEnded{
		N: it.n, Outcome: journal.OutcomeInterrupted, Error: err.Error(), ExitCode: it.outcome.Exit.Code, Head: it.head.Commit,
		Commits: nonNil(it.commits), StoriesPassed: []string{}, StoriesComplete: done, StoriesTotal: total,
		NoProgress: l.breaker.NoProgress, SameError: l.breaker.SameError, Tokens: sub(l.team.Tokens, it.tokens),
		TokensEstimated: it.outcome.Summary.Estimated, CostUSD: spent(l.team.Cost, it.cost),
		LogFile: filepath.Join(l.LogDir, fmt.Sprintf("iteration-%d.log", it.n)),
	})
}

// play is the iteration itself.
func (l *Loop) play(ctx context.Context, it *iteration) (*End, error) {
	if err := l.open(ctx, it); err != nil {
		return nil, err
	}
	limit, turnErr := l.turn(ctx, it)
	l.unseenIn = it.n
	l.gate.Worked()
	l.notes.forget() // from here on they are about this iteration
	if err := l.history(ctx, it); err != nil {
		return nil, errors.Join(turnErr, err)
	}
	if it.moved != "" {
		return l.close(ctx, it) // what is here now is another branch's: nothing of it is touched
	}
	// Whatever became of the agent, the plan is put in order before anybody looks
	// at it, and before the run may end.
	if err := l.protect(it); err != nil {
		return nil, errors.Join(turnErr, err)
	}
	if !it.counts(func() bool { return l.marked(it) }) {
		return limit, turnErr
	}
	end, err := l.evaluate(ctx, it)
	switch {
	case turnErr != nil:
		return nil, turnErr
	case end != nil || err != nil:
		return end, err
	}
	return limit, nil
}

// counts reports whether what the turn came to is an iteration: not where the
// agent never ran, nor where the provider only refused the call, unless the
// agent had marked something before it met the limit.
func (it *iteration) counts(marked func() bool) bool {
	switch it.outcome.Kind {
	case "":
		return false
	case journal.OutcomeUsageLimit:
		return marked()
	case journal.OutcomeTransient:
		return it.gaveUp || marked()
	}
	return true
}

// open remembers everything that the iteration is held against.
func (l *Loop) open(ctx context.Context, it *iteration) error {
	state, err := l.Plan.Read()
	if err != nil {
		return err
	}
	if it.head, err = l.Repo.Head(ctx); err != nil {
		return err
	}
	if it.head.Commit != l.head {
		if err := l.meetPeople(ctx, it); err != nil {
			return err
		}
	}
	l.state, it.before, it.from = state, state, it.head.Commit
	l.reopen(state)
	if err := l.Plan.Snapshot(filepath.Join(l.StateDir, "snapshot")); err != nil {
		return err
	}
	e := journal.IterationStarted{N: it.n, Head: it.head.Commit}
	if next := state.Next; next != nil {
		e.Story = &journal.Story{ID: next.ID, Title: next.Title}
	}
	return l.record(e)
}

// protect lets the guard put the plan back in order.
func (l *Loop) protect(it *iteration) error {
	restored, err := l.Plan.Guard(fmt.Sprintf("%s-%d", l.Identity.Run, it.n))
	if err != nil {
		return err
	}
	for _, r := range restored {
		if l.handedOver(r) {
			r.What = "edited by a person, for the new plan that comes next"
		} else {
			l.notes.add(fmt.Sprintf("`%s` was put back: %s. %s", r.Path, r.What, l.Plan.Allowed()))
		}
		if err := l.record(journal.PlanRestored{N: it.n, Path: r.Path, What: r.What, Kept: r.Kept}); err != nil {
			return err
		}
	}
	return nil
}

// marked reports whether anything is marked that nobody has looked at.
func (l *Loop) marked(it *iteration) bool {
	now, err := l.Plan.Read()
	return err == nil && len(l.unseen(it, now)) > 0
}

// evaluate finds out what the iteration achieved, records it and says whether
// the run ends with it.
func (l *Loop) evaluate(ctx context.Context, it *iteration) (*End, error) {
	if err := l.newPlan(); err != nil {
		return nil, err
	}
	if err := l.takeAllowed(); err != nil {
		return nil, err
	}
	if err := l.claims(ctx, it); err != nil {
		return nil, err
	}
	return l.close(ctx, it)
}

// history finds the commits of the iteration, and whether the branch is still
// the one that the run began on.
func (l *Loop) history(ctx context.Context, it *iteration) error {
	ctx = context.WithoutCancel(ctx) // told to stop or not, the record is complete
	head, err := l.Repo.Head(ctx)
	if err != nil {
		return err
	}
	before := it.head
	it.head, l.head = head, head.Commit
	if head == before {
		return nil
	}
	gained, lost, err := l.Repo.Moved(ctx, before.Commit, head.Commit)
	if err != nil {
		return err
	}
	it.commits = gained
	switch {
	case head.Branch != l.branch:
		it.moved = fmt.Sprintf("the agent left the branch %s for %s", l.branch, orDetached(head.Branch))
	case len(lost) > 0:
		l.gate.Rewound()
		l.notes.add("Commits that were there before are no longer in the branch. Never rewrite or reset commits.")
		return l.record(journal.HeadMoved{N: it.n, From: before.Commit, To: head.Commit, Branch: head.Branch,
			Message: fmt.Sprintf("the agent took %s back; find them with: git log %s", count(len(lost), "commit"), before.Commit[:12])})
	}
	if it.moved != "" {
		return l.record(journal.HeadMoved{N: it.n, From: before.Commit, To: head.Commit, Branch: head.Branch, Message: it.moved})
	}
	return nil
}

func orDetached(branch string) string {
	if branch == "" {
		return "a detached HEAD"
	}
	return branch
}

// close records the iteration and decides how the run goes on.
func (l *Loop) close(ctx context.Context, it *iteration) (*End, error) {
	fresh := false
	for _, id := range it.passed {
		fresh = fresh || !l.ever[id]
		l.ever[id] = true
	}
	progress := fresh || it.early || l.Plan.CommitIsProgress() && len(it.commits) > 0
	trouble := ""
	if it.outcome.Kind != journal.OutcomeOK {
		trouble = it.outcome.Message
		l.notes.add("The last iteration ended with an error: " + trouble)
	}
	if hindrance := it.hindrance(); hindrance != "" {
		trouble = hindrance
		l.notes.add("The last iteration did nothing that counts: " + hindrance + ". Nobody can answer or approve anything here.")
		if len(it.outcome.Summary.Denied) == 0 { // that was said already
			if err := l.warn("%s; %s", hindrance, it.outcome.Hint); err != nil {
				return nil, err
			}
		}
	}
	thresholds := breaker.Thresholds{NoProgress: l.NoProgress, SameError: l.SameError, Duds: l.Duds}
	verdict := l.breaker.Step(thresholds, progress, trouble)
	why := stuck(journal.Reason(verdict.Reason), verdict.Count)
	if v := l.breaker.CountDud(thresholds, it.dud()); v.Open && !verdict.Open {
		verdict, why = v, fmt.Sprintf("the agent ended within seconds, without a token, %d times in a row: %s", v.Count, it.outcome.Message)
	}
	done, total := l.counted().Counts()
	e := journal.IterationEnded{
		N: it.n, Outcome: it.outcome.Kind, Error: trouble, ExitCode: it.outcome.Exit.Code, Head: it.head.Commit,
		Commits: nonNil(it.commits), StoriesPassed: nonNil(it.passed), StoriesComplete: done, StoriesTotal: total,
		Progress: progress, NoProgress: l.breaker.NoProgress, SameError: l.breaker.SameError,
		Promised: it.promised, Done: it.verdict.Done, Tokens: sub(l.team.Tokens, it.tokens),
		TokensEstimated: it.outcome.Summary.Estimated, CostUSD: spent(l.team.Cost, it.cost),
		LogFile: filepath.Join(l.LogDir, fmt.Sprintf("iteration-%d.log", it.n)), ChangedFiles: l.changedFiles(ctx, it),
	}
	if next := l.state.Next; next != nil {
		e.CurrentStory = &journal.Story{ID: next.ID, Title: next.Title}
	}
	if err := l.record(e); err != nil {
		return nil, err
	}
	it.closed = true
	if end := l.endAfter(ctx, it); end != nil {
		return end, nil
	}
	if verdict.Open {
		return l.openedBreaker(verdict, why, it.outcome.Hint)
	}
	return l.overBudget(), nil
}

// hindrance is what kept the agent from working, empty where it left anything
// behind or nothing is known.
func (it *iteration) hindrance() string {
	if it.outcome.Kind != journal.OutcomeOK || len(it.commits) > 0 || len(it.passed) > 0 || it.promised {
		return ""
	}
	return it.outcome.Message
}

// atOnce is how soon an agent that has done nothing must have ended to be a dud.
const atOnce = 10 * time.Second

// dud reports whether the agent ended by itself within seconds and did nothing: it
// failed, or said nothing at all, before its model had written a token.
func (it *iteration) dud() bool {
	o := it.outcome
	if o.Duration > atOnce || o.Summary.Tokens != (stream.Tokens{}) || len(it.commits) > 0 || len(it.passed) > 0 {
		return false
	}
	return o.Kind == journal.OutcomeError || o.Kind == journal.OutcomeCrash || o.Kind == journal.OutcomeOK && strings.TrimSpace(o.Final) == ""
}

// endAfter is the end that an iteration brings by itself.
func (l *Loop) endAfter(ctx context.Context, it *iteration) *End {
	switch {
	case context.Cause(ctx) != nil:
		end := told(ctx)
		return &end
	case it.moved != "":
		return &End{Reason: journal.ReasonBranchChanged, Message: it.moved, Hint: "look at what it did there, then: git switch " + stream.ShellWord(l.branch)}
	case it.verdict.Done:
		return l.done(it.verdict)
	case it.verdict.Waiting:
		return l.waitingForAnswers()
	case l.onlyTaken():
		return l.waitingForTaken()
	case it.outcome.Kind == journal.OutcomeAuth:
		return &End{Reason: journal.ReasonAuth, Message: it.outcome.Message, Hint: it.outcome.Hint}
	}
	return nil
}

// done is the end of a plan that is done.
func (l *Loop) done(v plan.Verdict) *End {
	end := &End{Reason: journal.Reason(v.Reason), Message: l.left()}
	if end.Reason == journal.ReasonPromise {
		end.Message = "the agent promised completion"
	}
	return end
}

func (l *Loop) overBudget() *End {
	switch {
	case l.MaxTokens > 0 && l.team.Tokens.Total() >= l.MaxTokens:
		return &End{Reason: journal.ReasonBudget, Message: fmt.Sprintf("%d tokens are spent, the budget is %d; %s", l.team.Tokens.Total(), l.MaxTokens, l.left()),
			Hint: "go on with a new budget: ralph run --max-tokens N"}
	case l.MaxCost > 0 && l.team.Cost != nil && *l.team.Cost >= l.MaxCost:
		return &End{Reason: journal.ReasonBudget, Message: fmt.Sprintf("$%.2f are spent, the budget is $%.2f; %s", *l.team.Cost, l.MaxCost, l.left()),
			Hint: "go on with a new budget: ralph run --max-cost USD"}
	}
	return nil
}

func sub(a, b stream.Tokens) stream.Tokens {
	return stream.Tokens{Input: a.Input - b.Input, Output: a.Output - b.Output,
		CacheRead: a.CacheRead - b.CacheRead, CacheWrite: a.CacheWrite - b.CacheWrite}
}

// spent is what the cost of the run grew by, nil where it is not known.
func spent(now, before *float64) *float64 {
	if now == nil {
		return nil
	}
	d := *now
	if before != nil {
		d = stream.AddCost(d, -*before)
	}
	return &d
}

func nonNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
