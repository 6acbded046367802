package loop

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"ralph/internal/agent"
	"ralph/internal/check"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/proc"
	"ralph/internal/stream"
)

// unfinished is a run of the journal that has no end.
type unfinished struct {
	id       string
	start    journal.RunStarted
	open     *journal.IterationStarted // not nil where it has not ended
	worked   bool                      // an agent was called in it
	call     *journal.AttemptStarted   // not nil where the record of that call has no end
	log      string                    // of the call that makes it an iteration
	tokens   stream.Tokens             // of the run
	spent    stream.Tokens             // of the open iteration
	cost     *float64
	iterCost *float64
	done     int
	last     time.Time
}

// findUnfinished returns the last run of the journal if it has no end.
func findUnfinished(events []journal.Event) *unfinished {
	var u *unfinished
	for _, e := range events {
		switch b := e.Body.(type) {
		case journal.RunStarted:
			u = &unfinished{id: e.Run, start: b}
			u.done = len(believe(b.Stories))
		case journal.RunEnded:
			u = nil
		default:
			if u != nil {
				u.apply(b)
			}
		}
		if u != nil {
			u.last = e.Time
		}
	}
	return u
}

func (u *unfinished) apply(b journal.Body) {
	switch b := b.(type) {
	case journal.IterationStarted:
		u.open, u.worked, u.log, u.spent, u.iterCost = &b, false, "", stream.Tokens{}, nil
	case journal.AttemptStarted:
		u.worked, u.call, u.log = true, &b, b.LogFile
	case journal.AttemptEnded:
		u.call = nil
		u.tokens, u.spent = u.tokens.Add(b.Tokens), u.spent.Add(b.Tokens)
		u.cost, u.iterCost = plus(u.cost, b.CostUSD), plus(u.iterCost, b.CostUSD)
		if b.Outcome.NoIteration() {
			u.log = "" // that call was no iteration; the next one sets it again
		}
	case journal.IterationEnded:
		u.open, u.done = nil, b.StoriesComplete
	}
}

func plus(a, b *float64) *float64 {
	if b == nil {
		return a
	}
	sum := *b
	if a != nil {
		sum += *a
	}
	return &sum
}

// Recover finishes the record of a run that died without an end: it ends what
// is still alive of it, puts the plan's snapshot back where the agent left it
// broken, and records the iteration and the run as crashed. It returns nil where
// there is nothing to recover. The caller holds the unit's lock.
//
// died is when the run died, and the time of all that is recorded. Zero is for those
// who were not there: then it is the time of the last sign of life, so that a run that
// is found on Monday did not work all weekend.
func Recover(ctx context.Context, w *journal.Writer, repo *git.Repo, stateDir string, died time.Time, observe func(journal.Event)) (*End, error) {
	// A long journal takes a while, and nearly always its last line says that all is well.
	if ended, err := journal.Ended(journal.Path(stateDir)); ended || err != nil {
		return nil, err
	}
	events, _, err := journal.ReadFile(journal.Path(stateDir))
	if err != nil {
		return nil, err
	}
	u := findUnfinished(events)
	if u == nil {
		return nil, nil
	}
	if died.Before(u.last) { // zero, or of a run before this one
		died = u.lastSign(repo.Root)
	}
	record := func(b journal.Body) error {
		e, err := w.Append(u.id, died, b)
		if err == nil {
			observe(e)
		}
		return err
	}
	if err := u.endStrays(); err != nil {
		return nil, err
	}
	// What cannot be removed now the next run tries to, and tells of it.
	_ = check.Sweep(stateDir)
	if u.call != nil {
		e, err := u.cutOff(repo)
		if err != nil {
			return nil, err
		}
		if err := record(e); err != nil {
			return nil, err
		}
		u.apply(e)
	}
	// On another branch the plan's files are other ones, or rightly gone.
	if u.onBranch(ctx, repo) {
		if err := u.putBack(filepath.Join(stateDir, "snapshot"), repo.Root, record); err != nil {
			return nil, err
		}
	}
	if u.open != nil && u.log != "" {
		if err := record(u.crash(ctx, repo, died)); err != nil {
			return nil, err
		}
	}
	end := &End{Reason: journal.ReasonCrashed, Message: fmt.Sprintf(ralphDied+" at about %s", clock(died)), Hint: "go on with 'ralph run'"}
	return end, record(journal.RunEnded{Status: end.Status(), Reason: end.Reason, ExitCode: end.ExitCode(),
		Message: end.Message, Tokens: u.tokens, CostUSD: u.cost})
}

// lastSign is when the run showed life for the last time. Only while a call is at
// work is its log written.
func (u *unfinished) lastSign(root string) time.Time {
	log := ""
	if u.call != nil {
		log = filepath.Join(root, u.call.LogFile)
	}
	return journal.LastSign(u.last, log, time.Now())
}

// EndStrays ends what a run that died without an end has left alive, and records
// nothing: for whoever cannot have the unit's lock.
func EndStrays(stateDir string) error {
	events, _, err := journal.ReadFile(journal.Path(stateDir))
	if err != nil {
		return err
	}
	u := findUnfinished(events)
	if u == nil {
		return nil
	}
	return u.endStrays()
}

func (u *unfinished) endStrays() error {
	if _, err := proc.EndByToken(u.start.Token); err != nil {
		return fmt.Errorf("what the run %s left alive cannot be ended: %w", u.id, err)
	}
	return nil
}

// onBranch tells whether the worktree is still on the run's branch, as far as can
// be told.
func (u *unfinished) onBranch(ctx context.Context, repo *git.Repo) bool {
	head, err := repo.Head(context.WithoutCancel(ctx))
	return err != nil || head.Branch == u.start.Branch
}

// putBack restores the plan where the agent left it broken, and records what was
// done, also where not all of it could be. Without a call on record no agent was at work
// since the snapshot, unless a power cut took the end of the journal with it.
func (u *unfinished) putBack(snapshot, root string, record func(journal.Body) error) error {
	n, restore := 0, plan.RestoreBroken
	if u.open != nil {
		n = u.open.N
	}
	if u.open != nil && u.worked {
		restore = plan.RestoreFrom
	}
	restored, err := restore(snapshot, root, fmt.Sprintf("%s-%d", u.id, n))
	for _, r := range restored {
		if err := record(journal.PlanRestored{N: n, Path: r.Path, What: r.What, Kept: r.Kept}); err != nil {
			return err
		}
	}
	return err
}

// cutOff is the record of the call that was cut off: what the agent had told of
// its tokens until then is spent, and counted here and nowhere else.
func (u *unfinished) cutOff(repo *git.Repo) (journal.AttemptEnded, error) {
	s, err := agent.Salvage(filepath.Join(repo.Root, u.call.LogFile), u.call.LogOffset, u.call.Output)
	if err != nil {
		return journal.AttemptEnded{}, err
	}
	e := journal.AttemptEnded{N: u.call.N, Attempt: u.call.Attempt, Outcome: journal.OutcomeCrash, Message: ralphDied, ExitCode: -1,
		Tokens: s.Tokens, TokensEstimated: s.Estimated, Session: s.Session, Model: s.Model, BrokenLines: s.Broken}
	if s.HasCost {
		e.CostUSD = &s.CostUSD
	}
	return e, nil
}

// ralphDied is what the record of whatever was cut off says.
const ralphDied = "ralph itself died"

// crash is the record of the iteration that was cut off.
func (u *unfinished) crash(ctx context.Context, repo *git.Repo, died time.Time) journal.IterationEnded {
	e := journal.IterationEnded{
		N: u.open.N, Outcome: journal.OutcomeCrash, Error: ralphDied, ExitCode: -1, Head: u.open.Head,
		Commits: []string{}, StoriesPassed: []string{}, StoriesComplete: u.done, StoriesTotal: len(u.start.Stories),
		CurrentStory: u.open.Story, Tokens: u.spent, CostUSD: u.iterCost, LogFile: u.log,
	}
	ctx = context.WithoutCancel(ctx) // told to end or not, the record is complete
	// The commits are a courtesy of the record: without them it is still true.
	head, err := repo.Head(ctx)
	if err == nil && head.Branch != u.start.Branch {
		e.Head = "" // what is on this one is not known
		return e
	}
	if err == nil {
		if gained, _, err := repo.Moved(ctx, u.open.Head, head.Commit); err == nil {
			e.Head, e.Commits = head.Commit, nonNil(gained)
			u.leavePeoples(ctx, repo, &e, died)
		}
	}
	return e
}

// leavePeoples takes the last commits out of the record that were made after the run died: no
// agent was at work then. A time that is still to come is no one's.
func (u *unfinished) leavePeoples(ctx context.Context, repo *git.Repo, e *journal.IterationEnded, died time.Time) {
	for n := len(e.Commits); n > 0; n-- {
		at, err := repo.CommitTime(ctx, e.Commits[n-1])
		if err != nil || !at.After(died.Add(time.Second)) || at.After(time.Now()) {
			return
		}
		e.Commits, e.Head = e.Commits[:n-1], u.open.Head
		if n > 1 {
			e.Head = e.Commits[n-2]
		}
	}
}
