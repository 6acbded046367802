// Package parking keeps the work on a story that is given up for now, and restores the state
// before it. A story is parked only while its work can be separated from what other people did.
package parking

import (
	"context"
	"fmt"
	"time"

	"ralph/internal/checkpoint"
	"ralph/internal/evidence"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/recorder"
	"ralph/internal/run"
)

// Parker parks the stories of one run. Its fields must be set.
type Parker struct {
	On       bool // the user wants stuck stories parked
	States   checkpoint.Store
	Gate     *evidence.Gate
	Recorder *recorder.Recorder
	// Files lists the files of the plan, which are kept with the work.
	Files func() []string

	// Mixed says why work that is not accepted cannot be separated from that of other people.
	// It is empty if it can, or if an event of the journal says why.
	Mixed string

	seen run.Base
}

// Start compares the worktree with its state at the end of the last run.
func (p *Parker) Start(ctx context.Context, seen run.Base) error {
	p.seen = seen
	return p.Compare(ctx)
}

// NoteWorktree records the present worktree: changes until now were not made by other people.
func (p *Parker) NoteWorktree(ctx context.Context) error {
	if !p.watches() {
		return nil
	}
	now, err := p.Gate.Now(ctx)
	p.seen = now
	return err
}

// Compare checks whether someone else changed the worktree since it was last noted. If so, it
// sets Mixed.
func (p *Parker) Compare(ctx context.Context) error {
	if !p.watches() {
		p.Mixed = ""
		return nil
	}
	now, err := p.Gate.Now(ctx)
	switch seen := p.seen; {
	case err != nil:
		return err
	case p.Mixed != "" || now == seen:
	case seen.Work == "":
		p.Mixed = "ralph died, and it is not known what was changed after that"
	case now.Commit != seen.Commit:
		p.Mixed = "someone else, or a hook, moved the branch between two iterations"
	default:
		p.Mixed = "someone else, or a hook, changed files between two iterations"
	}
	p.seen = now
	return nil
}

// watches reports whether there is work in the worktree that may be parked.
func (p *Parker) watches() bool { return p.On && p.Recorder.Position().Pending.Any }

// Park keeps the work on a story and records the decision. It does nothing if the work cannot
// be separated from that of other people; Mixed then says why.
func (p *Parker) Park(ctx context.Context, s run.Step, title, notes string) error {
	if err := p.Compare(ctx); err != nil || p.Mixed != "" {
		return err
	}
	since := p.Recorder.Position().Pending.Since
	if _, err := p.States.Repo.ReadState(ctx, since); err != nil {
		p.Mixed = "the last accepted state is no longer kept"
		return nil //nolint:nilerr // the run ends for that
	}
	ref := p.States.Parked(s.Story)
	if err := p.States.KeepOlder(ctx, ref); err != nil {
		return err
	}
	what := p.Recorder.Secrets.Text(fmt.Sprintf("parked: %s (%s)", s.Story, s.Message))
	kept, err := p.States.Save(ctx, ref, what, time.Now(), git.Saved{}, p.Files()...)
	if err != nil {
		return err
	}
	return p.Recorder.Record(journal.StoryParked{Story: s.Story, Title: title, With: s.With, Reason: s.Reason, Message: s.Message, Notes: notes,
		Ref: ref, State: kept.Commit, Back: since, Rule: string(s.Rule), Facts: s.Facts})
}

// Restore resets branch and worktree to the state before the work on a parked story. The plan
// stays as it is. If Restore was interrupted, it can be called again.
func (p *Parker) Restore(ctx context.Context, branch string, b *journal.StoryParked) error {
	trouble := func(err error) error {
		return fmt.Errorf("%s is parked (%s), and its work cannot be taken out of the worktree: %w; see to that and start ralph again, or leave the work there: ralph unpark %s",
			b.Story, b.Ref, err, b.Story)
	}
	from, err := p.States.Repo.ReadState(ctx, b.State)
	if err != nil {
		return trouble(err)
	}
	to, err := p.States.Repo.ReadState(ctx, b.Back)
	if err != nil {
		return trouble(err)
	}
	now, err := p.States.Save(ctx, p.States.Leaving(), "before "+b.Story+" is taken out", time.Now(), git.Saved{}, p.Files()...)
	if err != nil {
		return trouble(err)
	}
	if err := p.States.Restore(ctx, branch, now, from, to, p.Gate.Derived()...); err != nil {
		return trouble(err)
	}
	return nil
}
