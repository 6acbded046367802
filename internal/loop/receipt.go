package loop

import (
	"context"
	"slices"
	"time"

	"ralph/internal/evidence"
	"ralph/internal/journal"
)

// receipts records for each accepted story what it was accepted for.
func (l *Loop) receipts(ctx context.Context, it *iteration, f evidence.Facts) error {
	if l.Gate.Mode == evidence.Off {
		return nil
	}
	one := l.receipt(it, f)
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

// receipt is what all stories of the claim have in common.
func (l *Loop) receipt(it *iteration, f evidence.Facts) journal.StoryProved {
	r := journal.StoryProved{N: it.n, Commit: f.Place.Commit, Tree: f.Place.Tree, Mode: journal.ProvedInPlace,
		Why: f.Place.Why, Checks: []journal.CheckReceipt{}, Proof: f.Record()}
	if f.Place.Clean {
		r.Mode = journal.ProvedClean
	}
	for _, c := range f.Checks {
		r.Checks = append(r.Checks, journal.CheckReceipt{Name: c.Check.Name, Command: c.Check.Command, Outcome: c.Outcome,
			ExitCode: c.ExitCode, DurationSeconds: c.Duration.Seconds(), Unsealed: c.Unsealed})
	}
	if it.n > 0 { // else it is not known any more whose claim it is
		r.Harness, r.Model, r.Session = l.team.Current().Harness.Name, it.outcome.Summary.Model, it.outcome.Summary.Session
	}
	return r
}

// note writes receipts on their commit, and reports whether they are there.
func (l *Loop) note(ctx context.Context, list []journal.StoryProved) (bool, error) {
	if !l.Notes || len(list) == 0 || list[0].Commit == "" {
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
		if l.unnoted {
			return false, nil
		}
		l.unnoted = true
		return false, l.warn("the receipts are in the journal alone, the git note cannot be written: %v", err)
	}
	return true, nil
}
