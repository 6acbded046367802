package loop

import (
	"context"
	"slices"
	"time"

	"ralph/internal/journal"
)

// receipts records for each accepted story what it was believed for.
func (l *Loop) receipts(ctx context.Context, it *iteration) error {
	if l.Proof.Mode == ProofOff || len(it.passed) == 0 {
		return nil
	}
	if err := l.choose(ctx, it); err != nil {
		return err
	}
	one := l.receipt(it)
	var list []journal.StoryProved
	for _, item := range l.state.Items {
		if slices.Contains(it.passed, item.ID) {
			one.Story, one.Title = item.ID, item.Title
			list = append(list, one)
		}
	}
	noted, err := l.note(ctx, list)
	if err != nil {
		return err
	}
	for _, p := range list {
		p.Noted = noted
		if err := l.record(p); err != nil {
			return err
		}
	}
	return nil
}

// receipt is what all stories of the iteration have in common.
func (l *Loop) receipt(it *iteration) journal.StoryProved {
	p := &it.proof
	r := journal.StoryProved{N: it.n, Commit: p.look.Head.Commit, Tree: p.print, Mode: journal.ProvedInPlace, Why: p.why, Checks: []journal.CheckReceipt{}}
	switch {
	case p.why != "":
	case len(p.results) == 0:
		r.Why = "no quality check is due when a story is finished"
	default:
		r.Mode, r.Tree = journal.ProvedClean, p.clean.Tree
	}
	for _, c := range p.results {
		r.Checks = append(r.Checks, journal.CheckReceipt{Name: c.Check.Name, Command: c.Check.Command, Outcome: c.Outcome,
			ExitCode: c.ExitCode, DurationSeconds: c.Duration.Seconds()})
	}
	if it.n > 0 { // else nobody knows any more whose claim it is
		r.Harness, r.Model, r.Session = l.team.Current().Harness.Name, it.outcome.Summary.Model, it.outcome.Summary.Session
	}
	return r
}

// note writes receipts on their commit, and reports whether they are there.
func (l *Loop) note(ctx context.Context, list []journal.StoryProved) (bool, error) {
	if !l.Proof.Notes || len(list) == 0 || list[0].Commit == "" {
		return false, nil
	}
	var lines []byte
	for _, p := range list {
		r := journal.Receipt{Schema: journal.SchemaVersion, Time: time.Now().UTC().Truncate(time.Millisecond), Run: l.Identity.Run, Unit: l.Unit, StoryProved: p}
		var err error
		if lines, err = r.AppendTo(lines); err != nil {
			return false, err
		}
	}
	// A receipt that is begun is written, whatever the run has been told meanwhile.
	if err := l.Repo.AppendNote(context.WithoutCancel(ctx), journal.NotesRef, list[0].Commit, string(lines)); err != nil {
		return false, l.once("notes", "the receipts are in the journal alone, the git note cannot be written: %v", err)
	}
	return true, nil
}
