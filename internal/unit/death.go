package unit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ralph/internal/agent"
	"ralph/internal/check"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/proc"
	"ralph/internal/run"
	"ralph/internal/words"
)

// death is a run of the journal that died without an end.
type death struct{ run *run.Run }

// findDeath returns the last run if it has no end, else nil.
func findDeath(s *run.Shared) (d *death) {
	s.Read(func(s *run.State) {
		if last := s.Last(); last != nil && !last.Headless && last.Active() {
			d = &death{last}
		}
	})
	return d
}

// Recover finishes the record of a run that died without an end. It ends the remaining
// processes, restores the plan's snapshot where the agent left it broken, and records the
// iteration and the run as crashed. It returns nil if there is nothing to recover. The caller
// holds the unit's lock, and has read the journal into the state, which gets the new events.
//
// died is when the run died, and becomes the time of all new events. If it is zero, Recover
// uses the time of the last sign of life: a run that is found on Monday did not work all
// weekend.
func Recover(ctx context.Context, w *journal.Writer, repo *git.Repo, stateDir string, died time.Time, state *run.Shared, observe func(journal.Event)) (*run.End, error) {
	d := findDeath(state)
	if d == nil {
		return nil, nil //nolint:nilnil // it has its end
	}
	if died.Before(d.run.Updated) { // zero, or of a run before this one
		died = d.lastSign(repo.Root)
	}
	record := func(b journal.Body) error {
		e, err := w.Append(d.run.ID, died, b)
		if err == nil {
			state.Apply(e)
			observe(e)
		}
		return err
	}
	if err := d.endStrays(); err != nil {
		return nil, err
	}
	// The next run tries again, and warns.
	_ = check.Sweep(stateDir)
	if call := d.run.Calls.Open; call != nil {
		e, err := cutOff(call, repo)
		if err != nil {
			return nil, err
		}
		if err := record(e); err != nil {
			return nil, err
		}
	}
	if call := d.run.Calls.Review; call != nil {
		e, err := cutOffReview(call, repo)
		if err != nil {
			return nil, err
		}
		if err := record(e); err != nil {
			return nil, err
		}
	}
	// On another branch the plan's files are other ones, or rightly gone.
	if d.onBranch(ctx, repo) {
		if err := d.restorePlan(stateDir, repo.Root, record); err != nil {
			return nil, err
		}
	}
	if it := d.run.Open(); it != nil && it.CutOff() {
		if err := record(d.crash(ctx, repo, it, died)); err != nil {
			return nil, err
		}
	}
	end := &run.End{Reason: journal.ReasonCrashed, Message: fmt.Sprintf(ralphDied+" at about %s", words.Clock(died, time.Now())), Hint: "continue with 'ralph run'"}
	return end, record(journal.RunEnded{Status: end.Status(), Reason: end.Reason, ExitCode: end.ExitCode(),
		Message: end.Message, Tokens: d.run.Calls.Tokens, CostUSD: d.run.Calls.CostUSD})
}

// lastSign returns the time of the run's last sign of life. A log is written only during a
// call.
func (d *death) lastSign(root string) time.Time {
	log := ""
	if call := d.run.Calls.Open; call != nil {
		log = filepath.Join(root, call.LogFile)
	} else if call := d.run.Calls.Review; call != nil {
		log = filepath.Join(root, call.LogFile)
	}
	return journal.LastSign(d.run.Updated, log, time.Now())
}

// endStrays ends what a run that died without an end has left alive, and records
// nothing: for a caller that cannot have the unit's lock.
func endStrays(stateDir string) error {
	state := &run.Shared{}
	if _, err := journal.Scan(journal.Path(stateDir), state.Apply); err != nil {
		return err
	}
	if d := findDeath(state); d != nil {
		return d.endStrays()
	}
	return nil
}

func (d *death) endStrays() error {
	if _, err := proc.EndByToken(d.run.Start.Token); err != nil {
		return fmt.Errorf("what the run %s left alive cannot be ended: %w", d.run.ID, err)
	}
	return nil
}

// onBranch reports whether the worktree is still on the run's branch, or may be.
func (d *death) onBranch(ctx context.Context, repo *git.Repo) bool {
	head, err := repo.Head(context.WithoutCancel(ctx))
	return err != nil || head.Branch == d.run.Start.Branch
}

// restorePlan restores a plan that the agent left broken, and records each restored file,
// also before an error. Without a recorded call no agent has run since the snapshot, unless
// a power cut removed the end of the journal.
func (d *death) restorePlan(stateDir, root string, record func(journal.Body) error) error {
	n, restore := 0, plan.RestoreBroken
	if it := d.run.Open(); it != nil {
		n = it.N
		if it.Call != nil {
			restore = plan.RestoreFrom
		}
	}
	restored, err := restore(stateDir, root, fmt.Sprintf("%s-%d", d.run.ID, n))
	for _, r := range restored {
		if err := record(journal.PlanRestored{N: n, Path: r.Path, What: r.What, Kept: r.Kept}); err != nil {
			return err
		}
	}
	return err
}

// cutOff returns the record of the call that was cut off. The tokens that the agent reported
// until then are spent, and counted only here.
func cutOff(call *journal.AttemptStarted, repo *git.Repo) (journal.AttemptEnded, error) {
	s, err := agent.Salvage(filepath.Join(repo.Root, call.LogFile), call.LogOffset, call.Output)
	if err != nil {
		return journal.AttemptEnded{}, err
	}
	if h, ok := agent.Find(agent.Builtin(""), call.Harness); ok {
		h.CountFromSession(os.Environ(), &s)
	}
	e := journal.AttemptEnded{N: call.N, Attempt: call.Attempt, Outcome: journal.OutcomeCrash, Message: ralphDied, ExitCode: -1,
		Tokens: s.Tokens, TokensEstimated: s.Estimated, Session: s.Session, Model: s.Model, BrokenLines: s.Broken}
	if s.HasCost {
		e.CostUSD = &s.CostUSD
	}
	return e, nil
}

// cutOffReview is the record of the review that was cut off.
func cutOffReview(call *journal.ReviewStarted, repo *git.Repo) (journal.ReviewEnded, error) {
	s, err := agent.Salvage(filepath.Join(repo.Root, call.LogFile), call.LogOffset, call.Output)
	e := journal.ReviewEnded{
		N: call.N, Stories: call.Stories, Harness: call.Harness,
		Model: s.Model, Session: s.Session,
		Verdict: journal.ReviewNone, Message: ralphDied, Outcome: journal.OutcomeCrash,
		Tokens: s.Tokens, TokensEstimated: s.Estimated,
	}
	if s.HasCost {
		e.CostUSD = &s.CostUSD
	}
	return e, err
}

// ralphDied is what the record of whatever was cut off says.
const ralphDied = "ralph itself died"

// crash is the record of the iteration that was cut off.
func (d *death) crash(ctx context.Context, repo *git.Repo, it *run.Iteration, died time.Time) journal.IterationEnded {
	done, total := d.run.Plan.Counts()
	e := journal.IterationEnded{
		N: it.N, Outcome: journal.OutcomeCrash, Error: ralphDied, ExitCode: -1, Head: it.Head,
		Commits: []string{}, StoriesPassed: []string{}, StoriesComplete: done, StoriesTotal: total,
		CurrentStory: it.Story, Tokens: it.Tokens, TokensEstimated: it.Estimated, CostUSD: it.CostUSD,
		LogFile: it.Call.LogFile,
	}
	ctx = context.WithoutCancel(ctx) // the record is complete also after a stop
	// The commits are a courtesy of the record: without them it is still true.
	head, err := repo.Head(ctx)
	if err == nil && head.Branch != d.run.Start.Branch {
		e.Head = "" // what is on this one is not known
		return e
	}
	if err == nil {
		if gained, _, err := repo.Moved(ctx, it.Head, head.Commit); err == nil {
			e.Head, e.Commits = head.Commit, append([]string{}, gained...)
			dropLaterCommits(ctx, repo, &e, it.Head, died)
		}
	}
	return e
}

// dropLaterCommits removes the last commits from the record that were made after the run
// died: no agent was running then. A commit with a time in the future stays.
func dropLaterCommits(ctx context.Context, repo *git.Repo, e *journal.IterationEnded, began string, died time.Time) {
	for n := len(e.Commits); n > 0; n-- {
		c, err := repo.Commit(ctx, e.Commits[n-1])
		if err != nil || !c.Time.After(died.Add(time.Second)) || c.Time.After(time.Now()) {
			return
		}
		e.Commits, e.Head = e.Commits[:n-1], began
		if n > 1 {
			e.Head = e.Commits[n-2]
		}
	}
}
