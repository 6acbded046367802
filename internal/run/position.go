package run

import (
	"maps"
	"slices"
	"time"

	"ralph/internal/journal"
)

// maxOverloads is how many overloads in a row are waited out before they count as an
// iteration with an error.
const maxOverloads = 10

// Position is where a unit's run stands, as its journal says: everything that Next has
// to know, and nothing that needs the whole history.
type Position struct {
	Running    bool
	Harness    string // the run's own agent
	Branch     string
	Started    time.Time
	Iterations int             // ended in this run
	Last       *EndedIteration // the last one that ended in this run
	Open       *OpenIteration  // the one that has not ended
	Streak     Streak
	Breaker    *journal.BreakerOpened // nil while it is closed
	Left       string                 // why the branch is not the run's any more
	Outside    *journal.CheckEnded    // a check that passes only outside of its room, where only rooms count
	Paused     bool
	Tokens     int64 // of this run, without the cache
	Cost       *float64
	Limits     Limits

	began   time.Time                                 // when the run's time began to count
	caller  string                                    // harness of the last call
	windows map[string]map[string]journal.LimitWindow // of the accounts, by harness and name

	seq   int      // of the last event of this run, from 1
	facts factSeqs // of what the rules use
	print string
	most  int  // iterations that the run may have
	died  bool // it has no end but a recorded crash

	before  OpenIteration // Open before the call that goes on
	started bool          // the agent of that call was started
	call    journal.AttemptStarted
}

// factSeqs are the sequence numbers, in the run, of the events that a rule may use.
type factSeqs struct {
	Row     []int // iterations in a row without progress, or with the same error
	Last    int   // the end of the last iteration
	Attempt int   // the end of the last attempt
	Breaker int
	Moved   int
	Outside int
	Paused  int
}

// OpenIteration is what Next has to know about the iteration that has not ended.
type OpenIteration struct {
	N         int
	Attempts  int
	Outcome   journal.Outcome // of the last attempt; empty before the first one ended
	Message   string          // of that
	Hint      string
	Overloads int  // so far
	Waited    bool // for the last overload to pass
}

// EndedIteration is what Next has to know about the last iteration that ended.
type EndedIteration struct {
	N       int
	Outcome journal.Outcome
	Message string
	Hint    string
	Done    journal.Reason // why the plan is done, empty where it is not
	At      time.Time      // when it ended
}

// Refused reports whether the provider refused all calls of the iteration so far.
func (i *OpenIteration) Refused() bool {
	return i.Outcome == journal.OutcomeUsageLimit || i.Outcome == journal.OutcomeTransient && i.Overloads < maxOverloads
}

// Apply takes one event into account.
func (p *Position) Apply(e journal.Event) {
	p.seq++
	switch b := e.Body.(type) {
	case journal.RunStarted:
		p.start(e.Time, b)
	case journal.IterationStarted:
		p.Open = &OpenIteration{N: b.N}
	case journal.AttemptStarted:
		p.calling(b)
	case journal.AgentStarted:
		p.started = true
	case journal.AttemptEnded:
		p.called(e.Time, b)
	case journal.IterationEnded:
		p.ended(e.Time, b)
	case journal.CheckEnded:
		switch {
		case b.Outside && !b.Compares():
			p.Outside, p.facts.Outside = &b, p.seq
		case p.Outside != nil && p.Outside.Name == b.Name:
			p.Outside = nil
		}
	case journal.HeadMoved:
		if b.Branch != p.Branch {
			p.Left, p.facts.Moved = b.Message, p.seq
		}
	case journal.ClockJumped:
		if !b.Slept { // the clock was set, and no time has passed
			p.began = p.began.Add(seconds(b.Seconds))
		}
	case journal.WaitStarted:
		p.Limits.waitStarted(e.Time, b)
	case journal.WaitEnded:
		p.waited(b)
	case journal.BreakerOpened:
		p.Breaker, p.facts.Breaker = &b, p.seq
	case journal.BreakerReset:
		p.Breaker, p.Streak, p.facts.Row = nil, Streak{}, nil
	case journal.Request:
		switch b.Kind {
		case journal.RequestPause, journal.RequestResume:
			p.Paused, p.facts.Paused = b.Kind == journal.RequestPause, p.seq
		}
	case journal.RunEnded:
		p.Limits.runEnded(e.Time, b)
		p.Running, p.died = false, b.Reason == journal.ReasonCrashed
	}
}

// start begins a run. What the last one left is kept: an open breaker, the limits that it
// met if it died, and the row that it ended in, where neither the plan nor HEAD has changed
// and the user did not decide again: the last run died, or this one repeats it and is too
// short to get stuck by itself (one iteration from cron, say).
func (p *Position) start(at time.Time, b journal.RunStarted) {
	next := Position{Running: true, Harness: b.Harness, Branch: b.Branch, Started: at, Breaker: p.Breaker, Limits: p.Limits,
		began: at, caller: b.Harness, windows: p.windows, seq: 1, print: b.Print, most: b.MaxIterations}
	same := b.Print != "" && b.Print == p.print && (b.Rules == nil || !b.Rules.ResetCircuit)
	again := p.died || b.MaxIterations == p.most && b.MaxIterations < b.StallThreshold
	if same && again {
		next.Streak.NoProgress = p.Streak.NoProgress
	}
	again = p.died || b.MaxIterations == p.most && b.MaxIterations < b.SameError
	if same && again {
		next.Streak.SameError, next.Streak.Error = p.Streak.SameError, p.Streak.Error
	}
	for _, windows := range next.windows { // one without a reset may be long over
		maps.DeleteFunc(windows, func(_ string, w journal.LimitWindow) bool { return w.ResetsAt == nil })
	}
	*p = next
}

func (p *Position) calling(b journal.AttemptStarted) {
	if p.Open != nil {
		p.before = *p.Open
		p.Open.Attempts = b.Attempt
	}
	p.call, p.started = b, false
}

func (p *Position) called(at time.Time, b journal.AttemptEnded) {
	p.facts.Attempt = p.seq
	p.Tokens += b.Tokens.Total()
	if b.CostUSD != nil {
		sum := *b.CostUSD
		if p.Cost != nil {
			sum += *p.Cost
		}
		p.Cost = &sum
	}
	p.Limits.attemptEnded(at, p.call, b)
	p.heard(p.call.Harness, b.Limits)
	o := p.Open
	if o == nil {
		return
	}
	o.Waited = false
	// An agent that was to take over and cannot work leaves what was before it.
	if p.call.Harness != p.Harness && (b.Outcome == journal.OutcomeAuth || !p.started && b.Outcome == journal.OutcomeError) {
		o.Outcome, o.Message, o.Hint, o.Overloads = p.before.Outcome, p.before.Message, p.before.Hint, p.before.Overloads
		return
	}
	o.Outcome, o.Message, o.Hint = b.Outcome, b.Message, b.Hint
	if b.Outcome == journal.OutcomeTransient {
		o.Overloads++
	}
}

func (p *Position) ended(at time.Time, b journal.IterationEnded) {
	last := EndedIteration{N: b.N, Outcome: b.Outcome, Message: b.Error, At: at, Done: b.DoneReason}
	if b.Done && last.Done == "" {
		last.Done = journal.ReasonPromise // only a program before the reason was recorded
	}
	if p.Open != nil {
		last.Hint = p.Open.Hint
		if last.Message == "" {
			last.Message = p.Open.Message
		}
	}
	p.Iterations, p.Last, p.Open, p.facts.Last = b.N, &last, nil, p.seq
	// The record of an iteration that ralph's own death cut off has no counts: it is no
	// step towards the breaker.
	if !b.Progress && b.NoProgress == 0 && b.SameError == 0 && b.Print == "" {
		return
	}
	p.print = b.Print
	p.Streak = Streak{NoProgress: b.NoProgress, SameError: b.SameError, Error: b.Error, Duds: b.Duds}
	row := append(p.facts.Row, p.seq)
	p.facts.Row = slices.Clone(row[max(0, len(row)-max(b.NoProgress, b.SameError, b.Duds)):])
}

func (p *Position) waited(b journal.WaitEnded) {
	p.Limits.waitEnded(b)
	if b.Reason == journal.WaitTransient && p.Open != nil {
		p.Open.Waited = true
	}
}
