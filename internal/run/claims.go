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
func (c *Claims) CutOff() bool { return c.cutOff || c.working }

// Seen returns the commit and worktree that ralph inspected last. It is zero after a crash.
func (c *Claims) Seen() Base {
	if c.old && !c.CutOff() && !c.Rejected {
		return Base{c.Base.Commit, c.seen.Work} // what was committed since was let pass then
	}
	return c.seen
}

func (c *Claims) start(b journal.RunStarted) {
	// Marks that no one judged stay so until someone does.
	c.Accepted, c.cutOff, c.working = done(b.Stories), c.CutOff(), false
	c.away, c.TakenOver = false, map[string]bool{}
	delete(c.Reviews, "") // a plan without items may have another task
	for _, id := range b.TakenOver {
		c.TakenOver[id] = true
	}
	c.acceptedAt(b.Work, b.Head)
}

func (c *Claims) planChanged(b journal.PlanChanged) {
	c.Accepted, c.cutOff = done(b.Stories), false
	for _, id := range b.Reopened {
		delete(c.TakenOver, id)
	}
}

func (c *Claims) claimRejected(b journal.ClaimRejected) {
	c.cutOff = c.cutOff && b.N > 0
	c.Rejected = c.Rejected || b.Claim == journal.ClaimStory
	c.settle(b.Stories, true)
}

func (c *Claims) claimAccepted(b journal.ClaimAccepted) {
	c.accept(b.Stories)
	for _, id := range b.Stories {
		delete(c.TakenOver, id)
		delete(c.Reviews, id)
	}
	c.settle(b.Stories, false)
	c.Weakened, c.Tests = false, b.Tests
	c.moved(Base{b.Commit, b.Work}, b.Known, b.Borrowed)
}

// reviewed notes a review of a claim that started, or its verdict.
func (c *Claims) reviewed(stories []string, note func(*Reviews)) {
	if len(stories) == 0 {
		stories = []string{""}
	}
	for _, id := range stories {
		r := c.Reviews[id]
		note(&r)
		put(&c.Reviews, id, r)
	}
}

// settle notes that claims about items were judged.
func (c *Claims) settle(ids []string, refused bool) {
	for _, id := range ids {
		put(&c.Refused, id, refused)
		delete(c.Allowed, id)
	}
}

func (c *Claims) moved(base Base, known []journal.TamperFinding, borrowed []journal.Borrowed) {
	c.Borrowed = borrowed
	c.Base, c.Known, c.old = base, append([]journal.TamperFinding(nil), known...), false
	c.Works = append(c.Works, base.Work)
}

// baseMoved: of a story that is parked nothing is left to judge.
func (c *Claims) baseMoved(b journal.BaseMoved) {
	c.moved(Base{b.Commit, b.Work}, b.Known, b.Borrowed)
	if b.Parked != "" {
		c.seen, c.Weakened, c.cutOff, c.working = c.Base, false, false, false
	}
}

// acceptedAt reads the base of journals that have no event for it: each event until the
// next acceptance repeats it.
func (c *Claims) acceptedAt(work, head string) {
	if work != "" && work != c.Base.Work {
		c.moved(Base{head, work}, nil, nil)
		c.old = true
	}
}

func (c *Claims) tamperFound(b journal.TamperFound) {
	if c.Weakened = !b.Accepted; b.Accepted {
		c.Known = append(c.Known, b.Findings...)
	}
}

func (c *Claims) attemptEnded(o journal.Outcome) {
	switch {
	case o.NoIteration():
		c.working = false // a call that the provider refused leaves nothing to judge
	case o == journal.OutcomeCrash:
		c.working = true // the agent may have worked before that was on record
	}
}

func (c *Claims) iterationEnded(b journal.IterationEnded) {
	c.working = false
	if !c.away {
		c.seen = Base{Commit: b.Head} // what comes later is people's
	}
	c.acceptedAt(b.Work, b.Head)
	c.cutOff = b.Outcome == journal.OutcomeCrash || b.Outcome == journal.OutcomeInterrupted
	c.accept(b.StoriesPassed)
}

func (c *Claims) accept(ids []string) {
	for _, id := range ids {
		put(&c.Accepted, id, true)
		c.Rejected = false
	}
}

func (c *Claims) runEnded(b journal.RunEnded) {
	c.cutOff = c.cutOff || b.Reason == journal.ReasonBranchChanged
	if b.Reason != journal.ReasonCrashed {
		c.seen = Base{b.Head, b.Work}
	}
}

// undone goes back to what was known at an earlier time.
func (c *Claims) undone(b journal.Undone) {
	c.Accepted, c.TakenOver = map[string]bool{}, map[string]bool{}
	for _, id := range b.Accepted {
		c.Accepted[id] = true
	}
	for _, id := range b.TakenOver {
		c.TakenOver[id] = true
	}
	c.moved(Base{b.Base, b.Work}, b.Known, nil)
	c.seen, c.Weakened = Base{b.Seen, b.SeenWork}, b.Weakened
	c.Rejected, c.cutOff, c.working, c.away = false, false, false, false
}

func (c *Claims) checkEnded(b journal.CheckEnded) {
	switch {
	case b.Compares():
	case b.Outcome == journal.CheckPassed:
		delete(c.Red, b.Name)
	case b.Phase == journal.PhaseBaseline:
		put(&c.Red, b.Name, true)
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
