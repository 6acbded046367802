package journal

import (
	"time"

	"ralph/internal/stream"
)

// SchemaVersion is the version of the event schema that this program writes.
// It grows when an event changes in a way that an older reader would misread.
const SchemaVersion = 1

// Event is one entry of the journal: what happened, when, in which run.
type Event struct {
	Time time.Time // UTC
	Run  string    // the run's id: its start as YYYYMMDD-HHMMSS, with a suffix where two would collide
	Body Body
}

// Body is what an event says; each type of event is one struct of this file.
type Body interface {
	// EventType is the value of the JSON key "type".
	EventType() string
}

// RunStarted opens a run. Everything that a status file needs to know about
// the run, and does not change, is in it.
type RunStarted struct {
	Schema         int      `json:"schema"`
	Version        string   `json:"version"` // of ralph
	Unit           string   `json:"unit"`
	Plan           string   `json:"plan"` // prd, tasks, change or prompt
	Feature        string   `json:"feature"`
	Task           string   `json:"task,omitempty"`
	Change         string   `json:"change,omitempty"`
	Module         string   `json:"module,omitempty"`
	DoneCriteria   string   `json:"doneCriteria"` // prd, tasks or manual
	Branch         string   `json:"branch"`
	Worktree       string   `json:"worktree"`
	Head           string   `json:"head"`
	Harness        string   `json:"harness"`
	Model          string   `json:"model,omitempty"`
	MaxIterations  int      `json:"maxIterations"`
	TimeoutSeconds float64  `json:"timeoutSeconds"`
	StallThreshold int      `json:"stallThreshold"`
	SameError      int      `json:"sameError"`
	RateLimit      int      `json:"rateLimit"`
	CallsUsed      int      `json:"apiCallsUsed"` // in this clock hour, by all loops of the user
	PID            int      `json:"pid"`
	PIDStart       string   `json:"pidStart"` // the process's start, as package proc tells it
	Host           string   `json:"host"`
	Token          string   `json:"token"` // stands in the environment of all that the run starts
	Stories        []Story  `json:"stories"`
	Checks         []string `json:"checks,omitempty"`
	Work           string   `json:"work,omitempty"` // fingerprint of the worktree without the plan, when a story was last accepted
}

// Story is a story or task of the plan as it stood when the event was written.
type Story struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Done  bool   `json:"done"`
}

// IterationStarted opens iteration N of the run.
type IterationStarted struct {
	N     int    `json:"iteration"`
	Story *Story `json:"story,omitempty"` // the open story with the highest priority
	Head  string `json:"head"`
}

// AttemptStarted is written before the agent is started: one call.
type AttemptStarted struct {
	N            int        `json:"iteration"`
	Attempt      int        `json:"attempt"` // from 1 in each iteration
	Harness      string     `json:"harness"`
	Model        string     `json:"model,omitempty"`
	LogFile      string     `json:"logFile"`             // from the worktree's root
	LogOffset    int64      `json:"logOffset,omitempty"` // where this attempt begins in it, in bytes
	Output       string     `json:"output,omitempty"`    // format of what the agent prints, a stream.Format
	CallsUsed    int        `json:"apiCallsUsed"`
	CallsLimit   int        `json:"apiCallsLimit"`
	CallsResetAt *time.Time `json:"rateLimitResetsAt,omitempty"`
}

// AgentStarted tells which process is at work.
type AgentStarted struct {
	N        int    `json:"iteration"`
	Attempt  int    `json:"attempt"`
	PID      int    `json:"pid"`
	PIDStart string `json:"pidStart"`
}

// AttemptEnded tells how one call of the agent ended.
type AttemptEnded struct {
	N               int           `json:"iteration"`
	Attempt         int           `json:"attempt"`
	Outcome         string        `json:"outcome"` // an agent.Kind
	Message         string        `json:"message,omitempty"`
	Hint            string        `json:"hint,omitempty"`
	ExitCode        int           `json:"exitCode"`
	Signal          string        `json:"signal,omitempty"`
	DurationSeconds float64       `json:"durationSeconds"`
	Tokens          stream.Tokens `json:"tokens"`
	TokensEstimated bool          `json:"tokensEstimated,omitempty"`
	CostUSD         *float64      `json:"costUsd"`
	Session         string        `json:"session,omitempty"`
	Model           string        `json:"model,omitempty"`
	ResetsAt        *time.Time    `json:"resetsAt,omitempty"`
	ModelLimit      bool          `json:"modelLimit,omitempty"` // that limit is of the model alone
	Promised        bool          `json:"promised,omitempty"`
	Denied          []string      `json:"denied,omitempty"`
	Strays          int           `json:"strays,omitempty"`      // processes that had to be ended behind the agent
	BrokenLines     int           `json:"brokenLines,omitempty"` // lines of its stream that could not be read
	Limits          []LimitWindow `json:"limits,omitempty"`      // the account's, as the stream told them last
}

// LimitWindow is the state of one of the account's limits, as the agent told it.
type LimitWindow struct {
	Window      string     `json:"window,omitempty"`      // such as five_hour or seven_day
	Utilization *float64   `json:"utilization,omitempty"` // 0 to 1
	ResetsAt    *time.Time `json:"resetsAt,omitempty"`
	Rejected    bool       `json:"rejected,omitempty"` // it refused a call
}

// IterationEnded closes an iteration: what it achieved, by ralph's own evidence.
type IterationEnded struct {
	N               int           `json:"iteration"`
	Outcome         string        `json:"outcome"`
	Error           string        `json:"error,omitempty"`
	ExitCode        int           `json:"exitCode"`
	Head            string        `json:"head"`
	Commits         []string      `json:"commits"`
	StoriesPassed   []string      `json:"storiesPassed"` // newly, and accepted
	StoriesComplete int           `json:"storiesComplete"`
	StoriesTotal    int           `json:"storiesTotal"`
	CurrentStory    *Story        `json:"currentStory,omitempty"` // what is next
	Progress        bool          `json:"progress"`
	NoProgress      int           `json:"noProgress"` // iterations in a row without progress, this one included
	SameError       int           `json:"sameError"`  // equal errors in a row, this one included
	Promised        bool          `json:"promised"`
	Done            bool          `json:"done"` // the plan's own verdict after this iteration
	Tokens          stream.Tokens `json:"tokens"`
	TokensEstimated bool          `json:"tokensEstimated,omitempty"`
	CostUSD         *float64      `json:"costUsd"`
	LogFile         string        `json:"logFile,omitempty"`
	Work            string        `json:"work,omitempty"`         // as in run_started
	ChangedFiles    *int          `json:"changedFiles,omitempty"` // committed in it, or with uncommitted changes at its end
}

// WaitStarted says that the run waits, why and until when; WaitEnded that it goes on.
type WaitStarted struct {
	Reason  string     `json:"reason"` // rate_limit, usage_limit, transient or paused
	Until   *time.Time `json:"until,omitempty"`
	Message string     `json:"message"`
}

// WaitEnded ends the wait that began last.
type WaitEnded struct {
	Reason  string  `json:"reason"`
	Seconds float64 `json:"seconds"`
}

// ClockJumped says that the wall clock did not go on as time did: the machine
// slept, or somebody set the clock.
type ClockJumped struct {
	Seconds float64 `json:"seconds"`         // negative where the clock was set back
	Slept   bool    `json:"slept,omitempty"` // the machine slept; else the clock was set
	Message string  `json:"message"`
}

// HarnessSwitched says that another harness does the work from now on.
type HarnessSwitched struct {
	From   string     `json:"from"`
	To     string     `json:"to"`
	Reason string     `json:"reason"`
	Until  *time.Time `json:"until,omitempty"` // when the first one can be called again
}

// CheckEnded is one quality check that ralph ran.
type CheckEnded struct {
	N               int     `json:"iteration"` // 0 before the first iteration
	Phase           string  `json:"phase"`     // baseline, claim, every or end
	Name            string  `json:"name"`
	Command         string  `json:"command"`
	Outcome         string  `json:"outcome"` // passed, failed, timeout, missing or interrupted
	ExitCode        int     `json:"exitCode"`
	DurationSeconds float64 `json:"durationSeconds"`
	Tree            string  `json:"tree,omitempty"`  // what it was run on: a git tree, or a fingerprint of the worktree
	Clean           bool    `json:"clean,omitempty"` // in a clean worktree of that commit, not in place
	Same            bool    `json:"same,omitempty"`  // not run again: the result is that of the same check on the same tree
	Tail            string  `json:"tail,omitempty"`
}

// Compares tells whether the check was run on the commit before the work, in a
// clean worktree, for comparison: that is no word on the work, nor on the files
// that are there.
func (b CheckEnded) Compares() bool { return b.Phase == "baseline" && b.Clean }

// StoryProved is the receipt of a story: what was run, on which state of the
// project, before ralph believed that it is finished.
type StoryProved struct {
	N       int            `json:"iteration"` // 0 for marks that an earlier run left behind
	Story   string         `json:"story"`
	Title   string         `json:"title"`
	Commit  string         `json:"commit"`
	Tree    string         `json:"tree"`          // of that commit, or a fingerprint of the worktree where the proof was in place
	Mode    string         `json:"mode"`          // clean or inplace
	Why     string         `json:"why,omitempty"` // why it was not proved in a clean worktree
	Checks  []CheckReceipt `json:"checks"`
	Harness string         `json:"harness,omitempty"` // who claimed it
	Model   string         `json:"model,omitempty"`
	Session string         `json:"session,omitempty"`
	Noted   bool           `json:"noted,omitempty"` // the receipt is a git note too
}

// CheckReceipt is one check of a receipt.
type CheckReceipt struct {
	Name            string  `json:"name"`
	Command         string  `json:"command"`
	Outcome         string  `json:"outcome"`
	ExitCode        int     `json:"exitCode"`
	DurationSeconds float64 `json:"durationSeconds"`
}

// TamperFound is what the changes of an iteration did to tests, checks or CI.
// Without findings it says that what was found before is undone.
type TamperFound struct {
	N        int             `json:"iteration"`
	Findings []TamperFinding `json:"findings"`
	More     int             `json:"more,omitempty"` // findings beyond those listed
	Accepted bool            `json:"accepted"`       // false where the stories of the iteration were not accepted for it
	Base     string          `json:"base,omitempty"` // the commit that the changes were held against
}

// TamperFinding is one place where the evidence was weakened.
type TamperFinding struct {
	Path    string `json:"path"`           // from the worktree's root
	Line    int    `json:"line,omitempty"` // in the new file; in the old one where the line is gone
	Rule    string `json:"rule"`
	Message string `json:"message"`
	Text    string `json:"text,omitempty"` // the line itself, shortened
}

// ClaimRejected is a claim of the agent that ralph did not accept.
type ClaimRejected struct {
	N       int      `json:"iteration"`
	Claim   string   `json:"claim"` // promise, story or done
	Stories []string `json:"stories,omitempty"`
	Reason  string   `json:"reason"`
}

// PlanRestored is a file of the plan that the guard put back.
type PlanRestored struct {
	N    int    `json:"iteration"`
	Path string `json:"path"`           // from the worktree's root
	What string `json:"what"`           // what had been done to it
	Kept string `json:"kept,omitempty"` // where the replaced content is
}

// PlanChanged is a new plan that a person gave the running loop.
type PlanChanged struct {
	Stories []Story `json:"stories"`
	Message string  `json:"message"`
}

// NoWork flags stories that were marked as passing with nothing changed for them.
type NoWork struct {
	N        int      `json:"iteration"`
	Stories  []string `json:"stories"`
	Accepted bool     `json:"accepted"`
}

// HeadMoved reports an agent that left the branch or took commits back.
type HeadMoved struct {
	N       int    `json:"iteration"`
	From    string `json:"from"`
	To      string `json:"to"`
	Branch  string `json:"branch"`
	Message string `json:"message"`
}

// BreakerOpened says that the run is stuck; BreakerReset that it may go on.
type BreakerOpened struct {
	Reason string `json:"reason"` // no_progress or same_error
	Count  int    `json:"count"`
	Print  string `json:"print"` // of the plan's files and HEAD: the breaker closes when it changes
}

// BreakerReset closes the breaker.
type BreakerReset struct {
	Message string `json:"message"`
}

// Request is something another command asked the loop for through the inbox.
type Request struct {
	Kind    string `json:"kind"` // stop, pause, resume, context or plan
	Text    string `json:"text,omitempty"`
	PID     int    `json:"pid,omitempty"`
	Message string `json:"message,omitempty"`

	DropFinished bool `json:"dropFinished,omitempty"` // of a plan: finished stories that it lacks may go
}

// Warning is something a person should know that decided nothing.
type Warning struct {
	Message string `json:"message"`
}

// Archived tells where the feature was put when it was done.
type Archived struct {
	Path string `json:"path"`
}

// RunEnded closes a run.
type RunEnded struct {
	Status    string        `json:"status"`
	Reason    string        `json:"reason"`
	ExitCode  int           `json:"exitCode"`
	Message   string        `json:"message"`
	ResumesAt *time.Time    `json:"resumesAt,omitempty"`
	Tokens    stream.Tokens `json:"tokens"`
	CostUSD   *float64      `json:"costUsd"`
}

// EventType implements Body.
func (RunStarted) EventType() string       { return "run_started" }
func (IterationStarted) EventType() string { return "iteration_started" }
func (AttemptStarted) EventType() string   { return "attempt_started" }
func (AgentStarted) EventType() string     { return "agent_started" }
func (AttemptEnded) EventType() string     { return "attempt_ended" }
func (IterationEnded) EventType() string   { return "iteration_ended" }
func (WaitStarted) EventType() string      { return "wait_started" }
func (WaitEnded) EventType() string        { return "wait_ended" }
func (ClockJumped) EventType() string      { return "clock_jumped" }
func (HarnessSwitched) EventType() string  { return "harness_switched" }
func (CheckEnded) EventType() string       { return "check_ended" }
func (StoryProved) EventType() string      { return "story_proved" }
func (TamperFound) EventType() string      { return "tamper_found" }
func (ClaimRejected) EventType() string    { return "claim_rejected" }
func (PlanRestored) EventType() string     { return "plan_restored" }
func (PlanChanged) EventType() string      { return "plan_changed" }
func (NoWork) EventType() string           { return "no_work" }
func (HeadMoved) EventType() string        { return "head_moved" }
func (BreakerOpened) EventType() string    { return "breaker_opened" }
func (BreakerReset) EventType() string     { return "breaker_reset" }
func (Request) EventType() string          { return "request" }
func (Warning) EventType() string          { return "warning" }
func (Archived) EventType() string         { return "archived" }
func (RunEnded) EventType() string         { return "run_ended" }
