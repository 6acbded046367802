package loop

import (
	"context"
	"errors"
	"slices"

	"ralph/internal/calls"
	"ralph/internal/journal"
	"ralph/internal/prompt"
	"ralph/internal/run"
	"ralph/internal/stream"
)

// turn is what the loop observed of the call that comes next.
type turn struct {
	block  calls.Block   // what is in the way of it
	full   *run.FullHour // the ledger refused it
	answer run.Answer    // of the user, whether to wait for the block's end
}

// call calls the agent once.
func (l *Loop) call(ctx context.Context) error {
	// The plan is read again, and the prompt made again, each time: another agent may be
	// called, and the user may have added context.
	if err := l.marks.read(); err != nil {
		return err
	}
	if err := l.team.Present(); err != nil {
		return err // before a call is counted
	}
	if err := l.parker.Compare(ctx); err != nil {
		return err
	}
	g, err := l.team.Take(ctx)
	if !g.OK || err != nil {
		l.turn.full = &run.FullHour{Used: g.Used, Limit: g.Limit, ResetsAt: g.ResetsAt}
		return err
	}
	l.Recorder.Read(func(s *run.State) { l.notes.Steer = slices.Clone(s.Steer) })
	notes := l.Recorder.Secrets.Text(l.notes.Text())
	p := l.Recorder.Position()
	next := l.marks.state.Next(p)
	context := l.Plan.Context(l.marks.state, next) + parkedNote(p, l.marks.state.Todo())
	text, err := prompt.Make(context, notes, l.Template, l.Repo.Root, l.team.Current().Harness.ExpandsRefs)
	if err != nil {
		return err
	}
	it := l.it
	it.attempts++
	if l.team.Story = ""; next != nil {
		l.team.Story = next.ID
	}
	o, err := l.team.Call(ctx, it.n, it.attempts, text, func(e stream.Event) { l.gate.InspectCommand(e); l.Stream(e) })
	err = errors.Join(err, l.parker.NoteWorktree(ctx))
	if unfit, err := l.team.DropUnfit(o, err); unfit || err != nil && o.Kind == "" {
		return err // what the iteration came to is what the agent before it left
	}
	it.outcome = o // also where the record failed: the agent has worked
	switch {
	case err != nil:
		return err
	case !o.Kind.NoIteration():
		l.team.ResetRefusals()
		return nil
	case o.Kind == journal.OutcomeUsageLimit:
		if err := l.team.Refused(ctx, o); err != nil {
			return err
		}
	}
	return l.protect(it) // the next call must not read a plan that this one has changed
}
