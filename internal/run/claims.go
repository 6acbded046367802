package run

import "ralph/internal/journal"

// Claims holds what ralph needs from the journal to judge claims. It lasts longer than a run.
type Claims struct {
	Accepted  map[string]bool         // items with an acceptance on record, or done when the last run started
	TakenOver map[string]bool         // items that were marked when ralph first saw the plan, and not accepted since
	Allowed   map[string]string       // items that the user allowed, with the finding; not used up yet
	Refused   map[string]bool         // items with a claim, and whether the last one was refused
	Reviews   map[string]Reviews      // of items, since they were accepted; "" is the promise
	Red       map[string]bool         // checks that were red before the last run, and since
	Rejected  bool                    // a story was rejected, and none accepted since
	Base      Base                    // what claims are compared with; zero for a new unit
	Tests     string                  // commit with tests as they were before accepted stories
	Works     []string                // fingerprints of the worktree at each base
	Known     []journal.TamperFinding // findings that are part of the base, or were accepted
	Borrowed  []journal.Borrowed      // folders that checks borrow, at the base
	Weakened  bool                    // findings were not accepted, and not undone

	seen    Base
	cutOff  bool
	working bool // an agent may have worked since the last judgement
	away    bool // the agent left the branch: its head may be that of another one
	old     bool // the base is one of a journal of before base_moved
}

// Reviews counts the reviews of the claims about an item.
type Reviews struct {
	Made    int  // calls, with and without a verdict
	Refused bool // the last one with a verdict refused
}

// Base identifies a state of the work: a commit, and a fingerprint of its worktree without
// the plan.
type Base struct{ Commit, Work string }

// CutOff reports whether ralph was interrupted before it had judged the last iteration.
func (g *Claims) CutOff() bool { return g.cutOff || g.working }

// Seen returns the commit and worktree that ralph inspected last. It is zero after a crash.
func (g *Claims) Seen() Base {
	if g.old && !g.CutOff() && !g.Rejected {
		return Base{g.Base.Commit, g.seen.Work} // what was committed since was let pass then
	}
	return g.seen
}

func (g *Claims) start(b journal.RunStarted) {
	// Marks that no one judged stay so until someone does.
	g.Accepted, g.cutOff, g.working = done(b.Stories), g.CutOff(), false
	g.away, g.TakenOver = false, map[string]bool{}
	delete(g.Reviews, "") // a plan without items may have another task
	for _, id := range b.TakenOver {
		g.TakenOver[id] = true
	}
	g.acceptedAt(b.Work, b.Head)
}

func (g *Claims) planChanged(b journal.PlanChanged) {
	g.Accepted, g.cutOff = done(b.Stories), false
	for _, id := range b.Reopened {
		delete(g.TakenOver, id)
	}
}

func (g *Claims) claimRejected(b journal.ClaimRejected) {
	g.cutOff = g.cutOff && b.N > 0
	g.Rejected = g.Rejected || b.Claim == journal.ClaimStory
	g.settle(b.Stories, true)
}

func (g *Claims) claimAccepted(b journal.ClaimAccepted) {
	g.accept(b.Stories)
	for _, id := range b.Stories {
		delete(g.TakenOver, id)
		delete(g.Reviews, id)
	}
	g.settle(b.Stories, false)
	g.Weakened, g.Tests = false, b.Tests
	g.moved(Base{b.Commit, b.Work}, b.Known, b.Borrowed)
}

// reviewed notes a review of a claim that started, or its verdict.
func (g *Claims) reviewed(stories []string, note func(*Reviews)) {
	if len(stories) == 0 {
		stories = []string{""}
	}
	for _, id := range stories {
		r := g.Reviews[id]
		note(&r)
		put(&g.Reviews, id, r)
	}
}

// settle notes that claims about items were judged.
func (g *Claims) settle(ids []string, refused bool) {
	for _, id := range ids {
		put(&g.Refused, id, refused)
		delete(g.Allowed, id)
	}
}

func (g *Claims) moved(base Base, known []journal.TamperFinding, borrowed []journal.Borrowed) {
	g.Borrowed = borrowed
	g.Base, g.Known, g.old = base, append([]journal.TamperFinding(nil), known...), false
	g.Works = append(g.Works, base.Work)
}

// baseMoved: of a story that is parked nothing is left to judge.
func (g *Claims) baseMoved(b journal.BaseMoved) {
	g.moved(Base{b.Commit, b.Work}, b.Known, b.Borrowed)
	if b.Parked != "" {
		g.seen, g.Weakened, g.cutOff, g.working = g.Base, false, false, false
	}
}

// acceptedAt reads the base of journals that have no event for it: each event until the
// next acceptance repeats it.
func (g *Claims) acceptedAt(work, head string) {
	if work != "" && work != g.Base.Work {
		g.moved(Base{head, work}, nil, nil)
		g.old = true
	}
}

func (g *Claims) tamperFound(b journal.TamperFound) {
	if g.Weakened = !b.Accepted; b.Accepted {
		g.Known = append(g.Known, b.Findings...)
	}
}

func (g *Claims) attemptEnded(o journal.Outcome) {
	switch {
	case o.NoIteration():
		g.working = false // a call that the provider refused leaves nothing to judge
	case o == journal.OutcomeCrash:
		g.working = true // the agent may have worked before that was on record
	}
}

func (g *Claims) iterationEnded(b journal.IterationEnded) {
	g.working = false
	if !g.away {
		g.seen = Base{Commit: b.Head} // what comes later is people's
	}
	g.acceptedAt(b.Work, b.Head)
	g.cutOff = b.Outcome == journal.OutcomeCrash || b.Outcome == journal.OutcomeInterrupted
	g.accept(b.StoriesPassed)
}

func (g *Claims) accept(ids []string) {
	for _, id := range ids {
		put(&g.Accepted, id, true)
		g.Rejected = false
	}
}

func (g *Claims) runEnded(b journal.RunEnded) {
	g.cutOff = g.cutOff || b.Reason == journal.ReasonBranchChanged
	if b.Reason != journal.ReasonCrashed {
		g.seen = Base{b.Head, b.Work}
	}
}

// undone goes back to what was known at an earlier time.
func (g *Claims) undone(b journal.Undone) {
	g.Accepted, g.TakenOver = map[string]bool{}, map[string]bool{}
	for _, id := range b.Accepted {
		g.Accepted[id] = true
	}
	for _, id := range b.TakenOver {
		g.TakenOver[id] = true
	}
	g.moved(Base{b.Base, b.Work}, b.Known, nil)
	g.seen, g.Weakened = Base{b.Seen, b.SeenWork}, b.Weakened
	g.Rejected, g.cutOff, g.working, g.away = false, false, false, false
}

func (g *Claims) checkEnded(b journal.CheckEnded) {
	switch {
	case b.Compares():
	case b.Outcome == journal.CheckPassed:
		delete(g.Red, b.Name)
	case b.Phase == journal.PhaseBaseline:
		put(&g.Red, b.Name, true)
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

// put sets a key of a map that may be nil.
func put[V any](m *map[string]V, key string, v V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = v
}
