package loop

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"ralph/internal/agent"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/recorder"
	"ralph/internal/run"
	"ralph/internal/stream"
	"ralph/internal/words"
)

// iteration is one iteration, and what came of it.
type iteration struct {
	n        int
	before   plan.State
	head     git.Head
	from     string // the commit before it
	attempts int
	outcome  agent.Outcome // of the last one that may count

	commits    []string
	passed     []string // newly marked, and accepted
	promised   bool
	tooEarly   bool // the promise would have ended the run, but for --min-iterations
	conclusion plan.Conclusion
	moved      string // why the branch is not what it was, empty where it is
	settled    bool   // its commits are found, and the plan is restored
	judged     bool   // it is being judged, or was
}

// open starts an iteration, and keeps what it is compared with.
func (l *Loop) open(ctx context.Context, step run.Step) error {
	upcoming := journal.IterationStarted{N: step.N, Head: l.head, Story: l.marks.next(l.Recorder.Position())}
	if err := l.hooks.before(ctx, "before_iteration", l.Hooks.BeforeIteration, upcoming); err != nil {
		return err
	}
	if err := l.marks.read(); err != nil {
		return err
	}
	head, err := l.Repo.Head(ctx)
	if err != nil {
		return err
	}
	it := &iteration{n: step.N, head: head, before: l.marks.state, from: head.Commit}
	if head.Commit != l.head {
		why, err := l.gate.TakeUserChanges(ctx, l.head)
		if err != nil {
			return err
		}
		l.head = head.Commit
		if err := l.gate.RecordBase(it.n, why, ""); err != nil {
			return err
		}
	}
	if gone := l.marks.gone(); len(gone) > 0 {
		reopened := journal.PlanChanged{Stories: l.marks.stories(), Reopened: gone, Message: "no longer marked as done: " + strings.Join(gone, ", ")}
		if err := l.Recorder.Record(reopened); err != nil {
			return err
		}
	}
	if err := l.parker.Compare(ctx); err != nil {
		return err
	}
	if err := l.Plan.Snapshot(l.StateDir); err != nil {
		return err
	}
	kept, err := l.keepState(ctx, it)
	if err != nil {
		return err
	}
	l.it, l.turn = it, turn{}
	started := journal.IterationStarted{N: it.n, Head: head.Commit, Story: l.marks.next(l.Recorder.Position()), State: kept, Mixed: l.parker.Mixed}
	l.parker.Mixed = ""
	return errors.Join(l.Recorder.Record(started), l.parker.NoteWorktree(ctx))
}

// depart restores the plan before a run ends with an open iteration. The end has to be decided
// again if the agent has left the branch.
func (l *Loop) depart(ctx context.Context) (again bool, err error) {
	if l.it == nil {
		return false, nil
	}
	if err := l.afterAgent(ctx); err != nil {
		return false, l.wrapUp(ctx, err)
	}
	if l.it.moved == "" {
		return false, nil
	}
	return true, l.close(ctx, l.it)
}

// wrapUp finishes the open iteration after an error of ralph. It judges what the agent did if
// possible, else records it as it is. It returns the error.
func (l *Loop) wrapUp(ctx context.Context, trouble error) error {
	if l.it == nil {
		return trouble
	}
	counts := l.counts()
	if err := l.afterAgent(ctx); err != nil {
		trouble = errors.Join(trouble, err)
	} else if counts && !l.it.judged {
		if err := l.conclude(ctx); err != nil {
			trouble = errors.Join(trouble, err)
		}
	}
	if l.it != nil {
		l.abandon(l.it, trouble)
	}
	return trouble
}

// conclude judges the open iteration, and records its end.
func (l *Loop) conclude(ctx context.Context) error {
	if err := l.afterAgent(ctx); err != nil {
		return err
	}
	it := l.it
	it.judged = true
	if it.moved == "" { // else what is here now is another branch's: nothing of it is touched
		if _, err := l.newPlan(); err != nil {
			return err
		}
		if err := l.takeAllowed(); err != nil {
			return err
		}
		if err := l.claims(ctx, it); err != nil {
			return err
		}
	}
	return l.close(ctx, it)
}

// afterAgent finds the commits of the agent and restores the plan, before anything reads the
// plan and before the run may end.
func (l *Loop) afterAgent(ctx context.Context) error {
	if l.it.settled {
		return nil
	}
	l.gate.Worked(l.it.n)
	l.notes.Forget() // from here on they are about this iteration
	if err := l.history(ctx, l.it); err != nil {
		return err
	}
	l.it.settled = true
	if l.it.moved != "" {
		return nil
	}
	return l.protect(l.it)
}

// history finds the commits of the iteration, and whether the branch is still
// the one that the run began on.
func (l *Loop) history(ctx context.Context, it *iteration) error {
	ctx = context.WithoutCancel(ctx) // the record is complete also after a stop
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
		it.moved = fmt.Sprintf("the agent left the branch %s for %s", l.branch, head.Name())
	case len(lost) > 0:
		l.gate.Rewound()
		l.notes.Add("Commits that were there before are no longer in the branch. Never rewrite or reset commits.")
		return l.Recorder.Record(journal.HeadMoved{N: it.n, From: before.Commit, To: head.Commit, Branch: head.Branch,
			Message: fmt.Sprintf("the agent took %s back; find them with: git log %s", words.Count(len(lost), "commit"), before.Commit[:12])})
	}
	if it.moved != "" {
		return l.Recorder.Record(journal.HeadMoved{N: it.n, From: before.Commit, To: head.Commit, Branch: head.Branch, Message: it.moved})
	}
	return nil
}

// protect restores the plan's files, and records what the agent had changed.
func (l *Loop) protect(it *iteration) error {
	restored, err := l.Plan.Guard(fmt.Sprintf("%s-%d", l.Identity.Run, it.n))
	if err != nil {
		return err
	}
	for _, r := range restored {
		if handedOver(l.Inbox, r) {
			r.What = "edited by the user, for the new plan that comes next"
		} else {
			l.notes.Add(fmt.Sprintf("`%s` was restored: %s. %s", r.Path, r.What, l.Plan.About().Allowed))
		}
		if err := l.Recorder.Record(journal.PlanRestored{N: it.n, Path: r.Path, What: r.What, Kept: r.Kept}); err != nil {
			return err
		}
	}
	return nil
}

// close records the end of the iteration.
func (l *Loop) close(ctx context.Context, it *iteration) error {
	fresh, spent := false, spentIn(l.Recorder)
	l.Recorder.Read(func(s *run.State) { fresh = s.Last().Plan.NewlyAccepted(it.passed) })
	progress := fresh || !l.Plan.About().Kind.Receipts() && len(it.commits) > 0
	trouble := ""
	if it.outcome.Kind != journal.OutcomeOK {
		trouble = it.outcome.Message
		l.notes.Add("The last iteration ended with an error: " + trouble)
	}
	if hindrance := it.hindrance(); hindrance != "" {
		trouble = hindrance
		l.notes.Add("The last iteration did nothing that counts: " + hindrance + ". No one can answer or approve anything here.")
		if len(it.outcome.Summary.Denied) == 0 { // that was said already
			if err := l.Recorder.Warn("%s; %s", hindrance, it.outcome.Hint); err != nil {
				return err
			}
		}
	}
	streak := l.Recorder.Position().Streak.After(run.BreakerFacts{
		Progress: progress, TooEarly: it.tooEarly, Error: trouble, InstantExit: it.instantExit(),
	})
	done, total := l.marks.counted().Counts()
	e := journal.IterationEnded{
		N: it.n, Outcome: it.outcome.Kind, Error: trouble, ExitCode: it.outcome.Exit.Code, Head: it.head.Commit,
		Commits: it.commits, StoriesPassed: it.passed, StoriesComplete: done, StoriesTotal: total,
		Progress: progress, NoProgress: streak.NoProgress, SameError: streak.SameError, InstantExits: streak.InstantExits,
		Print:    l.marks.print(l.head),
		Promised: it.promised, Done: it.conclusion.Done,
		Tokens: spent.Tokens, TokensEstimated: spent.Estimated, CostUSD: spent.CostUSD,
		LogFile: filepath.Join(l.LogDir, fmt.Sprintf("iteration-%d.log", it.n)),
	}
	if l.CountChanges {
		e.ChangedFiles = changedFiles(ctx, l.Repo, it.from, it.head.Commit)
	}
	if it.conclusion.Done {
		e.DoneReason = journal.Reason(it.conclusion.Reason)
	}
	e.CurrentStory = l.marks.next(l.Recorder.Position())
	if err := l.Recorder.Record(e); err != nil {
		return err
	}
	l.it = nil
	if err := l.parker.NoteWorktree(ctx); err != nil {
		return err
	}
	return l.hooks.after(ctx, hooked{Hook: "after_iteration"}, l.Hooks.AfterIteration, e)
}

// hindrance says what prevented the agent's work; empty if it has changed anything or the
// reason is unknown.
func (it *iteration) hindrance() string {
	if it.outcome.Kind != journal.OutcomeOK || len(it.commits) > 0 || len(it.passed) > 0 || it.promised {
		return ""
	}
	return it.outcome.Message
}

// atOnce is how soon an agent that has done nothing must have ended to be a dud.
const atOnce = 10 * time.Second

// instantExit reports whether the agent ended by itself within seconds and did nothing: it
// failed, or said nothing at all, before its model had written a token.
func (it *iteration) instantExit() bool {
	o := it.outcome
	if o.Duration > atOnce || o.Summary.Tokens != (stream.Tokens{}) || len(it.commits) > 0 || len(it.passed) > 0 {
		return false
	}
	return o.Kind == journal.OutcomeError || o.Kind == journal.OutcomeCrash || o.Kind == journal.OutcomeOK && strings.TrimSpace(o.Final) == ""
}

// abandon records an iteration that an error of ralph cut off after the agent had worked. It
// accepts no mark: the next run judges them.
func (l *Loop) abandon(it *iteration, err error) {
	l.it = nil
	if it.outcome.Kind == "" || it.outcome.Kind.NoIteration() {
		return
	}
	streak := l.Recorder.Position().Streak
	done, total := l.marks.counted().Counts()
	spent := spentIn(l.Recorder)
	// If the journal cannot be written, the end of the run reports it.
	_ = l.Recorder.RecordOrRetry(journal.IterationEnded{
		N: it.n, Outcome: journal.OutcomeInterrupted, Error: err.Error(), ExitCode: it.outcome.Exit.Code, Head: it.head.Commit,
		Commits: it.commits, StoriesComplete: done, StoriesTotal: total,
		NoProgress: streak.NoProgress, SameError: streak.SameError, InstantExits: streak.InstantExits,
		Tokens: spent.Tokens, TokensEstimated: spent.Estimated, CostUSD: spent.CostUSD,
		LogFile: filepath.Join(l.LogDir, fmt.Sprintf("iteration-%d.log", it.n)),
	})
}

// counts reports whether what the agent did is an iteration: not where it never ran, nor
// where the provider only refused the call, unless the agent had marked something before
// it met the limit.
func (l *Loop) counts() bool {
	if l.it == nil || l.it.outcome.Kind == "" {
		return false
	}
	o := l.Recorder.Position().Open
	gaveUp := o != nil && o.Outcome == journal.OutcomeTransient && !o.Refused()
	return !l.it.outcome.Kind.NoIteration() || gaveUp || l.unseen()
}

// unseen reports whether the open iteration has marks that were not judged.
func (l *Loop) unseen() bool {
	now := l.marks // a copy: what comes next is decided with the plan as it was
	return now.read() == nil && len(now.since(l.it.before)) > 0
}

// spentIn returns the last iteration on record, for what its calls used.
func spentIn(r *recorder.Recorder) (it run.Iteration) {
	r.Read(func(s *run.State) { it = *s.Last().At() })
	return it
}
