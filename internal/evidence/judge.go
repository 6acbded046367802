package evidence

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/tamper"
)

// maxListed bounds how many findings one event of the journal lists.
const maxListed = 50

// Judge gathers the facts about a claim and weighs it. It records the facts and refusals, and
// revokes refused marks. After that, Facts.Plan.State is the new state of the plan. Call Accept
// for the accepted marks.
func (g *Gate) Judge(ctx context.Context, c Claim) (f Facts, v Verdict, err error) {
	f, err = g.Gather(ctx, c)
	v = Weigh(c, f, g.Rules)
	if f.Looked {
		g.unseen = 0
		err = errors.Join(err, g.recordFindings(c.N, f.Findings))
	} else if c.N > 0 {
		g.unseen = c.N // it is inspected when it is committed, claimed, or the run ends
	}
	// What the checks did to the plan is recorded also after an error.
	if err = errors.Join(err, g.recordPlan(c.N, f.Plan)); err != nil {
		return f, v, err
	}
	if len(v.Idle) > 0 {
		if err := g.Recorder.Record(journal.NoWork{N: c.N, Stories: v.Idle, Accepted: !g.Rules.RequireChange}); err != nil {
			return f, v, err
		}
	}
	if r := f.journalProof(); r != nil {
		if err := g.Recorder.Record(journal.WorkProved{N: c.N, Stories: c.Items, Proof: *r}); err != nil {
			return f, v, err
		}
	}
	for _, r := range v.Refusals {
		if err := g.Refuse(c.N, r, f); err != nil {
			return f, v, err
		}
	}
	if len(v.Refusals) == 0 {
		return f, v, nil
	}
	now, err := g.Plan.Read()
	if err == nil {
		f.Plan.State = now
	}
	return f, v, err
}

// Refuse revokes the marks of a refused claim and records why.
func (g *Gate) Refuse(n int, r Refusal, f Facts) error {
	if r.Claim == journal.ClaimStory {
		if err := g.Plan.Mark(r.Items, false); err != nil {
			return fmt.Errorf("the marks of %s cannot be revoked: %w", strings.Join(r.Items, ", "), err)
		}
	}
	return g.Recorder.Record(journal.ClaimRejected{N: n, Claim: r.Claim, Stories: r.Items,
		Reason: r.Reason, Rule: string(r.Rule), Facts: g.sources(r.Rule, f, r.Items)})
}

// sources returns the numbers of the events that a rule used to decide on a claim.
func (g *Gate) sources(rule Rule, f Facts, items []string) (seqs []int) {
	g.Recorder.Read(func(s *run.State) { seqs = rule.sources(&s.Last().Sources, f, items) })
	return seqs
}

// Accept records the receipts of accepted marks, then their acceptance. It moves the base to
// the accepted worktree, unless all marks were taken over.
func (g *Gate) Accept(ctx context.Context, c Claim, by Author, f Facts, v Verdict) (journal.ClaimAccepted, error) {
	e := journal.ClaimAccepted{N: c.N, Stories: v.Accepted, Rule: string(v.Rule),
		Facts: g.sources(v.Rule, f, v.Accepted)}
	if err := g.writeReceipts(ctx, c.N, by, f, v.Accepted); err != nil {
		return e, err
	}
	if len(Without(v.Accepted, c.TakenOver)) > 0 {
		if err := g.setBase(ctx, f.Worktree); err != nil {
			return e, err
		}
	}
	if v.Rule == Allowed {
		g.keepTests(ctx, "") // the user agreed with the tests as they are
	} else if f.Proof != nil {
		g.keepTests(ctx, f.Proof.Kept)
	}
	e.Commit, e.Work, e.Known, e.Borrowed = g.base.Commit, g.base.Work, g.knownListed(), g.borrowed
	e.Tests = g.tests
	return e, g.Recorder.Record(e)
}

// keepTests makes a commit the one with earlier tests. Without its reference it lasts until git
// removes what no reference names, so a failure to write that is no obstacle.
func (g *Gate) keepTests(ctx context.Context, commit string) {
	if commit != g.tests {
		g.tests = commit
		_ = g.Repo.SetRef(context.WithoutCancel(ctx), g.TestsRef, commit)
	}
}

// RecordBase records that the base moved in iteration n, and why. If why is empty, it does
// nothing. If the work on a story was removed, parked names the story.
func (g *Gate) RecordBase(n int, why BaseReason, parked string) error {
	if why == "" {
		return nil
	}
	return g.Recorder.Record(journal.BaseMoved{N: n, Commit: g.base.Commit, Work: g.base.Work, Reason: string(why),
		Known: g.knownListed(), Borrowed: g.borrowed, Parked: parked})
}

// InspectLast records findings in the uncommitted work of the last iterations. Without this
// record, the next run would take that work for the user's.
func (g *Gate) InspectLast(ctx context.Context) error {
	if g.unseen == 0 {
		return nil
	}
	found, err := g.sinceBase(ctx)
	if err != nil {
		return err
	}
	return g.recordFindings(g.unseen, found)
}

// recordPlan records what the checks changed of the plan.
func (g *Gate) recordPlan(n int, after PlanAfter) error {
	for _, r := range after.Restored {
		if err := g.Recorder.Record(journal.PlanRestored{N: n, Path: r.Path, What: r.What + " while the quality checks ran", Kept: r.Kept}); err != nil {
			return err
		}
	}
	if len(after.Opened) > 0 {
		return g.Recorder.Warn("%s: set back to open while the quality checks ran", strings.Join(after.Opened, ", "))
	}
	return nil
}

// recordFindings records what weakens the evidence, or that it was undone. Accepted findings are
// known from now on.
func (g *Gate) recordFindings(n int, found []tamper.Finding) error {
	accepted := !g.Rules.RejectWeakened
	if len(found) > 0 || g.open {
		e := findingsEvent(n, g.base.Commit, found, accepted || len(found) == 0)
		if err := g.Recorder.Record(e); err != nil {
			return err
		}
	}
	g.open = len(found) > 0 && !accepted
	for _, f := range found {
		if accepted {
			g.known[f] = true
		}
	}
	return nil
}

func findingsEvent(n int, base string, found []tamper.Finding, accepted bool) journal.TamperFound {
	return journal.TamperFound{N: n, Accepted: accepted, Base: base, More: max(0, len(found)-maxListed), Findings: listed(found)}
}

// knownListed returns the findings that belong to the base.
func (g *Gate) knownListed() []journal.TamperFinding {
	known := g.Known()
	if len(known) == 0 {
		return nil
	}
	return listed(known)
}

func listed(found []tamper.Finding) []journal.TamperFinding {
	list := []journal.TamperFinding{}
	for _, f := range found[:min(maxListed, len(found))] {
		list = append(list, journal.TamperFinding(f))
	}
	return list
}
