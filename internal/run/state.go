package run

import (
	"fmt"
	"time"

	"ralph/internal/journal"
	"ralph/internal/words"
)

// What a State keeps of iterations that are over, in addition to their record. A long run
// would need much memory for the evidence of all of its iterations.
const (
	KeepNone = ""     // nothing: only the last iteration has its evidence
	KeepLast = "last" // the evidence of all iterations of the last run
	KeepAll  = "all"  // the evidence of all runs; a run's id keeps that of one run
)

// State holds everything that a unit's journal records. [State.Apply] builds it, one event
// after the other. The zero value is the state of an empty journal.
type State struct {
	Keep string // KeepNone, KeepLast, KeepAll or the id of a run

	Runs    []*Run    // the oldest first
	Updated time.Time // of the last event
	Steer   []string  // context for the agents that the user added and did not clear
	Pausing bool      // asked to pause, and not paused yet
	Claims  Claims    // what the evidence is compared with

	Streak  Streak                 // the iterations in a row that got nowhere
	Breaker *journal.BreakerOpened // nil while it is closed
	Limits  Limits                 // of the providers
	Parking Parking

	Failures map[string]int // iterations that failed on a story since it was accepted last

	windows map[string]map[string]journal.LimitWindow // of the accounts, by harness and name
}

// Run records one run of a unit.
type Run struct {
	ID        string
	Start     journal.RunStarted
	Headless  bool // its start is not in the journal, which was damaged or read from the middle
	StartedAt time.Time
	Updated   time.Time         // of its last event
	Latest    time.Time         // the latest time of its events: the clock may have been set back
	Heard     time.Time         // last event that its own loop wrote, not a recovery
	End       *journal.RunEnded // nil while it has not recorded its end
	EndedAt   time.Time
	Crashed   bool   // it has no end on record, and a newer run has started
	Archived  string // path of the archive with the unit, once it is done

	Plan       Plan
	Before     Iteration              // what happened before the first iteration; its number is 0
	Iterations []*Iteration           // that have started, in order
	Wait       *Wait                  // the present one
	Restored   []journal.PlanRestored // files of the plan, since the last call of an agent
	Notes      []Note                 // decided nothing about a story; kept with the evidence

	Calls   Calls
	Checks  Checks
	Commits int
	Ended   int // iterations
	Spent   Spent
	Refused Refused // claims
	Sources Sources // of the claims that are judged next

	paused  bool                // by the user
	left    string              // why the branch is not the run's any more
	outside *journal.CheckEnded // a check that passes only outside of its room, where only rooms count
	began   time.Time           // when its time began to count
	print   string              // of the plan and HEAD at its start, then at the end of each iteration
	seq     int                 // of its last event, from 1
	facts   factSeqs
}

// Calls sums up the calls of agents in a run: their number, tokens, cost and models.
type Calls struct {
	Count     int
	By        map[string]int          // by harness
	Harness   string                  // the harness in use now
	Model     string                  // of its last call, as requested or as reported
	Reported  string                  // the last reported model, else the configured one
	Open      *journal.AttemptStarted // the call that has not ended, or nil
	OpenedAt  time.Time
	Starting  bool // it is counted, but its agent has not started yet
	Last      *journal.AttemptStarted
	Review    *journal.ReviewStarted // the review that has not ended, or nil
	Used      int                    // in the clock hour of the last call
	Limit     int
	ResetsAt  *time.Time
	Tokens    journal.Tokens // of all calls, each counted once
	Estimated bool           // part of Tokens is an estimate
	CostUSD   *float64       // nil if no call reported its cost
	Models    []ModelUse     // in the order of their first calls
}

// ModelUse sums up the calls, tokens and cost of one model.
type ModelUse struct {
	Harness   string         `json:"harness"`
	Model     string         `json:"model"` // as it was asked for, else as the agent reported it
	Calls     int            `json:"calls"`
	Tokens    journal.Tokens `json:"tokens"`
	Estimated bool           `json:"tokensEstimated"`
	CostUSD   *float64       `json:"costUsd"`
}

// Checks counts the quality checks of a run with a result that concerns the work.
type Checks struct {
	Green, Red int
	Failing    []string // checks that failed when they ran last
}

// Refused counts the claims of a run that ralph did not accept.
type Refused struct {
	Count  int
	Reason string // of the last one
}

// Spent sums up the time of a run or an iteration by purpose, in seconds.
type Spent struct {
	Agent  float64 `json:"agentSeconds"` // calls of agents
	Check  float64 `json:"checkSeconds"` // quality checks, those of proofs included
	Wait   float64 `json:"waitSeconds"`  // for limits, for the user, after overloads
	Asleep float64 `json:"-"`            // time when the machine was asleep, outside of waits
	CutOff float64 `json:"-"`            // the part of a wait that the end of the run cut off
}

// String describes the time spent on agents, checks and waits.
func (s Spent) String() string {
	text := "agent " + words.Seconds(s.Agent)
	if s.Check > 0 {
		text += ", checks " + words.Seconds(s.Check)
	}
	if s.Wait > 0 {
		text += ", waiting " + words.Seconds(s.Wait)
	}
	return text
}

// Sum returns the total of agent, check and wait time, in seconds.
func (s Spent) Sum() float64 { return s.Agent + s.Check + s.Wait }

// Add returns the sum of two times.
func (s Spent) Add(o Spent) Spent {
	return Spent{Agent: s.Agent + o.Agent, Check: s.Check + o.Check, Wait: s.Wait + o.Wait}
}

// Times returns each of the times, multiplied.
func (s Spent) Times(factor float64) Spent {
	return Spent{Agent: s.Agent * factor, Check: s.Check * factor, Wait: s.Wait * factor}
}

// Wait records a wait of the run, and when it started.
type Wait struct {
	journal.WaitStarted
	At time.Time
}

// Iteration records one iteration. [State.Keep] names the iterations with evidence.
type Iteration struct {
	N         int
	StartedAt time.Time // zero if the journal does not have its start
	Story     *journal.Story
	Head      string // commit before it
	Complete  int    // items of the plan that were done when it started
	Total     int
	End       *journal.IterationEnded // nil while it has not ended, or if it does not count
	EndedAt   time.Time
	Closed    bool // it has ended, or a later iteration or the end of the run followed

	Call      *journal.AttemptStarted // the last one
	Outcome   journal.Outcome         // of the last call; empty while it runs
	Tokens    journal.Tokens          // of its calls
	Estimated bool
	CostUSD   *float64
	Spent     Spent
	Tried     Tried
	Refused   string // why the last claim in it was not accepted
	Checking  string // the last check that ended after its last call

	Evidence
}

// Tried sums up the ended calls of an iteration. If another agent was to take over and cannot
// work, its call does not count.
type Tried struct {
	Outcome   journal.Outcome // of the last one
	Message   string
	Hint      string
	Overloads int  // number of overloads so far
	Waited    bool // the loop has waited after the last overload
}

// Evidence holds the facts that ralph recorded in an iteration: claims, checks, verdicts and
// reviews.
type Evidence struct {
	Claimed   []string // items that the agent marked
	Attempts  []Attempt
	Checks    []journal.CheckEnded
	Proofs    []journal.StoryProved
	Accepted  []journal.ClaimAccepted
	Rejected  []journal.ClaimRejected
	NoWork    []journal.NoWork
	Restored  []journal.PlanRestored
	HeadMoved []journal.HeadMoved
	Tamper    *journal.TamperFound
	Reviews   []Review
}

// Review records what the reviewer said about a claim, and when.
type Review struct {
	journal.ReviewEnded
	At time.Time
}

// Attempt records one start of an agent, and its end.
type Attempt struct {
	journal.AttemptStarted
	At      time.Time
	End     *journal.AttemptEnded // nil while it runs
	EndedAt time.Time
}

// Note records an event in or between iterations that decided nothing about a story.
type Note struct {
	At   time.Time
	N    int // of the present iteration or the last one; 0 before the first
	Body journal.Body
	Over *journal.WaitEnded // the end of the wait, if Body is a wait that has ended
}

// Last returns the last run, or nil.
func (s *State) Last() *Run {
	if n := len(s.Runs); n > 0 {
		return s.Runs[n-1]
	}
	return nil
}

// Run returns the run with this id, or nil.
func (s *State) Run(id string) *Run {
	for _, r := range s.Runs {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// Active reports whether the run has not ended, as far as the journal knows.
func (r *Run) Active() bool { return r.End == nil && !r.Crashed }

// At returns the last iteration that started, ended or not. Before the first it returns
// [Run.Before].
func (r *Run) At() *Iteration {
	if n := len(r.Iterations); n > 0 {
		return r.Iterations[n-1]
	}
	return &r.Before
}

// Open returns the iteration that has started and not ended, or nil.
func (r *Run) Open() *Iteration {
	if it := r.At(); it.N > 0 && !it.Closed {
		return it
	}
	return nil
}

// of returns the iteration to which an event with that number belongs.
func (r *Run) of(n int) *Iteration {
	if n == 0 {
		return &r.Before
	}
	return r.At()
}

// BreakerCounts returns the counters and thresholds of the circuit breaker as text. It
// returns "" if no run is on record.
func (s *State) BreakerCounts() string {
	r := s.Last()
	if r == nil || r.Headless {
		return ""
	}
	return fmt.Sprintf("no progress %d/%d, same error %d/%d",
		s.Streak.NoProgress, r.Start.StallThreshold, s.Streak.SameError, r.Start.SameError)
}

// WillPause reports whether the loop was asked to pause and has not paused yet. waiting are
// the requests that it has not read.
func (s *State) WillPause(waiting []journal.Mail) bool {
	pausing := s.Pausing
	for _, mail := range waiting {
		switch mail.Request.Kind {
		case journal.RequestPause:
			pausing = true
		case journal.RequestResume:
			pausing = false
		}
	}
	return pausing
}

// LastCall returns the last call of an agent in iteration n, or nil if no call was made.
func (r *Run) LastCall(n int) *journal.AttemptStarted {
	for i := len(r.Iterations) - 1; i >= 0; i-- {
		if it := r.Iterations[i]; it.N == n && it.Call != nil {
			return it.Call
		}
	}
	return nil
}
