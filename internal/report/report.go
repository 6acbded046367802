// Package report turns a unit's journal into an account of what happened and why. A Report has
// everything that a page about a run shows, and the evidence for each decision. The package
// writes pages in HTML and Markdown, and reads only the journal's events.
//
// Every text of a Report is safe to show.
package report

import (
	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/stream"
)

// Report describes one run of a unit in full, and all its runs in brief.
type Report struct {
	Unit     string           `json:"unit"`
	Plan     journal.PlanKind `json:"plan"`
	Branch   string           `json:"branch"`
	Worktree string           `json:"worktree"`
	Run      *Run             `json:"run"`  // nil where the journal has no such run
	Runs     []Summary        `json:"runs"` // the oldest first
}

// Summary is a run in brief.
type Summary struct {
	ID        string            `json:"id"`
	Harness   string            `json:"harness"`
	Model     string            `json:"model"` // as the agent reports it, else as configured
	StartedAt journal.Time      `json:"startedAt"`
	EndedAt   journal.Time      `json:"endedAt"` // null while it runs
	UpdatedAt journal.Time      `json:"updatedAt"`
	Status    journal.RunStatus `json:"status"` // as of status.json
	Reason    string            `json:"reason"` // of the end or of the wait
	Message   string            `json:"message"`
	ExitCode  *int              `json:"exitCode"` // null where nothing exited with one
	Ended     int               `json:"iterationsEnded"`
	Calls     int               `json:"calls"` // of an agent, those that were no iteration included
	Commits   int               `json:"commits"`

	Tokens          stream.Tokens `json:"tokens"` // of all calls
	TokensEstimated bool          `json:"tokensEstimated"`
	CostUSD         *float64      `json:"costUsd"` // null if no call reported its cost
	Spent           run.Spent     `json:"spent"`
	Complete        int           `json:"storiesComplete"`
	Total           int           `json:"storiesTotal"`
}

// Run is a run with all its iterations, stories and notes.
type Run struct {
	Summary
	Plan           journal.PlanKind `json:"plan"`    // as in the report
	Version        string           `json:"version"` // of ralph
	Task           string           `json:"task"`    // the text that was given
	Head           string           `json:"head"`    // the commit it began at
	MaxIterations  int              `json:"maxIterations"`
	TimeoutSeconds float64          `json:"timeoutSeconds"`
	StallThreshold int              `json:"stallThreshold"`
	SameError      int              `json:"sameError"`
	EndRule        string           `json:"-"`       // that ended it
	EndFacts       []int            `json:"-"`       // numbers of the events that the rule used
	Stories        []Story          `json:"stories"` // as the plan is at the end
	Models         []run.ModelUse   `json:"models,omitempty"`
	Points         []run.Point      `json:"points"`
	Before         Iteration        `json:"before"` // what came before the first iteration; its number is 0
	Iterations     []Iteration      `json:"iterations"`
	Notes          []Note           `json:"notes"` // what decided nothing about a story, in order
}

// Story is a story or task of the plan.
type Story struct {
	ID         string   `json:"id"`
	Title      string   `json:"title"`
	Done       bool     `json:"done"`       // as ralph accepted it
	Earlier    bool     `json:"earlier"`    // it was done before the run
	Iteration  int      `json:"iteration"`  // the one that accepted it; 0 if none
	Proof      *Receipt `json:"proof"`      // the newest
	Rejections int      `json:"rejections"` // how often a claim about it was not accepted
	LastReason string   `json:"lastReason"` // why not, the last time

	Parked *Parked `json:"parked,omitempty"` // why no agent is called for it

	About   int      `json:"iterations,omitempty"` // of this run that were about it
	CostUSD *float64 `json:"costUsd,omitempty"`    // of their calls
}

// Parked says why no agent is called for a story.
type Parked struct {
	Story   string `json:"story"`   // that is parked: this one, or one that it waits for
	Message string `json:"message"` // why
	Notes   string `json:"notes"`   // of the agent
	Ref     string `json:"ref"`     // reference that keeps the work
}

// Iteration is one iteration with its attempts, its checks and their results.
type Iteration struct {
	N         int             `json:"iteration"`
	Story     *Title          `json:"story"` // the open one with the highest priority, when it began
	StartedAt journal.Time    `json:"startedAt"`
	EndedAt   journal.Time    `json:"endedAt"`
	Ended     bool            `json:"ended"`   // else it is still running, or did not count as an iteration
	Outcome   journal.Outcome `json:"outcome"` // of iteration_ended; "running", or of the last call where it has not ended
	Error     string          `json:"error"`
	ExitCode  int             `json:"exitCode"`
	LogFile   string          `json:"logFile"` // from the worktree's root, where it lies now
	Commits   []string        `json:"commits"`

	Claimed  []string `json:"claimed"`  // stories that the agent marked as done
	Accepted []string `json:"accepted"` // stories of Claimed that ralph accepted
	Promised bool     `json:"promised"`
	Done     bool     `json:"done"` // the plan was done after it
	Complete int      `json:"storiesComplete"`
	Total    int      `json:"storiesTotal"`

	Progress   bool `json:"progress"`
	NoProgress int  `json:"noProgress"` // iterations in a row without, this one included
	SameError  int  `json:"sameError"`  // equal errors in a row, this one included

	Tokens          stream.Tokens `json:"tokens"`
	TokensEstimated bool          `json:"tokensEstimated"`
	CostUSD         *float64      `json:"costUsd"`
	Spent           run.Spent     `json:"spent"`

	Attempts  []Attempt    `json:"attempts"`
	Checks    []Check      `json:"checks"`
	Proofs    []Receipt    `json:"proofs"`
	Decided   []Acceptance `json:"decided,omitempty"` // the acceptances of Accepted
	Rejected  []Rejection  `json:"rejected"`
	NoWork    []NoWork     `json:"noWork"`
	Restored  []Restored   `json:"restored"`
	HeadMoved []string     `json:"headMoved"`
	Tamper    *Tamper      `json:"tamper"`
	Reviews   []Review     `json:"reviews,omitempty"`
}

// Title names a story.
type Title struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// Attempt is one start of the agent in an iteration.
type Attempt struct {
	N         int             `json:"attempt"`
	StartedAt journal.Time    `json:"startedAt"`
	Harness   string          `json:"harness"`
	Model     string          `json:"model"`
	Outcome   journal.Outcome `json:"outcome"` // empty while it runs
	Message   string          `json:"message"`
	Hint      string          `json:"hint"`
	ExitCode  int             `json:"exitCode"`
	Signal    string          `json:"signal"`
	Seconds   float64         `json:"durationSeconds"`
	Promised  bool            `json:"promised"`
	Denied    []string        `json:"denied"`
	Strays    int             `json:"strays"`
	Broken    int             `json:"brokenLines"`
}

// Check is a quality check that ralph ran.
type Check struct {
	Phase    journal.Phase        `json:"phase,omitempty"`
	Name     string               `json:"name"`
	Command  string               `json:"command"`
	Outcome  journal.CheckOutcome `json:"outcome"`
	ExitCode int                  `json:"exitCode"`
	Seconds  float64              `json:"durationSeconds"`
	Clean    bool                 `json:"clean"` // in a clean worktree
	Same     bool                 `json:"same"`  // not run again
	Tail     string               `json:"tail"`  // the last lines, of one that did not pass
	Compares bool                 `json:"-"`     // run on the commit before the work: no word on the work
}

// Receipt is the record of a story's acceptance.
type Receipt struct {
	Story   string             `json:"story"`
	Commit  string             `json:"commit"`
	Mode    journal.ProofPlace `json:"mode"` // clean or inplace
	Why     string             `json:"why"`
	Shown   string             `json:"shown,omitempty"` // what the runs of old and new tests showed, in words
	Runs    int                `json:"runs,omitempty"`  // of checks for that
	Seconds float64            `json:"seconds,omitempty"`
	Checks  []Check            `json:"checks"`
	// checks that passed without a room, although there are rooms
	Unsealed []string `json:"unsealed,omitempty"`
	Harness  string   `json:"harness"`
	Model    string   `json:"model"`
	Noted    bool     `json:"noted"`
	Reviewer string   `json:"reviewer,omitempty"` // the agent that accepted the story too
}

// Review is a second agent's verdict on a claim.
type Review struct {
	Stories []string              `json:"stories"`
	By      string                `json:"by"` // the agent, with its model
	Verdict journal.ReviewVerdict `json:"verdict"`
	Because string                `json:"because"` // its reasons, or why it gave no verdict
	Seconds float64               `json:"durationSeconds"`
	CostUSD *float64              `json:"costUsd"`
	Text    string                `json:"-"` // all of it in a sentence
}

// Rejection is a claim that was not accepted.
type Rejection struct {
	Claim   journal.ClaimKind `json:"claim"` // promise, story or done
	Stories []string          `json:"stories"`
	Reason  string            `json:"reason"`
	Rule    string            `json:"rule,omitempty"`  // that decided
	Facts   []int             `json:"facts,omitempty"` // numbers of the events that the rule used
}

// Acceptance names the rule by which stories were accepted.
type Acceptance struct {
	Stories []string `json:"stories"`
	Rule    string   `json:"rule"`
	Facts   []int    `json:"facts,omitempty"` // as of a rejection
}

// NoWork lists stories that the agent marked as done without changing anything for them.
type NoWork struct {
	Stories  []string `json:"stories"`
	Accepted bool     `json:"accepted"`
}

// Restored is a file of the plan that ralph restored.
type Restored struct {
	Path string `json:"path"`
	What string `json:"what"`
	Kept string `json:"kept"`
}

// Tamper lists the changes of an iteration that weakened tests, checks or CI.
type Tamper struct {
	Findings []Finding `json:"findings"`
	More     int       `json:"more"`
	Accepted bool      `json:"accepted"`
}

// Finding is one place where the evidence was weakened.
type Finding struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Rule    string `json:"rule"`
	Message string `json:"message"`
	Text    string `json:"text"`
}

// The kinds of notes.
const (
	NoteWait    = "wait"
	NoteClock   = "clock"
	NoteHarness = "harness"
	NoteRequest = "request"
	NotePlan    = "plan"
	NoteBreaker = "breaker"
	NoteParked  = "parked"
	NoteWarning = "warning"
)

// Note is something that happened in or between iterations.
type Note struct {
	At        journal.Time `json:"at"`
	Iteration int          `json:"iteration"` // the current or the last one; 0 before the first
	Kind      string       `json:"kind"`
	Reason    string       `json:"reason"`  // of a wait or of the breaker
	Seconds   float64      `json:"seconds"` // of a wait that is over, of a jump of the clock
	Until     journal.Time `json:"until"`   // of a wait
	Over      bool         `json:"over"`    // the wait is
	Text      string       `json:"text"`
}
