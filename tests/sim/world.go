package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"ralph/internal/evidence"
	"ralph/internal/journal"
	"ralph/internal/run"
)

// world is a unit, its project and its users. What is true in it is kept apart from what
// the journal says about it: the invariants compare the two.
type world struct {
	seed    uint64
	rng     *rand.Rand
	bug     bug
	now     time.Time
	events  []journal.Event // the journal
	state   *run.State      // its fold, as the living process has it
	rules   journal.RunRules
	gate    evidence.Rules
	runs    int // started
	process process

	iterations int

	// The project.
	stories  []story
	tree     *change
	changes  int // so far
	states   []saved
	parked   map[int]bool
	leaving  bool // the work on a parked story is still in the worktree
	trueBase int  // work that claims have to be compared with
	weak     bool // tests are weaker than at the base
	broken   bool // the quality checks fail
	plan     int  // fingerprint of the plan's files, but for the marks
	away     bool // another branch is checked out
	accepted map[int]bool
	base     int            // of claims, as the journal has it
	synced   int            // number of events already in accepted and base
	failures map[string]int // by story, over runs
	story    string         // of the open iteration

	// The account.
	limited    time.Time // the provider refuses calls until then
	hour       int64
	used       int // calls of the hour, in the ledger
	taken      int // calls that the ledger counted
	rateLimit  int
	overloaded bool // the provider, for a while

	// A second agent, and how often and what it said about each story.
	reviews  bool
	reviewed map[string]int
	verdicts map[string]journal.ReviewVerdict

	truth truth
}

// truth counts, without the code under test, what the rules are about.
type truth struct {
	row       int    // iterations in a row without progress
	print     string // of the plan and HEAD, after the last iteration that counts
	died      bool   // the last run
	early     bool
	started   int // iterations of this run
	tokens    int64
	stood     time.Duration // at limits, since a call went through
	stopped   bool          // the run was asked to end
	paused    bool
	left      bool // the agent left the branch
	auth      bool
	done      bool
	open      bool      // the breaker
	calls     int       // attempts on record
	overload  bool      // the last call met one, and was not waited for since
	overloads int       // of this iteration
	began     time.Time // this run
	account   float64   // share that the last call reported
	starts    int
	ends      int
}

type story struct {
	marked bool
	taken  bool // marked when ralph first saw the plan

	priority  float64
	dependsOn []int
}

// process is the memory of a running ralph: lost when it dies.
type process struct {
	ready     bool
	open      bool
	outcome   journal.Outcome
	model     string // that the rules chose
	before    []bool // marks when the iteration began
	next      *run.Todo
	seen      int // worktree at the last look
	looked    bool
	mixed     string
	commits   int
	promise   bool
	full      *run.FullHour
	refusedIn int64     // the hour in which the ledger refused a call
	waited    time.Time // until when a limit was waited out
	stop      journal.Reason
}

// death is the end of the process; broken the end of the simulation.
type (
	death  struct{}
	broken struct{ error }
)

func newWorld(seed uint64, b bug) *world {
	rng := rand.New(rand.NewPCG(seed, 7))
	w := &world{seed: seed, rng: rng, bug: b, now: time.Unix(1_800_000_000, 0).UTC(), state: &run.State{}, accepted: map[int]bool{},
		parked: map[int]bool{}, failures: map[string]int{},
		reviewed: map[string]int{}, verdicts: map[string]journal.ReviewVerdict{}}
	w.rules = journal.RunRules{MaxIterations: 1 + rng.IntN(12), MinIterations: rng.IntN(4), NoProgress: rng.IntN(5), SameError: rng.IntN(6), InstantExits: 3,
		OnLimit: pick(rng, run.LimitWait, run.LimitWait, run.LimitAsk, run.LimitExit), MaxWaitHours: 6, PauseSeconds: 2, TransientSeconds: 1}
	if rng.IntN(3) == 0 {
		w.rules.MaxTokens = int64(100 + rng.IntN(2000))
	}
	if rng.IntN(4) == 0 {
		w.rules.MaxTimeSeconds = float64(1 + rng.IntN(12*3600))
	}
	if rng.IntN(4) == 0 {
		ends := w.now.Add(time.Duration(rng.IntN(24*3600)) * time.Second)
		w.rules.EndsAt = &ends
	}
	if rng.IntN(4) == 0 {
		w.rules.MaxAccount = 50
	}
	if rng.IntN(2) == 0 {
		w.rules.Escalate = []string{"weak", "strong", "stronger"}
	}
	w.rules.OnStuck = pick(rng, run.StuckStop, run.StuckPark)
	w.gate = evidence.Rules{Mode: evidence.InPlace, RequireChange: true, RejectWeakened: true}
	w.reviews = rng.IntN(3) == 0
	w.gate.Review = evidence.ReviewRules{Require: rng.IntN(3) > 0, Most: 2}
	w.rateLimit = 2 + rng.IntN(12)
	w.stories = make([]story, 1+rng.IntN(6))
	for i := range w.stories {
		if rng.IntN(12) == 0 {
			w.stories[i] = story{marked: true, taken: true}
		}
		w.stories[i].priority = float64(rng.IntN(5))
		if i > 0 && rng.IntN(3) == 0 {
			w.stories[i].dependsOn = []int{rng.IntN(i)}
		}
	}
	return w
}

// play plays several runs after each other. Each may die at any event.
func (w *world) play() (err error) {
	defer func() {
		if r := recover(); r != nil {
			b, ok := r.(broken)
			if !ok {
				panic(r)
			}
			err = b
		}
	}()
	for range 3 + w.rng.IntN(8) {
		w.between()
		w.life(func() { w.bury(); w.start(); w.loop() })
	}
	for !w.life(w.bury) { // the last one is recovered, too: its record is complete
	}
	w.complete()
	return nil
}

// between is what happens while no ralph runs.
func (w *world) between() {
	w.now = w.now.Add(time.Duration(w.rng.IntN(7200)) * time.Second)
	switch w.rng.IntN(8) {
	case 0:
		w.plan++
	case 1:
		last := w.state.Last() // where it died, it is not known who changed something
		alone := last == nil || last.End != nil && last.End.Reason != journal.ReasonCrashed && w.work() == w.trueBase
		if w.edit(true); alone {
			w.trueBase = w.work()
		}
	case 2:
		w.rules.ResetCircuit = true
	case 3:
		w.life(func() { w.bury(); w.unpark() })
	case 4:
		n := w.rng.IntN(3)
		for !w.life(func() { w.bury(); w.undo(n) }) { // the user repeats what was cut off
		}
	}
	w.away = false
}

// life is what one process does. It reports whether that was done: the process may die at
// any event.
func (w *world) life(do func()) (done bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, dead := r.(death); !dead {
				panic(r)
			}
		}
	}()
	w.process = process{}
	if w.rng.IntN(3) == 0 {
		w.state = run.Fold(w.events) // a new process knows what is on disk and nothing else
	}
	do()
	return true
}

// record appends an event, and lets the process die before or after it.
func (w *world) record(b journal.Body) {
	fate := w.rng.IntN(400)
	if fate == 0 {
		panic(death{}) // the line is torn, and cut off by the next process
	}
	e := journal.Event{Time: w.now, Run: strconv.Itoa(w.runs), Body: b}
	w.check(b)
	w.events = append(w.events, e)
	w.state.Apply(e)
	w.agree()
	if fate == 1 {
		panic(death{})
	}
	w.now = w.now.Add(time.Duration(w.rng.IntN(50)) * time.Millisecond)
	if w.rng.IntN(500) == 0 {
		w.now = w.now.Add(time.Duration(w.rng.IntN(7200)-3600) * time.Second) // the clock jumps
	}
}

// agree checks that what is shown agrees with the journal.
func (w *world) agree() {
	end, ok := w.events[len(w.events)-1].Body.(journal.RunEnded)
	if !ok {
		return
	}
	s := w.state.Status()
	if s.Status != end.Reason.Status() || s.Reason != end.Reason || end.ExitCode != end.Reason.ExitCode() {
		w.fail("the status is %s (%s), the run ended with %s, exit %d", s.Status, s.Reason, end.Reason, end.ExitCode)
	}
}

// check checks the invariants for an event before it is recorded.
func (w *world) check(b journal.Body) {
	t := &w.truth
	switch b := b.(type) {
	case journal.RunStarted:
		t.starts++
		if short := w.rules.MaxIterations < w.rules.NoProgress; !short && !t.died || w.print() != t.print || w.rules.ResetCircuit {
			t.row = 0 // only a short run that is repeated, or one after a death, continues the row
		}
		*t = truth{row: t.row, print: t.print, open: t.open, calls: t.calls, stood: t.stood, began: w.now, starts: t.starts, ends: t.ends}
	case journal.StoryParked:
		w.checkParked(b)
	case journal.BaseMoved:
		if b.Parked != "" {
			w.checkRestored(b)
		}
	case journal.Undone:
		clear(w.parked)
		for _, p := range b.Parked {
			i, _ := strconv.Atoi(p.Story)
			w.parked[i] = true
		}
		w.leaving = false
		w.trueBase, _ = strconv.Atoi(b.Work)
	case journal.Request:
		if b.Kind == journal.RequestUnpark {
			delete(w.reviewed, b.Text)
			delete(w.verdicts, b.Text)
			i, _ := strconv.Atoi(b.Text)
			delete(w.parked, i)
			w.leaving = w.leaving && w.state.Parking.Leaving != nil && w.state.Parking.Leaving.Story != b.Text
		}
	case journal.IterationStarted:
		w.checkBegin(b)
		t.started++
		w.story = ""
		if b.Story != nil {
			w.story = b.Story.ID
		}
		t.overload, t.overloads = false, 0
		switch {
		case t.started > w.rules.MaxIterations:
			w.fail("iteration %d of at most %d", t.started, w.rules.MaxIterations)
		case w.rules.NoProgress > 0 && t.row >= w.rules.NoProgress:
			w.fail("an iteration after %d without progress", t.row)
		case t.open:
			w.fail("an iteration with an open breaker")
		case w.rules.MaxTokens > 0 && t.tokens >= w.rules.MaxTokens:
			w.fail("an iteration after %d of %d tokens", t.tokens, w.rules.MaxTokens)
		case w.late(w.now):
			w.fail("an iteration after the time of the run")
		case w.rules.MaxAccount > 0 && t.account >= w.rules.MaxAccount:
			w.fail("an iteration at %g%% of the account", t.account)
		case t.done:
			w.fail("an iteration after the plan was done")
		case t.auth:
			w.fail("an iteration without a login")
		}
	case journal.AttemptStarted:
		t.calls++
		if m := w.rules.Escalate; len(m) > 0 && b.Model != m[min(w.failures[w.story], len(m)-1)] {
			w.fail("a call of %q after %d failures on story %s", b.Model, w.failures[w.story], w.story)
		}
		switch {
		case w.limited.After(w.now) && w.limited.After(w.process.waited):
			w.fail("a call at a known limit, %s before its end", w.limited.Sub(w.now))
		case t.stopped:
			w.fail("a call after the run was asked to end")
		case t.paused:
			w.fail("a call while the run is paused")
		case t.left:
			w.fail("a call on another branch")
		case t.overloads >= 10:
			w.fail("a call after %d overloads", t.overloads)
		case t.overload:
			w.fail("a call right after an overload")
		case w.used > w.rateLimit:
			w.fail("call %d of %d in this hour", w.used, w.rateLimit)
		}
	case journal.AttemptEnded:
		t.tokens += b.Tokens.Total()
		for _, l := range b.Limits {
			t.account = 100 * *l.Utilization
		}
		t.overload = b.Outcome == journal.OutcomeTransient
		if t.overload {
			t.overloads++
		}
		switch b.Outcome {
		case journal.OutcomeTransient, journal.OutcomeUsageLimit, journal.OutcomeAuth:
		default:
			t.stood = 0
		}
	case journal.WaitStarted:
		if b.Until != nil && w.late(*b.Until) {
			w.fail("a wait beyond the time of the run")
		}
	case journal.WaitEnded:
		t.overload = t.overload && b.Reason != journal.WaitTransient
		if b.Reason == journal.ReasonUsageLimit {
			if t.stood += time.Duration(b.Seconds) * time.Second; t.stood > time.Duration(w.rules.MaxWaitHours*float64(time.Hour)) {
				w.fail("%s at usage limits", t.stood)
			}
		}
	case journal.ClaimAccepted:
		w.checkAccepted(b)
		for _, id := range b.Stories {
			if w.gate.Review.Require && w.verdicts[id] == journal.ReviewRefuse {
				w.fail("story %s is accepted, and its review refused it", id)
			}
			delete(w.failures, id)
			i, _ := strconv.Atoi(id)
			delete(w.parked, i)
			delete(w.reviewed, id)
			delete(w.verdicts, id)
		}
		w.trueBase = w.work()
	case journal.ReviewStarted:
		for _, id := range b.Stories {
			if w.reviewed[id]++; w.reviewed[id] > w.gate.Review.Most {
				w.fail("review %d of story %s", w.reviewed[id], id)
			}
		}
	case journal.ReviewEnded:
		t.tokens += b.Tokens.Total()
		for _, id := range b.Stories {
			if b.Verdict != journal.ReviewNone {
				w.verdicts[id] = b.Verdict
			}
		}
	case journal.IterationEnded:
		t.auth, t.done = b.Outcome == journal.OutcomeAuth, b.Done
		if b.Outcome != journal.OutcomeCrash || b.Print != "" {
			t.print = b.Print
		}
		ofModel := b.Outcome == journal.OutcomeOK || b.Outcome == journal.OutcomeError || b.Outcome == journal.OutcomeTimeout || b.Outcome == journal.OutcomeCrash
		if ofModel && b.Print != "" && !slices.Contains(b.StoriesPassed, w.story) {
			w.failures[w.story]++
		}
		switch {
		case b.Progress:
			t.row = 0
		case b.Print != "" && !t.early: // ralph's own death is no step
			t.row++
		}
		t.early = false
	case journal.BreakerOpened:
		t.open = true
	case journal.BreakerReset:
		t.open, t.row = false, 0
	case journal.RunEnded:
		w.checkEnd(b)
	}
}

// late reports whether the time of the run is over by then.
func (w *world) late(at time.Time) bool {
	r := &w.rules
	return r.EndsAt != nil && !at.Before(*r.EndsAt) || r.MaxTimeSeconds > 0 && at.Sub(w.truth.began).Seconds() >= r.MaxTimeSeconds
}

// checkAccepted: what counts has evidence that was collected against the true base.
func (w *world) checkAccepted(b journal.ClaimAccepted) {
	for _, id := range b.Stories {
		i, _ := strconv.Atoi(id)
		switch s := w.stories[i]; {
		case w.accepted[i]:
			w.fail("story %d is accepted twice", i)
		case !s.marked:
			w.fail("story %d is accepted without a mark", i)
		case s.taken:
			w.fail("story %d was taken over, and is accepted without a receipt", i)
		case w.work() == w.trueBase:
			w.fail("story %d is accepted without any work since the base", i)
		case w.weak:
			w.fail("story %d is accepted although tests were weakened since the base", i)
		case w.broken:
			w.fail("story %d is accepted although a check fails", i)
		}
	}
}

// checkEnd: a run ends once, for a reason that holds.
func (w *world) checkEnd(b journal.RunEnded) {
	t := &w.truth
	if t.ends++; t.ends != t.starts {
		w.fail("%d ends of %d runs", t.ends, t.starts)
	}
	if t.died = b.Reason == journal.ReasonCrashed; !t.died {
		t.stood = 0
	}
	asked := b.Reason == journal.ReasonStopped || b.Reason == journal.ReasonInterrupted
	switch {
	case t.stopped != asked && b.Reason != journal.ReasonCrashed:
		w.fail("asked to end: %v, and it ended with %s", t.stopped, b.Reason)
	case asked || b.Reason == journal.ReasonCrashed:
	case b.Reason == journal.ReasonParked:
		held := w.held()
		for i, s := range w.stories {
			if !s.marked && !held[i] {
				w.fail("the run ended as parked, and story %d can be tried", i)
			}
		}
	case b.Reason == journal.ReasonUsageLimit && w.process.open && w.fresh() && w.process.outcome == journal.OutcomeUsageLimit:
		w.fail("the run ended at a limit, and marks were not judged")
	case b.Reason.ExitCode() == journal.ExitDone && b.Reason == journal.ReasonStoriesComplete && len(w.accepted) < len(w.stories):
		w.fail("done with %d of %d stories accepted", len(w.accepted), len(w.stories))
	}
}

// complete checks what must hold when every process is dead and recovered.
func (w *world) complete() {
	if w.truth.starts != w.truth.ends {
		w.fail("%d runs, %d ends", w.truth.starts, w.truth.ends)
	}
	if w.settle(); w.taken != w.truth.calls { // as the next run would
		w.fail("the ledger counts %d calls, %d were made", w.taken, w.truth.calls)
	}
	// The fold of the whole journal is what the processes knew.
	if got, want := run.Fold(w.events).Status(), w.state.Status(); got.Reason != want.Reason || got.Iteration != want.Iteration {
		w.fail("the journal says %s after %d iterations, the process %s after %d", got.Reason, got.Iteration, want.Reason, want.Iteration)
	}
}

func (w *world) fail(format string, args ...any) {
	panic(broken{fmt.Errorf("after event %d: %s", len(w.events), fmt.Sprintf(format, args...))})
}

func pick[T any](rng *rand.Rand, of ...T) T { return of[rng.IntN(len(of))] }

// tail is the last events of the journal, for anyone who looks for a fault.
func (w *world) tail() string {
	const shown = 40
	var b strings.Builder
	fmt.Fprintf(&b, "%+v\n", w.rules)
	for _, e := range w.events[max(0, len(w.events)-shown):] {
		fmt.Fprintf(&b, "%s %s %+v\n", e.Time.Format("15:04:05"), e.Body.EventType(), e.Body)
	}
	return b.String()
}
