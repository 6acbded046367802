package run

import "ralph/internal/journal"

// Gate is what later evidence is compared with: it outlives the runs.
type Gate struct {
	Accepted  map[string]bool // items with an acceptance on record, or done when the last run began
	Red       map[string]bool // checks that were red before the last run, and since
	Base      string          // commit that the work which is not accepted yet began with
	Work      string          // fingerprint of the work when a story was last accepted
	WorkHead  string          // what was checked out then
	Works     []string        // fingerprints at all acceptances
	Head      string          // at which the last iteration began
	Suspected string          // commit before weakened evidence that is not undone
	Rejected  bool            // stories were not accepted, and none has been since

	cutOff bool
	open   bool // an agent may have been at work since the last evaluation
}

// CutOff reports whether the last iteration was not evaluated to its end.
func (g *Gate) CutOff() bool { return g.cutOff || g.open }

func (g *Gate) start(b journal.RunStarted) {
	if !g.cutOff && !g.open && !g.Rejected {
		g.Base = b.Head
	}
	if g.Red == nil {
		g.Red = map[string]bool{}
	}
	// Marks that no one evaluated stay so until someone does.
	g.Accepted, g.cutOff, g.open = done(b.Stories), g.cutOff || g.open, false
	g.accept(b.Work, b.Head)
}

func (g *Gate) planChanged(b journal.PlanChanged) { g.Accepted, g.cutOff = done(b.Stories), false }

func (g *Gate) claimRejected(b journal.ClaimRejected) {
	g.cutOff = g.cutOff && b.N > 0
	g.Rejected = g.Rejected || b.Claim == journal.ClaimStory
}

func (g *Gate) attemptEnded(o journal.Outcome) {
	switch {
	case o.NoIteration():
		g.open = false // a call that the provider refused leaves nothing to evaluate
	case o == journal.OutcomeCrash:
		g.open = true // the agent may have worked before that was on record
	}
}

func (g *Gate) iterationEnded(b journal.IterationEnded) {
	g.open = false
	g.accept(b.Work, b.Head)
	g.cutOff = b.Outcome == journal.OutcomeCrash || b.Outcome == journal.OutcomeInterrupted
	for _, id := range b.StoriesPassed {
		if g.Accepted == nil {
			g.Accepted = map[string]bool{}
		}
		g.Accepted[id], g.Rejected = true, false
	}
}

func (g *Gate) runEnded(b journal.RunEnded) {
	g.cutOff = g.cutOff || b.Reason == journal.ReasonBranchChanged
}

func (g *Gate) checkEnded(b journal.CheckEnded) {
	switch {
	case b.Compares():
	case b.Outcome == journal.CheckPassed:
		delete(g.Red, b.Name)
	case b.Phase == journal.PhaseBaseline:
		if g.Red == nil {
			g.Red = map[string]bool{}
		}
		g.Red[b.Name] = true
	}
}

func (g *Gate) tamperFound(b journal.TamperFound) {
	if g.Suspected = b.Base; b.Accepted {
		g.Suspected = ""
	}
}

// accept notes the work at an acceptance; each event until the next one repeats it.
func (g *Gate) accept(work, head string) {
	if work != "" && work != g.Work {
		g.Work, g.WorkHead = work, head
		g.Works = append(g.Works, work)
	}
}

func done(stories []journal.Story) map[string]bool {
	m := map[string]bool{}
	for _, s := range stories {
		if s.Done {
			m[s.ID] = true
		}
	}
	return m
}
