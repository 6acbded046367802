package evidence

import (
	"context"
	"slices"
	"time"

	"ralph/internal/journal"
)

// Author identifies the agent that made a claim. It is empty if the agent is unknown.
type Author struct{ Harness, Model, Session string }

// writeReceipts records why each accepted item was accepted, in the journal. If the settings
// ask for it, it also writes a git note on the commit.
func (g *Gate) writeReceipts(
	ctx context.Context, n int, by Author, f Facts, accepted []string,
) error {
	if g.Rules.Mode == Off {
		return nil
	}
	var list []journal.StoryProved
	for _, item := range f.Plan.State.Items {
		if !slices.Contains(accepted, item.ID) {
			continue
		}
		one := f.receipt()
		one.N, one.Story, one.Title = n, item.ID, item.Title
		one.Harness, one.Model, one.Session = by.Harness, by.Model, by.Session
		list = append(list, one)
	}
	noted, err := g.note(ctx, list)
	if err != nil {
		return err
	}
	for _, one := range list {
		one.Noted = noted
		if err := g.Recorder.Record(one); err != nil {
			return err
		}
	}
	return nil
}

// receipt returns what the receipts of all items of the claim have in common.
func (f Facts) receipt() journal.StoryProved {
	r := journal.StoryProved{Commit: f.Place.Commit, Tree: f.Place.Tree, Mode: journal.ProvedInPlace,
		Why: f.Place.Why, Checks: []journal.CheckReceipt{}, Proof: f.journalProof()}
	if f.Place.Clean {
		r.Mode = journal.ProvedClean
	}
	for _, c := range f.Checks {
		r.Checks = append(r.Checks, c.Receipt())
	}
	if v := f.Review; v != nil && v.Harness != "" {
		r.Review = &journal.ReviewReceipt{Harness: v.Harness, Model: v.Model, Verdict: v.Verdict}
	}
	return r
}

// Receipt returns the form of the result in receipts.
func (c CheckFact) Receipt() journal.CheckReceipt {
	return journal.CheckReceipt{Name: c.Check.Name, Command: c.Check.Command, Outcome: c.Outcome,
		ExitCode: c.ExitCode, DurationSeconds: c.Duration.Seconds(), Unsealed: c.Unsealed}
}

// note writes receipts on their commit, and reports whether it could. It warns once where not.
func (g *Gate) note(ctx context.Context, list []journal.StoryProved) (bool, error) {
	if !g.Notes || len(list) == 0 || list[0].Commit == "" {
		return false, nil
	}
	var lines []byte
	for _, p := range list {
		r := journal.Receipt{Schema: journal.SchemaVersion, Time: time.Now().UTC().Truncate(time.Millisecond), Run: g.Run, Unit: g.Unit, StoryProved: p}
		var err error
		if lines, err = r.AppendTo(lines); err != nil {
			return false, err
		}
	}
	// A signal from now on must not leave it half written.
	if err := g.Repo.Notes().Append(context.WithoutCancel(ctx), list[0].Commit, string(lines)); err != nil {
		return false, g.once("notes", "the receipts are in the journal alone, the git note cannot be written: %v", err)
	}
	return true, nil
}
