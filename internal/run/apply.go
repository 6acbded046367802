package run

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"ralph/internal/journal"
)

// Apply updates the state with the next event.
func (s *State) Apply(e journal.Event) {
	s.Updated = e.Time
	if b, ok := e.Body.(journal.RunStarted); ok {
		s.start(e, b)
		return
	}
	r := s.Last()
	if r == nil {
		r = &Run{ID: e.Run, Headless: true}
		s.Runs = append(s.Runs, r)
	}
	r.hear(e)
	r.seq++
	r.Sources.note(r.seq, e.Body)
	base := s.Claims.Base
	switch b := e.Body.(type) {
	case journal.IterationStarted:
		s.forget(r)
		r.startIteration(e.Time, b)
		s.Parking.Pending.begin(r.Start.Branch, b)
	case journal.AttemptStarted:
		s.Claims.seen = Base{}
		r.attemptStarted(e.Time, b)
	case journal.AgentStarted:
		s.Claims.working = true
		r.Calls.Starting = false
	case journal.AttemptEnded:
		s.Claims.attemptEnded(b.Outcome)
		s.answered(r, e.Time, b)
		r.attemptEnded(e.Time, b)
	case journal.IterationEnded:
		s.Claims.iterationEnded(b)
		r.endIteration(e.Time, b)
		s.count(r, b)
	case journal.CheckEnded:
		s.Claims.checkEnded(b)
		r.checkEnded(b)
	case journal.StoryProved:
		r.storyProved(b)
	case journal.ReviewStarted:
		s.Claims.reviewed(b.Stories, func(r *Reviews) { r.Made++ })
		r.reviewStarted(b)
	case journal.ReviewEnded:
		s.Claims.reviewed(b.Stories, func(r *Reviews) {
			if b.Verdict != journal.ReviewNone {
				r.Refused = b.Verdict == journal.ReviewRefuse
			}
		})
		s.hearAccount(b.Harness, b.Limits)
		r.reviewEnded(e.Time, b)
	case journal.ClaimRejected:
		s.Claims.claimRejected(b)
		r.claimRejected(b)
	case journal.ClaimAccepted:
		s.Claims.claimAccepted(b)
		it := r.of(b.N)
		it.Accepted = append(it.Accepted, b)
		s.forgive(b.Stories)
		s.Parking.moved(base, s.Claims.Base)
		s.Parking.unpark(b.Stories...)
		r.Plan.park(s.Parking.Parked)
	case journal.BaseMoved:
		s.Claims.baseMoved(b)
		s.Parking.moved(base, s.Claims.Base)
		if b.Parked != "" {
			s.Parking.restored()
		}
	case journal.TamperFound:
		s.Claims.tamperFound(b)
		r.of(b.N).Tamper = &b
	case journal.NoWork:
		it := r.of(b.N)
		it.claim(b.Stories)
		it.NoWork = append(it.NoWork, b)
	case journal.PlanRestored:
		it := r.of(b.N)
		it.Restored = append(it.Restored, b)
		r.Restored = append(r.Restored, b)
	case journal.HeadMoved:
		s.Claims.away = true
		it := r.of(b.N)
		it.HeadMoved = append(it.HeadMoved, b)
		if b.Branch != r.Start.Branch {
			r.left, r.facts.Moved = b.Message, r.seq
		}
	case journal.PlanChanged:
		s.Claims.planChanged(b)
		r.Plan.set(e.Time, b.Stories, false)
	case journal.WaitStarted:
		s.Pausing = s.Pausing && b.Reason != journal.WaitPaused
		r.Wait = &Wait{b, e.Time}
		s.Limits.waitStarted(e.Time, b)
	case journal.WaitEnded:
		r.waitEnded(b)
		s.Limits.waitEnded(b)
	case journal.ClockJumped:
		switch {
		case !b.Slept: // the clock was set, and no time has passed
			r.began = r.began.Add(seconds(b.Seconds))
		case r.Wait == nil:
			r.Spent.Asleep += b.Seconds
		}
	case journal.BreakerOpened:
		s.Breaker, r.facts.Breaker = &b, r.seq
	case journal.BreakerReset:
		s.Breaker, s.Streak, r.facts.Row = nil, Streak{}, nil
	case journal.StoryParked: // the counts start again for the next story
		s.Parking.park(b)
		r.Plan.park(s.Parking.Parked)
		s.Breaker, s.Streak, r.facts.Row = nil, Streak{}, nil
	case journal.HarnessSwitched:
		r.Calls.Harness, r.Calls.Model = b.To, "" // its model is known with its call
	case journal.Request:
		s.request(r, b)
	case journal.Undone:
		s.Claims.undone(b)
		s.Parking = Parking{Parked: b.Parked}
		r.Plan.park(b.Parked)
		r.Plan.goBack(e.Time, b.Accepted)
	case journal.Archived:
		r.Archived = b.Path
	case journal.RunEnded:
		s.Claims.runEnded(b)
		s.Parking.Pending.mix(b.Mixed)
		s.Limits.runEnded(e.Time, b)
		s.Pausing = false
		r.endRun(e.Time, b)
	}
	if s.keeps(r) {
		r.note(e)
	}
}

// Fold returns the state after the events.
func Fold(events []journal.Event) *State {
	s := &State{}
	for _, e := range events {
		s.Apply(e)
	}
	return s
}

// start begins a run. What the last one left is kept: an open breaker, the limits that it met
// if it died, and its streak under the conditions of streakAfter.
func (s *State) start(e journal.Event, b journal.RunStarted) {
	old := s.Last()
	s.Streak = streakAfter(old, s.Streak, b)
	delete(s.Failures, "")              // a plan without stories may have another task
	for _, windows := range s.windows { // one without a reset may be long over
		maps.DeleteFunc(windows, func(_ string, w journal.LimitWindow) bool { return w.ResetsAt == nil })
	}
	if old != nil {
		old.Crashed = old.End == nil
		old.At().Closed = true
		s.forgetRun(old)
	}
	s.Claims.start(b)
	s.Pausing = false
	r := &Run{ID: e.Run, Start: b, StartedAt: e.Time, began: e.Time, print: b.Print, seq: 1}
	r.Calls = Calls{Harness: b.Harness, Model: b.Model, Reported: b.Model, Used: b.CallsUsed, Limit: b.RateLimit}
	r.Plan.set(e.Time, b.Stories, true)
	r.Plan.park(s.Parking.Parked)
	r.hear(e)
	s.Runs = append(s.Runs, r)
}

// hear notes the time of an event.
func (r *Run) hear(e journal.Event) {
	r.Updated = e.Time
	if e.Time.After(r.Latest) {
		r.Latest = e.Time
	}
	if !ofRecovery(e.Body) {
		r.Heard = e.Time
	}
}

// ofRecovery reports whether an event records the death of a loop. It may be written hours
// later.
func ofRecovery(body journal.Body) bool {
	switch b := body.(type) {
	case journal.AttemptEnded:
		return b.Outcome == journal.OutcomeCrash
	case journal.IterationEnded:
		return b.Outcome == journal.OutcomeCrash
	case journal.ReviewEnded:
		return b.Outcome == journal.OutcomeCrash
	case journal.RunEnded:
		return b.Reason == journal.ReasonCrashed
	case journal.PlanRestored, journal.Undone:
		return true
	}
	return false
}

// keeps reports whether the evidence of all iterations of the run is kept.
func (s *State) keeps(r *Run) bool {
	return s.Keep == KeepAll || s.Keep == r.ID || s.Keep == KeepLast && r == s.Last()
}

// forget drops the evidence of the last iteration, which is over, where it is not kept.
func (s *State) forget(r *Run) {
	if !s.keeps(r) {
		r.At().Evidence = Evidence{}
	}
}

// forgetRun drops the evidence of a run that is not the last one any more.
func (s *State) forgetRun(r *Run) {
	if s.Keep == KeepAll || s.Keep == r.ID {
		return
	}
	r.Before.Evidence, r.Notes = Evidence{}, nil
	for _, it := range r.Iterations {
		it.Evidence = Evidence{}
	}
}

func (r *Run) startIteration(at time.Time, b journal.IterationStarted) {
	r.At().Closed = true
	it := &Iteration{N: b.N, StartedAt: at, Story: b.Story, Head: b.Head}
	it.Complete, it.Total = r.Plan.Counts()
	r.Iterations = append(r.Iterations, it)
	if item := it.about(&r.Plan); item != nil {
		item.About++
	}
	r.Plan.Current = b.Story
	r.Wait = nil
}

func (r *Run) attemptStarted(at time.Time, b journal.AttemptStarted) {
	c := &r.Calls
	c.Count++
	put(&c.By, b.Harness, c.By[b.Harness]+1)
	c.Used, c.Limit, c.ResetsAt = b.CallsUsed, b.CallsLimit, b.CallsResetAt
	c.Harness, c.Open, c.OpenedAt, c.Starting, c.Last = b.Harness, &b, at, true, &b
	if b.Model != "" {
		c.Model = b.Model
	}
	it := r.of(b.N)
	it.Call, it.Outcome, it.Checking = &b, "", ""
	it.Attempts = append(it.Attempts, Attempt{AttemptStarted: b, At: at})
	r.Restored = nil
}

// answered takes the answer of a provider into account. It comes before attemptEnded.
func (s *State) answered(r *Run, at time.Time, b journal.AttemptEnded) {
	call := r.Calls.last()
	r.facts.Attempt = r.seq
	s.Limits.attemptEnded(at, call, b)
	s.hearAccount(call.Harness, b.Limits)
	if it := r.Open(); it != nil {
		it.Tried.add(b, call.Harness != r.Start.Harness, !r.Calls.Starting)
	}
}

func (r *Run) attemptEnded(at time.Time, b journal.AttemptEnded) {
	c, it := &r.Calls, r.of(b.N)
	if c.Starting && b.Outcome == journal.OutcomeError { // not started: the call was given back
		c.Used = max(0, c.Used-1)
	}
	r.spend(it, ModelUse{Harness: c.last().Harness, Model: cmp.Or(c.last().Model, b.Model), Calls: 1,
		Tokens: b.Tokens, Estimated: b.TokensEstimated, CostUSD: b.CostUSD})
	c.Open, c.OpenedAt, c.Starting = nil, time.Time{}, false
	r.Spent.Agent += b.DurationSeconds
	it.Spent.Agent += b.DurationSeconds
	if b.Model != "" {
		c.Model, c.Reported = b.Model, b.Model
	}
	it.Outcome = b.Outcome
	if n := len(it.Attempts); n > 0 {
		it.Attempts[n-1].End, it.Attempts[n-1].EndedAt = &b, at
	}
}

// reviewStarted counts a call of the reviewer.
func (r *Run) reviewStarted(b journal.ReviewStarted) {
	c := &r.Calls
	c.Count++
	put(&c.By, b.Harness, c.By[b.Harness]+1)
	if c.Review = &b; b.Harness == r.Start.Harness {
		c.Used, c.Limit, c.ResetsAt = b.CallsUsed, b.CallsLimit, b.CallsResetAt
	}
	r.At().Checking = "review"
}

func (r *Run) reviewEnded(at time.Time, b journal.ReviewEnded) {
	it := r.of(b.N)
	if call := r.Calls.Review; call != nil {
		r.spend(it, ModelUse{Harness: b.Harness, Model: cmp.Or(call.Model, b.Model), Calls: 1,
			Tokens: b.Tokens, Estimated: b.TokensEstimated, CostUSD: b.CostUSD})
	}
	r.Calls.Review = nil
	r.Spent.Agent += b.DurationSeconds
	it.Spent.Agent += b.DurationSeconds
	it.Reviews = append(it.Reviews, Review{b, at})
}

// spend adds what a call used to the run, its iteration, its story and its model.
func (r *Run) spend(it *Iteration, u ModelUse) {
	c := &r.Calls
	c.Tokens, c.CostUSD, c.Estimated = c.Tokens.Add(u.Tokens), journal.AddCost(c.CostUSD, u.CostUSD), c.Estimated || u.Estimated
	it.Tokens, it.CostUSD, it.Estimated = it.Tokens.Add(u.Tokens), journal.AddCost(it.CostUSD, u.CostUSD), it.Estimated || u.Estimated
	if item := it.about(&r.Plan); item != nil {
		item.CostUSD = journal.AddCost(item.CostUSD, u.CostUSD)
	}
	at := slices.IndexFunc(c.Models, func(m ModelUse) bool { return m.Harness == u.Harness && m.Model == u.Model })
	if at < 0 {
		c.Models = append(c.Models, u)
		return
	}
	m := &c.Models[at]
	m.Calls, m.Tokens, m.Estimated = m.Calls+u.Calls, m.Tokens.Add(u.Tokens), m.Estimated || u.Estimated
	m.CostUSD = journal.AddCost(m.CostUSD, u.CostUSD)
}

// about returns the item that the iteration is about, nil where the plan does not say.
func (it *Iteration) about(p *Plan) *Item {
	if it.Story == nil {
		return nil
	}
	return p.Item(it.Story.ID)
}

// last returns the last call.
func (c *Calls) last() journal.AttemptStarted {
	if c.Last == nil {
		return journal.AttemptStarted{}
	}
	return *c.Last
}

func (r *Run) endIteration(at time.Time, b journal.IterationEnded) {
	it := r.Open()
	if it == nil || it.N != b.N { // its start was lost
		r.At().Closed = true
		it = &Iteration{N: b.N}
		it.Complete, it.Total = r.Plan.Counts()
		r.Iterations = append(r.Iterations, it)
	}
	it.claim(b.StoriesPassed)
	it.End, it.EndedAt, it.Closed = &b, at, true
	r.Calls.Open, r.Calls.OpenedAt = nil, time.Time{}
	r.Ended++
	r.Commits += len(b.Commits)
	r.Plan.Current = b.CurrentStory
	r.Plan.accept(b.StoriesPassed, b.N)
	r.Plan.point(at, b.StoriesComplete, b.StoriesTotal)
}

// claim notes items that the agent marked.
func (it *Iteration) claim(ids []string) {
	known := make(map[string]bool, len(it.Claimed))
	for _, id := range it.Claimed {
		known[id] = true
	}
	for _, id := range ids {
		if !known[id] {
			it.Claimed = append(it.Claimed, id)
		}
	}
}

func (r *Run) checkEnded(b journal.CheckEnded) {
	it := r.of(b.N)
	r.At().Checking = b.Name
	switch {
	case b.Outside && !b.Compares():
		r.outside, r.facts.Outside = &b, r.seq
	case r.outside != nil && r.outside.Name == b.Name:
		r.outside = nil
	}
	if !b.Same {
		it.Spent.Check += b.DurationSeconds
		r.Spent.Check += b.DurationSeconds
	}
	if !b.Compares() {
		r.Checks.count(b)
	}
	if b.Outcome == journal.CheckPassed {
		b.Tail = ""
	}
	it.Checks = append(it.Checks, b)
}

func (c *Checks) count(b journal.CheckEnded) {
	c.Failing = slices.DeleteFunc(c.Failing, func(name string) bool { return name == b.Name })
	if b.Outcome == journal.CheckPassed {
		c.Green++
		return
	}
	c.Red++
	c.Failing = append(c.Failing, b.Name)
}

func (r *Run) storyProved(b journal.StoryProved) {
	it := r.of(b.N)
	it.Proofs = append(it.Proofs, b)
	if item := r.Plan.Item(b.Story); item != nil {
		item.Proof = &b
	}
}

func (r *Run) claimRejected(b journal.ClaimRejected) {
	it := r.of(b.N)
	it.claim(b.Stories)
	it.Rejected = append(it.Rejected, b)
	it.Refused = b.Reason
	r.Refused.Count++
	r.Refused.Reason = b.Reason
	r.Plan.refuse(b.Stories, b.Reason)
}

func (r *Run) waitEnded(b journal.WaitEnded) {
	r.Wait = nil
	if it := r.Open(); it != nil && b.Reason == journal.WaitTransient {
		it.Tried.Waited = true
	}
	r.Spent.Wait += b.Seconds
	r.At().Spent.Wait += b.Seconds
}

func (s *State) request(r *Run, b journal.Request) {
	switch b.Kind {
	case journal.RequestPause:
		s.Pausing, r.paused, r.facts.Paused = true, true, r.seq
	case journal.RequestResume:
		s.Pausing, r.paused, r.facts.Paused = false, false, r.seq
	case journal.RequestSet:
		r.set(b.Set)
	case journal.RequestUnpark:
		delete(s.Claims.Reviews, b.Text) // the user took it up again
		s.Parking.unpark(b.Text)
		r.Plan.park(s.Parking.Parked)
	case journal.RequestAllow:
		put(&s.Claims.Allowed, b.Text, b.Finding)
	case journal.RequestContext:
		s.Steer = append(s.Steer, b.Text)
	case journal.RequestClearContext:
		s.Steer = nil
	}
}

func (r *Run) endRun(at time.Time, b journal.RunEnded) {
	r.At().Closed = true
	if r.Wait != nil {
		r.Spent.CutOff += at.Sub(r.Wait.At).Seconds()
		r.Wait = nil
	}
	r.Calls.Open, r.Calls.OpenedAt = nil, time.Time{}
	r.End, r.EndedAt = &b, at
}

// note keeps what decided nothing about a story.
func (r *Run) note(e journal.Event) {
	switch b := e.Body.(type) {
	case journal.WaitStarted, journal.ClockJumped, journal.HarnessSwitched, journal.Request,
		journal.PlanChanged, journal.BreakerOpened, journal.BreakerReset, journal.StoryParked, journal.Warning:
		r.Notes = append(r.Notes, Note{At: e.Time, N: r.At().N, Body: b})
	case journal.WaitEnded:
		for i := len(r.Notes) - 1; i >= 0; i-- {
			if _, wait := r.Notes[i].Body.(journal.WaitStarted); wait {
				if r.Notes[i].Over == nil {
					r.Notes[i].Over = &b
				}
				return
			}
		}
	}
}
