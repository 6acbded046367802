package main

import (
	"strconv"
	"time"

	"ralph/internal/check"
	"ralph/internal/evidence"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/tamper"
)

// start opens a run, as loop.begin does.
func (w *world) start() {
	w.runs++
	w.settle()
	on := w.state.Claims
	w.record(journal.RunStarted{Harness: "a", Branch: "b", MaxIterations: w.rules.MaxIterations, StallThreshold: w.rules.NoProgress,
		SameError: w.rules.SameError, Rules: &w.rules, Print: w.print(), Stories: w.list()})
	w.watch(on)
}

// settle gives back the call that a dead process counted and did not make.
func (w *world) settle() {
	if over := w.taken - w.truth.calls; over > 0 {
		w.taken -= over
		w.used = max(0, w.used-over)
	}
}

// bury records the death of the last process, as unit.Recover does.
func (w *world) bury() {
	if r := w.state.Last(); r == nil || !r.Active() {
		return
	}
	p := w.state.Position()
	if w.calling() {
		w.record(journal.AttemptEnded{N: 1, Outcome: journal.OutcomeCrash})
	}
	if p.Open != nil && p.Open.Outcome != "" && !p.Open.Refused() {
		w.record(journal.IterationEnded{N: p.Open.N, Outcome: journal.OutcomeCrash, Error: "ralph itself died"})
	}
	w.record(journal.RunEnded{Reason: journal.ReasonCrashed, Status: journal.ReasonCrashed.Status(), ExitCode: journal.ReasonCrashed.ExitCode()})
	w.settle()
}

// calling reports whether the journal has a call without an end.
func (w *world) calling() bool {
	for i := len(w.events) - 1; i >= 0; i-- {
		switch w.events[i].Body.(type) {
		case journal.AttemptStarted:
			return true
		case journal.AttemptEnded, journal.IterationStarted, journal.IterationEnded, journal.RunStarted:
			return false
		}
	}
	return false
}

// maxSteps bounds a run: one that continues for ever is a broken invariant, too.
const maxSteps = 5000

// loop asks for the next step and does it, as loop.iterate does.
func (w *world) loop() {
	for range maxSteps {
		w.user()
		seen := w.see()
		p, rules := w.state.Position(), w.rules
		w.bug.plant(&p, &seen, &rules)
		step := run.Next(&p, seen, rules)
		w.process.next = p.Pick(seen.Open)
		if p.Open != nil {
			w.process.model = p.Model(rules)
		}
		switch {
		case step.Do == run.DoRestore:
			if !w.restore() {
				w.end(run.Step{Reason: journal.ReasonError})
				return
			}
		case step.Do == run.DoEnd:
			w.end(step)
			return
		default:
			w.do(step)
		}
	}
	w.fail("a run of %d steps has not ended", maxSteps)
}

// user is what people do while the run continues.
func (w *world) user() {
	switch w.rng.IntN(300) {
	case 0:
		w.process.stop = pick(w.rng, journal.ReasonStopped, journal.ReasonInterrupted)
		w.truth.stopped = true
	case 1:
		w.record(journal.Request{Kind: journal.RequestPause})
		w.truth.paused = true
	case 2:
		w.plan++
	case 3, 4, 5:
		// While an iteration is judged, it cannot be separated from what the agent did.
		if p := w.state.Position(); p.Open == nil || p.Open.Outcome == "" || p.Open.Refused() {
			w.edit(true)
		}
	case 6, 7:
		w.unpark()
	case 8, 9, 10:
		w.set()
	}
}

// unpark takes up one of the parked stories.
func (w *world) unpark() {
	for i := range w.stories {
		if w.parked[i] {
			w.record(journal.Request{Kind: journal.RequestUnpark, Text: strconv.Itoa(i)})
			return
		}
	}
}

// set changes settings of the run, all of them or none.
func (w *world) set() {
	keys := []string{"defaults.max_iterations", "defaults.min_iterations", "circuit_breaker.no_progress_threshold",
		"circuit_breaker.same_error_threshold", "budget.max_tokens"}
	values := []journal.Setting{{Key: keys[w.rng.IntN(len(keys))], Value: strconv.Itoa(1 + w.rng.IntN(12))}}
	bad := w.rng.IntN(3) == 0
	if bad {
		values = append(values, journal.Setting{Key: "defaults.max_iterations", Value: "many"})
	}
	c := run.Changeable{RunRules: w.rules}
	switch err := c.Set(values); {
	case bad && (err == nil || c.MaxIterations != w.rules.MaxIterations || c.NoProgress != w.rules.NoProgress || c.MaxTokens != w.rules.MaxTokens):
		w.fail("settings that cannot be are set, at least some of them: %+v", c.RunRules)
	case !bad && err != nil:
		w.fail("%v", err)
	case !bad:
		w.rules = c.RunRules
		w.record(journal.Request{Kind: journal.RequestSet, Set: values})
		if shown := w.state.Last().Start; shown.MaxIterations != w.rules.MaxIterations || shown.StallThreshold != w.rules.NoProgress {
			w.fail("the run shows other settings than it has")
		}
	}
}

func (w *world) see() run.Seen {
	s := run.Seen{Time: w.now, Stop: w.process.stop, Ready: w.process.ready, Red: w.broken, Left: "left", Print: w.print(),
		Calls: w.process.full, LooksDone: w.all(func(i int) bool { return w.stories[i].marked })}
	w.process.full = nil
	if w.all(func(i int) bool { return w.accepted[i] }) {
		s.Done = journal.ReasonStoriesComplete
	}
	if w.process.ready && w.all(func(i int) bool { return w.accepted[i] || w.stories[i].taken }) && s.Done == "" {
		for i, st := range w.stories {
			if st.taken {
				s.TakenOver = append(s.TakenOver, strconv.Itoa(i))
			}
		}
	}
	s.Marked = w.process.open && w.fresh()
	s.Open, s.Mixed = w.todo(), w.process.mixed
	if w.limited.After(w.now) && w.limited.After(w.process.waited) {
		s.Limit = &run.Limit{Agent: "a", Until: w.limited, Reset: w.limited}
	}
	return s
}

// todo returns the open items of the plan.
func (w *world) todo() []run.Todo {
	var list []run.Todo
	for i, s := range w.stories {
		if s.marked {
			continue
		}
		t := run.Todo{ID: strconv.Itoa(i), Priority: s.priority}
		for _, d := range s.dependsOn {
			t.DependsOn = append(t.DependsOn, strconv.Itoa(d))
		}
		list = append(list, t)
	}
	return list
}

func (w *world) do(s run.Step) {
	switch s.Do {
	case run.DoPrepare:
		w.compare()
		w.judge(0)
		w.process.ready = true
		w.look()
	case run.DoPark:
		w.park(s)
	case run.DoResetBreaker:
		w.record(journal.BreakerReset{Message: s.Message})
	case run.DoRest:
		w.record(journal.WaitStarted{Reason: s.Reason})
		w.now = w.now.Add(time.Hour)
		w.record(journal.Request{Kind: journal.RequestResume})
		w.truth.paused = false
		w.record(journal.WaitEnded{Reason: s.Reason, Seconds: 3600})
	case run.DoPause:
		w.now = w.now.Add(s.After)
	case run.DoBegin:
		w.begin(s.N)
	case run.DoCall:
		w.call(s.N)
	case run.DoWait:
		w.wait(s)
	case run.DoJudge:
		w.close(s.N)
	default:
		w.fail("there is no step %q", s.Do)
	}
}

func (w *world) begin(n int) {
	w.process.open, w.process.outcome, w.process.commits, w.process.promise = true, "", 0, false
	w.process.before = make([]bool, len(w.stories))
	for i, s := range w.stories {
		w.process.before[i] = s.marked
	}
	w.iterations++
	w.compare()
	start := journal.IterationStarted{N: n, State: w.save(), Mixed: w.process.mixed}
	if next := w.process.next; next != nil {
		start.Story = &journal.Story{ID: next.ID}
	}
	w.process.mixed = ""
	w.record(start)
	w.look()
}

func (w *world) wait(s run.Step) {
	began, until := w.now, s.Until
	w.process.refusedIn = 0
	w.record(journal.WaitStarted{Reason: s.Reason, Until: &until})
	if w.now.Before(until) {
		w.now = until
	}
	if s.Reason == journal.ReasonUsageLimit {
		w.process.waited = until
	}
	w.record(journal.WaitEnded{Reason: s.Reason, Seconds: max(0, w.now.Sub(began).Seconds())})
}

func (w *world) end(s run.Step) {
	if s.Opens > 0 {
		w.record(journal.BreakerOpened{Reason: s.Reason, Count: s.Opens, Print: w.print()})
	}
	w.compare()
	w.record(journal.RunEnded{Mixed: w.process.mixed, Reason: s.Reason, Status: s.Reason.Status(), ExitCode: s.Reason.ExitCode(), Head: "c", Work: strconv.Itoa(w.work())})
	w.rules.ResetCircuit = false
}

// call takes a call from the ledger and lets the agent do something.
func (w *world) call(n int) {
	if hour := w.now.Unix() / 3600; hour != w.hour {
		w.hour, w.used = hour, 0
	}
	if w.process.refusedIn == w.hour {
		w.fail("the ledger is asked again in an hour in which it refused a call")
	}
	if w.used >= w.rateLimit {
		w.process.refusedIn = w.hour
		w.process.full = &run.FullHour{Used: w.used, Limit: w.rateLimit, ResetsAt: w.now.Truncate(time.Hour).Add(time.Hour)}
		return
	}
	w.used, w.taken = w.used+1, w.taken+1
	w.compare()
	w.record(journal.AttemptStarted{N: n, Harness: "a", Model: w.process.model})
	w.record(journal.AgentStarted{N: n})
	end := w.agent(n)
	w.now = w.now.Add(time.Duration(1+w.rng.IntN(600)) * time.Second)
	w.process.outcome = end.Outcome
	w.look()
	w.record(end)
}

// agent works, lies, breaks things, or fails.
func (w *world) agent(n int) journal.AttemptEnded {
	e := journal.AttemptEnded{N: n, Outcome: journal.OutcomeOK, Message: "words"}
	e.Tokens.Input = int64(w.rng.IntN(200))
	if w.rng.IntN(8) == 0 {
		share := w.rng.Float64()
		e.Limits = []journal.LimitWindow{{Window: "five_hour", Utilization: &share}}
	}
	if w.overloaded {
		w.overloaded = w.rng.IntN(20) > 0
		e.Outcome = journal.OutcomeTransient
		return e
	}
	work := func() { w.edit(false); w.process.commits++ }
	mark := func() { w.stories[w.rng.IntN(len(w.stories))].marked = true }
	switch w.rng.IntN(16) {
	case 0, 1, 2, 3:
		work()
		mark()
		w.broken = w.broken && w.rng.IntN(2) == 0
	case 4:
		mark() // a lie
	case 5:
		work()
		w.broken = true
		mark()
	case 6:
		work()
		w.weak = true
		mark()
	case 7:
		w.weak = false // undone
		work()
	case 8:
		for i := range w.stories {
			w.stories[i].marked = true
		}
	case 9:
		w.process.promise = true
	case 10:
		if w.rng.IntN(2) == 0 {
			work()
			mark()
		}
		e.Outcome = journal.OutcomeUsageLimit
		w.limited = w.now.Add(time.Duration(w.rng.IntN(5*3600)+700) * time.Second)
	case 11:
		e.Outcome = journal.OutcomeTransient
		w.overloaded = w.rng.IntN(4) == 0 // for a while
	case 12:
		e.Outcome = pick(w.rng, journal.OutcomeError, journal.OutcomeTimeout, journal.OutcomeCrash)
	case 13:
		if w.rng.IntN(6) == 0 {
			w.away = true
		}
	case 14:
		if w.rng.IntN(6) == 0 {
			e.Outcome = journal.OutcomeAuth
		}
	}
	return e
}

// close judges the iteration and records its end, as loop.conclude does.
func (w *world) close(n int) {
	if w.away {
		w.record(journal.HeadMoved{N: n, Branch: "other", Message: "the agent left the branch"})
		w.truth.left = true
	}
	var passed []string
	done := journal.Reason("")
	if !w.away {
		passed = w.judge(n)
		if w.all(func(i int) bool { return w.accepted[i] }) && !w.broken {
			done = journal.ReasonStoriesComplete
		}
	}
	early := w.process.promise && done == "" && n < w.rules.MinIterations
	w.truth.early = early && len(passed) == 0
	result := run.BreakerFacts{Progress: len(passed) > 0, TooEarly: early}
	if w.process.outcome != journal.OutcomeOK {
		result.Error = "words"
	}
	streak := w.state.Streak.After(result)
	w.record(journal.IterationEnded{N: n, Outcome: w.process.outcome, Error: result.Error, Progress: result.Progress, NoProgress: streak.NoProgress,
		SameError: streak.SameError, Done: done != "", DoneReason: done, StoriesPassed: passed, Print: w.print()})
	w.process.open = false
	w.look()
}

// judge sends the marks without an acceptance on record through the gate.
func (w *world) judge(n int) []string {
	c := evidence.Claim{N: n, Looked: true}
	for i, s := range w.stories {
		if !s.marked || w.onRecord(i) {
			continue
		}
		c.Items = append(c.Items, strconv.Itoa(i))
		if s.taken {
			c.TakenOver = append(c.TakenOver, strconv.Itoa(i))
		}
	}
	if len(c.Items) == 0 {
		return nil
	}
	f := evidence.Facts{Worktree: git.WorktreeState{}, Idle: w.work() == w.lastBase(), Looked: true, Complete: w.process.stop == ""}
	if w.weak {
		f.Findings = []tamper.Finding{{Path: "a_test.go", Rule: "test-removed"}}
	}
	result := check.Result{Check: check.Check{Name: "unit"}, Outcome: journal.CheckPassed}
	if w.broken {
		result.Outcome = journal.CheckFailed
	}
	f.Checks = []evidence.CheckFact{{Result: result, Phase: journal.PhaseClaim}}
	rules := w.gate
	w.bug.plantGate(w, &c, &f, &rules)
	w.review(c, &f, rules)
	w.bug.plantGate(w, &c, &f, &rules)
	v := evidence.Weigh(c, f, rules)
	for _, r := range v.Refusals {
		if r.Claim != journal.ClaimStory {
			continue
		}
		for _, id := range r.Items {
			i, _ := strconv.Atoi(id)
			w.stories[i].marked = false
		}
		w.record(journal.ClaimRejected{N: n, Claim: r.Claim, Stories: r.Items, Reason: r.Reason, Rule: string(r.Rule)})
	}
	if len(v.Accepted) == 0 {
		return nil
	}
	w.record(journal.ClaimAccepted{N: n, Stories: v.Accepted, Rule: string(v.Rule), Commit: "c", Work: strconv.Itoa(w.work())})
	return v.Accepted
}

// review asks the reviewer about what nothing else speaks against, as evidence.review does.
func (w *world) review(c evidence.Claim, f *evidence.Facts, r evidence.Rules) {
	items := evidence.Weigh(c, *f, r).Accepted
	if !w.reviews || len(items) == 0 || f.Idle || !f.Complete {
		return
	}
	past := func() (p run.Reviews) {
		for _, id := range items {
			one := w.state.Claims.Reviews[id]
			p.Made, p.Refused = max(p.Made, one.Made), p.Refused || one.Refused
		}
		return p
	}
	f.Review, f.Reviewed = &journal.ReviewEnded{Verdict: journal.ReviewNone}, past()
	for f.Review.Verdict == journal.ReviewNone && f.Reviewed.Made < r.Review.Most {
		w.record(journal.ReviewStarted{N: c.N, Stories: items, Harness: "reviewer"})
		end := journal.ReviewEnded{N: c.N, Stories: items, Harness: "reviewer",
			Verdict: pick(w.rng, journal.ReviewAccept, journal.ReviewRefuse, journal.ReviewNone)}
		end.Tokens.Input = int64(w.rng.IntN(50))
		w.record(end)
		f.Review, f.Reviewed = &end, past()
	}
}

// lastBase is the base as the journal has it.
func (w *world) lastBase() int {
	w.sync()
	return w.base
}

// sync takes acceptances that are on record into account: the truth about them is the
// journal's, also where the process died right after.
func (w *world) sync() {
	for ; w.synced < len(w.events); w.synced++ {
		switch b := w.events[w.synced].Body.(type) {
		case journal.ClaimAccepted:
			w.accept(b.Stories)
			w.base, _ = strconv.Atoi(b.Work)
		case journal.BaseMoved:
			w.base, _ = strconv.Atoi(b.Work)
		case journal.Undone:
			clear(w.accepted)
			w.accept(b.Accepted)
			w.base, _ = strconv.Atoi(b.Work)
		}
	}
}

func (w *world) accept(ids []string) {
	for _, id := range ids {
		i, _ := strconv.Atoi(id)
		w.accepted[i] = true
	}
}

func (w *world) onRecord(i int) bool {
	w.sync()
	return w.accepted[i]
}

// fresh reports whether a mark was made in the iteration that is not on record.
func (w *world) fresh() bool {
	for i, s := range w.stories {
		if s.marked && !w.onRecord(i) && !s.taken {
			return true
		}
	}
	return false
}

func (w *world) all(is func(int) bool) bool {
	w.sync()
	for i := range w.stories {
		if !is(i) {
			return false
		}
	}
	return true
}

func (w *world) print() string { return strconv.Itoa(w.plan) + ":" + strconv.Itoa(w.work()) }

func (w *world) list() []journal.Story {
	w.sync()
	list := make([]journal.Story, len(w.stories))
	for i := range list {
		list[i] = journal.Story{ID: strconv.Itoa(i), Done: w.accepted[i]}
	}
	return list
}
