package journal

import (
	"fmt"
	"strings"
	"time"

	"ralph/internal/stream"
)

// SchemaVersion is the version of the event schema that this program writes.
// It grows when an event changes in a way that an older reader would misread.
const SchemaVersion = 1

// Event is one entry of the journal: what happened, when, in which run.
type Event struct {
	Time time.Time // UTC
	Run  string    // the run's id: its start as YYYYMMDD-HHMMSS, with a suffix if that is taken
	Body Body
}

// Body is what an event says; each type of event is one struct of this file.
type Body interface {
	// EventType is the value of the JSON key "type".
	EventType() string
}

// RunStarted opens a run. It holds everything that does not change during the run.
type RunStarted struct {
	Schema         int      `json:"schema"`           // version of this format
	Version        string   `json:"version"`          // version of ralph
	Unit           string   `json:"unit"`             // what the loop works on
	Plan           PlanKind `json:"plan"`             // prd, tasks, change or prompt
	Feature        string   `json:"feature"`          // title of the feature
	Task           string   `json:"task,omitempty"`   // the text given on the command line
	Change         string   `json:"change,omitempty"` // id of the change
	Module         string   `json:"module,omitempty"` // module of an Ito change
	DoneCriteria   string   `json:"doneCriteria"`     // prd, tasks or manual
	Branch         string   `json:"branch"`           // the current branch
	Worktree       string   `json:"worktree"`         // its root, an absolute path
	Head           string   `json:"head"`             // the current commit
	Harness        string   `json:"harness"`          // kind of agent
	Model          string   `json:"model,omitempty"`  // model from the settings or flags
	MaxIterations  int      `json:"maxIterations"`    // iterations in this run
	TimeoutSeconds float64  `json:"timeoutSeconds"`   // time limit of an iteration
	// iterations without progress that open the breaker
	StallThreshold int `json:"stallThreshold"`
	SameError      int `json:"sameError"`    // equal errors in a row that open it
	RateLimit      int `json:"rateLimit"`    // calls per clock hour; 0 is no limit
	CallsUsed      int `json:"apiCallsUsed"` // calls in this hour before the run
	PID            int `json:"pid"`          // process of the loop
	// start of that process, in the system's unit; detects a reused pid
	PIDStart string `json:"pidStart"`
	Host     string `json:"host"` // name of the machine
	// RALPH_RUN_TOKEN of every process that the run starts
	Token string `json:"token"`
	// the plan's stories or tasks: id, title, done
	Stories []Story `json:"stories"`
	// ids of stories that were done when ralph first saw the plan, and are not accepted
	TakenOver []string `json:"takenOver,omitempty"`
	Checks    []string `json:"checks,omitempty"` // names of the quality checks
	// older versions: the work of base_moved and claim_accepted
	Work string `json:"work,omitempty"`
	// settings that decide how the run continues
	Rules *RunRules `json:"rules,omitempty"`
	// fingerprint of the plan's files and HEAD
	Print string `json:"print,omitempty"`
}

// RunRules are the settings that decide how a run continues and when it ends.
type RunRules struct {
	MaxIterations int `json:"maxIterations"`
	MinIterations int `json:"minIterations,omitempty"` // a promise counts from this one on
	NoProgress    int `json:"noProgress"`              // iterations until the breaker opens
	SameError     int `json:"sameError"`
	// iterations in which the agent ends at once, until the breaker opens
	InstantExits     int     `json:"duds"`
	OnLimit          string  `json:"onLimit"` // ask, wait or exit
	MaxWaitHours     float64 `json:"maxWaitHours"`
	PauseSeconds     float64 `json:"pauseSeconds"`
	TransientSeconds float64 `json:"transientSeconds"`
	MaxTokens        int64   `json:"maxTokens,omitempty"`  // 0 is no budget
	MaxCostUSD       float64 `json:"maxCostUsd,omitempty"` // 0 is no budget
	// seconds from the start of the run, waits included; 0 is no budget
	MaxTimeSeconds float64    `json:"maxTimeSeconds,omitempty"`
	EndsAt         *time.Time `json:"endsAt,omitempty"`       // no new iteration from this time on
	MaxAccount     float64    `json:"maxAccount,omitempty"`   // percent of the provider's window; 0 is no budget
	ResetCircuit   bool       `json:"resetCircuit,omitempty"` // close an open breaker
	OnStuck        string     `json:"onStuck,omitempty"`      // stop or park
	Model          string     `json:"model,omitempty"`        // of the run's own agent
	// models of a story, the weakest first: the next one after each failed iteration
	Escalate []string `json:"escalate,omitempty"`
}

// Story is a story or a task of the plan.
type Story struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Done  bool   `json:"done"`
	Model string `json:"model,omitempty"` // that the plan asks for
}

// Name is the story's id and its title, or the one of them that says something.
func (s Story) Name() string {
	if s.Title == "" || s.ID == s.Title {
		return s.ID
	}
	return s.ID + ": " + s.Title
}

// IterationStarted opens an iteration.
type IterationStarted struct {
	N     int    `json:"iteration"`       // number, from 1 in each run
	Story *Story `json:"story,omitempty"` // the open story with the highest priority
	Head  string `json:"head"`            // commit before the iteration
	// commit that keeps the worktree as it was before the iteration
	State string `json:"state,omitempty"`
	// why changes of other people are mixed with work that is not accepted
	Mixed string `json:"mixed,omitempty"`
}

// AttemptStarted precedes each call of the agent.
type AttemptStarted struct {
	N int `json:"iteration"` // its iteration
	// number, from 1 in each iteration
	Attempt int `json:"attempt"`
	// the agent; a fallback differs from the run
	Harness string `json:"harness"`
	// model from the settings or flags
	Model string `json:"model,omitempty"`
	// output of the agent, a path from the worktree's root
	LogFile string `json:"logFile"`
	// where this attempt starts in the log, in bytes
	LogOffset int64 `json:"logOffset,omitempty"`
	// format of the output, as in the settings
	Output string `json:"output,omitempty"`
	// calls in this clock hour with this one, of all loops
	CallsUsed    int        `json:"apiCallsUsed"`
	CallsLimit   int        `json:"apiCallsLimit"`               // 0 is no limit
	CallsResetAt *time.Time `json:"rateLimitResetsAt,omitempty"` // end of the hour
}

// AgentStarted records the agent's process.
type AgentStarted struct {
	N        int    `json:"iteration"` // its iteration
	Attempt  int    `json:"attempt"`   // its attempt
	PID      int    `json:"pid"`       // process of the agent
	PIDStart string `json:"pidStart"`  // as in run_started
}

// AttemptEnded records how one call of the agent ended.
type AttemptEnded struct {
	N       int `json:"iteration"` // its iteration
	Attempt int `json:"attempt"`   // its attempt
	// ok, timeout, idle, usage_limit, transient, auth, error, crash or interrupted
	Outcome Outcome `json:"outcome"`
	// what went wrong; with ok, what may have kept the agent from working
	Message  string `json:"message,omitempty"`
	Hint     string `json:"hint,omitempty"`   // what to do about it
	ExitCode int    `json:"exitCode"`         // exit status of the agent
	Signal   string `json:"signal,omitempty"` // signal that ended it
	// from the start to the end of all its processes
	DurationSeconds float64 `json:"durationSeconds"`
	// input, output, cacheRead, cacheWrite of this call
	Tokens stream.Tokens `json:"tokens"`
	// true: the tokens are an estimate
	TokensEstimated bool `json:"tokensEstimated,omitempty"`
	// cost of this call; null if the agent does not report it
	CostUSD *float64 `json:"costUsd"`
	Session string   `json:"session,omitempty"` // the agent's id for the call
	// model that the agent reported
	Model    string     `json:"model,omitempty"`
	ResetsAt *time.Time `json:"resetsAt,omitempty"` // end of the provider's limit
	// true: only this model is at its limit
	ModelLimit bool `json:"modelLimit,omitempty"`
	// true: the final message holds the promise
	Promised bool `json:"promised,omitempty"`
	// tools that the agent was not permitted to use
	Denied []string `json:"denied,omitempty"`
	// processes that were left running and ended
	Strays int `json:"strays,omitempty"`
	// lines of output that could not be read
	BrokenLines int `json:"brokenLines,omitempty"`
	// the account's limits: window, utilization (0 to 1), resetsAt, rejected
	Limits []LimitWindow `json:"limits,omitempty"`
}

// LimitWindow is one of the account's limits, as the agent reported it.
type LimitWindow struct {
	Window      string     `json:"window,omitempty"`      // such as five_hour or seven_day
	Utilization *float64   `json:"utilization,omitempty"` // 0 to 1
	ResetsAt    *time.Time `json:"resetsAt,omitempty"`
	Rejected    bool       `json:"rejected,omitempty"` // it refused a call
}

// IterationEnded closes an iteration with what it achieved, by ralph's own evidence.
type IterationEnded struct {
	N       int     `json:"iteration"` // its number
	Outcome Outcome `json:"outcome"`   // as in attempt_ended
	// one line; with outcome ok, why the agent did nothing
	Error    string   `json:"error,omitempty"`
	ExitCode int      `json:"exitCode"` // exit status of the agent
	Head     string   `json:"head"`     // commit after the iteration
	Commits  []string `json:"commits"`  // commits that it made
	// ids of the stories that ralph newly accepted
	StoriesPassed []string `json:"storiesPassed"`
	// finished stories of the plan now
	StoriesComplete int    `json:"storiesComplete"`
	StoriesTotal    int    `json:"storiesTotal"`           // all stories of the plan now
	CurrentStory    *Story `json:"currentStory,omitempty"` // the next story
	// true: the iteration made progress
	Progress bool `json:"progress"`
	// iterations in a row without progress, with this one
	NoProgress int `json:"noProgress"`
	// equal errors in a row, with this one
	SameError int `json:"sameError"`
	// iterations in a row in which the agent ended at once, with this one
	InstantExits int `json:"duds,omitempty"`
	// true: the agent promised completion
	Promised bool `json:"promised"`
	Done     bool `json:"done"` // true: the plan is done
	// why it is done, as in run_ended
	DoneReason Reason `json:"doneReason,omitempty"`
	// as in run_started, after the iteration
	Print  string        `json:"print,omitempty"`
	Tokens stream.Tokens `json:"tokens"` // sum of its attempts
	// true: the tokens are an estimate
	TokensEstimated bool `json:"tokensEstimated,omitempty"`
	// sum of its attempts, or null
	CostUSD *float64 `json:"costUsd"`
	LogFile string   `json:"logFile,omitempty"` // as in attempt_started
	Work    string   `json:"work,omitempty"`    // as in run_started
	// files changed by it; only in change plans
	ChangedFiles *int `json:"changedFiles,omitempty"`
}

// WaitStarted records that the run waits.
type WaitStarted struct {
	Reason  Reason     `json:"reason"`          // rate_limit, usage_limit, transient or paused
	Until   *time.Time `json:"until,omitempty"` // planned end
	Message string     `json:"message"`         // for people
	Rule    string     `json:"rule,omitempty"`  // as in run_ended
	Facts   []int      `json:"facts,omitempty"` // as in run_ended
}

// WaitEnded records that the run continues after a wait.
type WaitEnded struct {
	Reason  Reason  `json:"reason"`  // as in wait_started
	Seconds float64 `json:"seconds"` // length of the wait, with the sleep of the machine
}

// ClockJumped records that the wall clock and the elapsed time differ by more than five
// seconds: the machine slept, or the clock was set. It can come between any two events.
// A sleep counts towards time limits and waits. A clock that was set does not: a wait ends
// at its time of day, or after its planned length, whichever is first.
type ClockJumped struct {
	Seconds float64 `json:"seconds"`         // size of the jump; negative: the clock was set back
	Slept   bool    `json:"slept,omitempty"` // true: the machine slept; else the clock was set
	Message string  `json:"message"`         // for people
}

// HarnessSwitched records that another agent continues the work.
type HarnessSwitched struct {
	From   string     `json:"from"`            // agent until now
	To     string     `json:"to"`              // agent from now on
	Reason string     `json:"reason"`          // why
	Until  *time.Time `json:"until,omitempty"` // when the first one is available again
}

// CheckEnded records one quality check that ralph ran.
type CheckEnded struct {
	N int `json:"iteration"` // its iteration; 0 before the first one
	// baseline, claim, every or end; a clean baseline is the commit before the work
	Phase   Phase  `json:"phase"`
	Name    string `json:"name"`    // name of the check
	Command string `json:"command"` // its command
	// passed, failed, timeout, missing or interrupted
	Outcome         CheckOutcome `json:"outcome"`
	ExitCode        int          `json:"exitCode"`        // exit status of the command
	DurationSeconds float64      `json:"durationSeconds"` // how long it took
	// what it ran on: a git tree, or a fingerprint of the worktree
	Tree  string `json:"tree,omitempty"`
	Clean bool   `json:"clean,omitempty"` // true: in a clean worktree of the commit
	// true: not run again; the result of the same check on the same tree
	Same bool `json:"same,omitempty"`
	// not empty: it passes only without a room; the settings that may help
	Unsealed string `json:"unsealed,omitempty"`
	// true: it failed, and passes without a room; only rooms count (sandbox: require)
	Outside bool   `json:"outside,omitempty"`
	Tail    string `json:"tail,omitempty"` // end of its output
}

// Compares reports whether the check was run on the commit before the work, in a
// clean worktree, for comparison: that is no word on the work, nor on the files
// that are there.
func (b CheckEnded) Compares() bool { return b.Phase == PhaseBaseline && b.Clean }

// StoryProved is the receipt of a story that ralph accepted.
type StoryProved struct {
	// its iteration; 0 for marks that an earlier run left
	N      int    `json:"iteration"`
	Story  string `json:"story"`  // id
	Title  string `json:"title"`  // title
	Commit string `json:"commit"` // the commit that was checked out
	// tree of the commit; a fingerprint of the worktree in place
	Tree string `json:"tree"`
	// clean (in a worktree of its own) or inplace
	Mode ProofPlace `json:"mode"`
	Why  string     `json:"why,omitempty"` // why it was not proved in a clean worktree
	// each with name, command, outcome, exitCode, durationSeconds
	Checks []CheckReceipt `json:"checks"`
	// what the runs of work_proved showed
	Proof   *Proof `json:"proof,omitempty"`
	Harness string `json:"harness,omitempty"` // agent that made the claim
	Model   string `json:"model,omitempty"`   // model that the agent reported
	Session string `json:"session,omitempty"` // the agent's id for the call
	// the last review: harness, model and verdict
	Review *ReviewReceipt `json:"review,omitempty"`
	// true: the receipt is also a git note in refs/notes/ralph
	Noted bool `json:"noted,omitempty"`
}

// NoChecks is why no check ran for a story if the settings have none.
const NoChecks = "no quality checks are configured"

// NotProved describes a story that was accepted without any check, by its reason.
func NotProved(why string) string {
	if why == NoChecks {
		return "marked, not proved: no check is configured"
	}
	return "marked, not proved: no check ran"
}

// Line says in one line what the story was accepted for.
func (p StoryProved) Line() string {
	if len(p.Checks) == 0 {
		return NotProved(p.Why)
	}
	line := fmt.Sprintf("%d checks", len(p.Checks))
	switch {
	case p.Proof != nil:
		line = p.Proof.Line
	case len(p.Checks) == 1:
		line = "1 check"
	}
	if names := Unsealed(p.Checks); len(names) > 0 {
		line += "; unsealed: " + strings.Join(names, ", ")
	}
	if p.Review != nil && p.Review.Verdict == ReviewAccept {
		line += "; reviewed by " + p.Review.Harness
	}
	return line
}

// ReviewReceipt is the review of a receipt.
type ReviewReceipt struct {
	Harness string        `json:"harness"`
	Model   string        `json:"model,omitempty"`
	Verdict ReviewVerdict `json:"verdict"` // accept, refuse (a warning) or none
}

// CheckReceipt is one check of a receipt.
type CheckReceipt struct {
	Name            string       `json:"name"`
	Command         string       `json:"command"`
	Outcome         CheckOutcome `json:"outcome"`
	ExitCode        int          `json:"exitCode"`
	DurationSeconds float64      `json:"durationSeconds"`
	// not empty: it passed without a room; the settings that may help
	Unsealed string `json:"unsealed,omitempty"`
}

// Unsealed returns the names of the checks that passed without a room.
func Unsealed(checks []CheckReceipt) []string {
	var names []string
	for _, c := range checks {
		if c.Unsealed != "" {
			names = append(names, c.Name)
		}
	}
	return names
}

// WorkProved says what a claim is worth: the tests as they were before it, its own tests
// without its work, and the work without its parts.
type WorkProved struct {
	N       int      `json:"iteration"` // 0: marks from before the run
	Stories []string `json:"stories"`   // ids of the claim
	// base, line, oldTests, newTests, files, held, sample, hunks, unheld, fewer, runs, seconds
	Proof Proof `json:"proof"`
}

// Proof is what runs of checks on composed trees showed.
type Proof struct {
	Base string `json:"base"` // commit that the work was compared with
	Line string `json:"line"` // all of it in words
	// passed, failed, fewer, weaker, earlier, no_compile, red (at base too) or unable
	OldTests string   `json:"oldTests,omitempty"`
	NewTests string   `json:"newTests,omitempty"` // the same for the new tests without the work, or no_tests
	Files    []string `json:"files,omitempty"`    // tests and check files that make the old tests fail
	Held     int      `json:"held,omitempty"`     // hunks without which a check fails
	Sample   int      `json:"sample,omitempty"`   // hunks that were taken out
	Hunks    int      `json:"hunks,omitempty"`    // hunks of the work
	Unheld   []string `json:"unheld,omitempty"`   // file:line of hunks that no check holds
	Fewer    []string `json:"fewer,omitempty"`    // checks that ran fewer tests than at base
	Doubts   []string `json:"doubts,omitempty"`   // what the user should inspect
	Runs     int      `json:"runs"`               // runs of checks
	Seconds  float64  `json:"seconds"`            // that they took
}

// ReviewStarted precedes each call of the agent that reviews a claim.
type ReviewStarted struct {
	N       int      `json:"iteration"` // 0: marks from before the run
	Stories []string `json:"stories"`   // ids of the claim; none: the promise
	Harness string   `json:"harness"`   // the reviewer
	// model from the settings
	Model        string     `json:"model,omitempty"`
	LogFile      string     `json:"logFile"`                     // as in attempt_started
	LogOffset    int64      `json:"logOffset,omitempty"`         // as in attempt_started
	Output       string     `json:"output,omitempty"`            // as in attempt_started
	CallsUsed    int        `json:"apiCallsUsed"`                // as in attempt_started
	CallsLimit   int        `json:"apiCallsLimit"`               // as in attempt_started
	CallsResetAt *time.Time `json:"rateLimitResetsAt,omitempty"` // as in attempt_started
}

// ReviewEnded records what the reviewer said about a claim. If no review_started comes before
// it, the reviewer could not be called.
type ReviewEnded struct {
	N       int            `json:"iteration"`         // as in review_started
	Stories []string       `json:"stories"`           // as in review_started
	Harness string         `json:"harness"`           // as in review_started
	Model   string         `json:"model,omitempty"`   // model that the reviewer reported
	Verdict ReviewVerdict  `json:"verdict"`           // accept, refuse or none
	Reasons []ReviewReason `json:"reasons,omitempty"` // each with criterion and reason
	// with the verdict none: why there is none
	Message string `json:"message,omitempty"`
	// as in attempt_ended; missing if it was not called
	Outcome         Outcome       `json:"outcome,omitempty"`
	DurationSeconds float64       `json:"durationSeconds,omitempty"` // as in attempt_ended
	Tokens          stream.Tokens `json:"tokens"`                    // as in attempt_ended
	TokensEstimated bool          `json:"tokensEstimated,omitempty"` // as in attempt_ended
	CostUSD         *float64      `json:"costUsd"`                   // as in attempt_ended
	Session         string        `json:"session,omitempty"`         // as in attempt_ended
	Limits          []LimitWindow `json:"limits,omitempty"`          // as in attempt_ended
}

// By is the reviewer, with its model.
func (b ReviewEnded) By() string {
	if b.Model == "" || b.Model == b.Harness {
		return b.Harness
	}
	return b.Harness + " (" + b.Model + ")"
}

// Because is why the verdict is what it is, in one line.
func (b ReviewEnded) Because() string {
	var parts []string
	for _, r := range b.Reasons {
		parts = append(parts, r.String())
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, "; ")
	case b.Verdict == ReviewRefuse:
		return "it gave no reason"
	}
	return b.Message
}

// String says what the reviewer made of the claim.
func (b ReviewEnded) String() string {
	what := map[ReviewVerdict]string{
		ReviewAccept: "accepts", ReviewRefuse: "refuses", ReviewNone: "gives no verdict on",
	}[b.Verdict]
	claim := strings.Join(b.Stories, ", ")
	if claim == "" {
		claim = "the promise"
	}
	text := "the review by " + b.By() + " " + what + " " + claim
	if because := b.Because(); because != "" {
		text += ": " + because
	}
	return text
}

// ReviewReason is one reason of a reviewer.
type ReviewReason struct {
	Criterion string `json:"criterion"` // that it is about
	Reason    string `json:"reason"`
}

// String returns the reason with its criterion.
func (r ReviewReason) String() string {
	if r.Criterion == "" || r.Reason == "" {
		return r.Criterion + r.Reason
	}
	return r.Criterion + ": " + r.Reason
}

// TamperFound lists what an iteration did to tests, checks or CI. An empty list means that
// earlier findings are undone.
type TamperFound struct {
	N        int             `json:"iteration"`      // its iteration
	Findings []TamperFinding `json:"findings"`       // each with path, line, rule, message, text
	More     int             `json:"more,omitempty"` // number of findings that are not listed
	// false: the stories of the iteration were not accepted
	Accepted bool   `json:"accepted"`
	Base     string `json:"base,omitempty"` // commit that the changes were compared with
}

// TamperFinding is one place where a test or a check was weakened.
type TamperFinding struct {
	Path    string `json:"path"`           // from the worktree's root
	Line    int    `json:"line,omitempty"` // in the new file; in the old one if the line is gone
	Rule    string `json:"rule"`
	Message string `json:"message"`
	Text    string `json:"text,omitempty"` // the line itself, shortened
}

// ClaimRejected records a claim of the agent that ralph did not accept.
type ClaimRejected struct {
	N       int       `json:"iteration"`         // its iteration
	Claim   ClaimKind `json:"claim"`             // promise, story or done
	Stories []string  `json:"stories,omitempty"` // ids of the stories
	Reason  string    `json:"reason"`            // why it was not accepted
	Rule    string    `json:"rule,omitempty"`    // what decided, in one word
	Facts   []int     `json:"facts,omitempty"`   // as in run_ended
}

// ClaimAccepted records marks that ralph accepted: they count from here on. What was judged
// is the base of the next claims.
type ClaimAccepted struct {
	N       int      `json:"iteration"` // 0: marks from before the run
	Stories []string `json:"stories"`   // ids
	// what decided: proved, allowed by the user, or unproved without checks
	Rule   string `json:"rule"`
	Facts  []int  `json:"facts,omitempty"` // as in run_ended
	Commit string `json:"commit"`          // the base
	Work   string `json:"work,omitempty"`  // fingerprint of its worktree without the plan
	// commit with tests that accepted stories changed, as they were before
	Tests string `json:"tests,omitempty"`
	// findings that are part of the base
	Known []TamperFinding `json:"known,omitempty"`
	// folders of dependencies that the checks borrow: each with path, files, content, locks
	Borrowed []Borrowed `json:"borrowed,omitempty"`
}

// Borrowed holds fingerprints of a folder of dependencies that git ignores.
type Borrowed struct {
	Path    string `json:"path"`    // from the worktree's root
	Files   string `json:"files"`   // sizes and times of its files
	Content string `json:"content"` // their content
	Locks   string `json:"locks"`   // the lock files next to it
}

// BaseMoved records what claims are compared with from now on, where that is not the work of
// an accepted claim.
type BaseMoved struct {
	N      int             `json:"iteration"`       // 0: before the first iteration
	Commit string          `json:"commit"`          // the base
	Work   string          `json:"work,omitempty"`  // fingerprint of its worktree without the plan
	Reason string          `json:"reason"`          // for people
	Known  []TamperFinding `json:"known,omitempty"` // findings that are part of it
	// folders of dependencies that the checks borrow: each with path, files, content, locks
	Borrowed []Borrowed `json:"borrowed,omitempty"`
	// id of the story that is parked, and of which nothing is left in the worktree
	Parked string `json:"parked,omitempty"`
}

// PlanRestored records a file of the plan that ralph restored after the agent changed it.
type PlanRestored struct {
	N    int    `json:"iteration"`      // its iteration
	Path string `json:"path"`           // from the worktree's root
	What string `json:"what"`           // what the agent had done to it
	Kept string `json:"kept,omitempty"` // where the replaced content is
}

// PlanChanged records a new plan that the user gave to the running loop, or marks that count or
// no longer count without an iteration.
type PlanChanged struct {
	Stories  []Story  `json:"stories"`            // the new plan: id, title, done
	Reopened []string `json:"reopened,omitempty"` // ids of marks that are gone: made again, they are judged again
	Message  string   `json:"message"`            // for people
}

// NoWork names stories that were marked as done while nothing was changed for them.
type NoWork struct {
	N        int      `json:"iteration"` // its iteration
	Stories  []string `json:"stories"`   // their ids
	Accepted bool     `json:"accepted"`  // true: they count in spite of that
}

// HeadMoved records that the agent left the branch or removed commits from it.
type HeadMoved struct {
	N       int    `json:"iteration"` // its iteration
	From    string `json:"from"`      // commit before
	To      string `json:"to"`        // commit now
	Branch  string `json:"branch"`    // branch now
	Message string `json:"message"`   // for people
}

// StoryParked records that a story is given up for now. What was done since the last accepted
// state is kept, and the branch continues from that state: base_moved follows when the
// worktree is restored. No agent is called for the story until the user takes it up again.
type StoryParked struct {
	Story string `json:"story"` // id
	Title string `json:"title"` // title
	// ids of open stories that depend on it, and wait with it
	With    []string `json:"with,omitempty"`
	Reason  Reason   `json:"reason"`          // no_progress or same_error
	Message string   `json:"message"`         // for people
	Notes   string   `json:"notes,omitempty"` // the agent's notes on the story
	Ref     string   `json:"ref"`             // reference that keeps the work
	State   string   `json:"state"`           // its commit; the first parent is the branch
	Back    string   `json:"back"`            // commit that keeps the last accepted state
	Rule    string   `json:"rule"`            // as in run_ended
	Facts   []int    `json:"facts,omitempty"` // as in run_ended
}

// Undone records that the user went back to the state before an iteration: from here on only
// what counted then counts.
type Undone struct {
	Of        string          `json:"of"`                  // id of the run; the name of an undo where that is undone
	N         int             `json:"iteration"`           // its iteration
	State     string          `json:"state"`               // commit that keeps the state
	Kept      string          `json:"kept"`                // reference of the state that was left
	Head      string          `json:"head"`                // commit of the branch now
	Accepted  []string        `json:"accepted"`            // ids of the stories that count
	TakenOver []string        `json:"takenOver,omitempty"` // as in run_started
	Base      string          `json:"base,omitempty"`      // commit that claims are compared with
	Work      string          `json:"work,omitempty"`      // fingerprint of its worktree without the plan
	Known     []TamperFinding `json:"known,omitempty"`     // findings that are part of it
	Weakened  bool            `json:"weakened,omitempty"`  // true: other findings were not accepted
	Seen      string          `json:"seen,omitempty"`      // commit that ralph had seen last
	SeenWork  string          `json:"seenWork,omitempty"`  // fingerprint of the worktree then
	Parked    []StoryParked   `json:"parked,omitempty"`    // stories that were parked then
	Message   string          `json:"message"`             // for people
}

// BreakerOpened records that the run is stuck.
type BreakerOpened struct {
	Reason Reason `json:"reason"` // no_progress or same_error
	Count  int    `json:"count"`  // iterations in a row
	// fingerprint of the plan's files and HEAD; a change closes the breaker
	Print string `json:"print"`
	Facts []int  `json:"facts,omitempty"` // as in run_ended
}

// BreakerReset records that the circuit breaker is closed again.
type BreakerReset struct {
	Message string `json:"message"` // why
}

// Request records what another command asked the loop to do.
type Request struct {
	Kind    RequestKind `json:"kind"`              // stop, pause, resume, context, plan, allow, set or unpark
	Text    string      `json:"text,omitempty"`    // context for the agent, or the story
	Finding string      `json:"finding,omitempty"` // rule that it is allowed against; none: any but a check
	Who     string      `json:"who,omitempty"`     // user who allowed it
	PID     int         `json:"pid,omitempty"`     // process that asked
	Message string      `json:"message,omitempty"` // for people

	Set []Setting `json:"set,omitempty"` // settings that change, each with key and value
	// true: finished stories may be left out of the new plan
	DropFinished bool `json:"dropFinished,omitempty"`
}

// Setting is a new value of a setting, as a text.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Warning is a problem that the user should know about and that decided nothing.
type Warning struct {
	Message string `json:"message"` // one sentence
}

// Archived records where the finished feature was moved. It is the last line of an archived
// journal, after run_ended. ralph run --json does not print it: run_ended is its last line.
type Archived struct {
	Path string `json:"path"` // from the worktree's root
}

// RunEnded closes a run.
type RunEnded struct {
	Status    RunStatus     `json:"status"`              // completed, failed or stopped
	Reason    Reason        `json:"reason"`              // why it ended, in one word
	ExitCode  int           `json:"exitCode"`            // exit code of ralph run
	Message   string        `json:"message"`             // for people
	ResumesAt *time.Time    `json:"resumesAt,omitempty"` // end of the provider's limit
	Tokens    stream.Tokens `json:"tokens"`              // sum of the run
	CostUSD   *float64      `json:"costUsd"`             // cost of the run, or null
	Head      string        `json:"head,omitempty"`      // commit that ralph saw last
	Work      string        `json:"work,omitempty"`      // fingerprint of the worktree then
	Mixed     string        `json:"mixed,omitempty"`     // as in iteration_started
	Rule      string        `json:"rule,omitempty"`      // the rule that decided it
	Facts     []int         `json:"facts,omitempty"`     // numbers of the events that it used, from 1 in each run
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
func (WorkProved) EventType() string       { return "work_proved" }
func (ReviewStarted) EventType() string    { return "review_started" }
func (ReviewEnded) EventType() string      { return "review_ended" }
func (TamperFound) EventType() string      { return "tamper_found" }
func (ClaimRejected) EventType() string    { return "claim_rejected" }
func (ClaimAccepted) EventType() string    { return "claim_accepted" }
func (BaseMoved) EventType() string        { return "base_moved" }
func (PlanRestored) EventType() string     { return "plan_restored" }
func (PlanChanged) EventType() string      { return "plan_changed" }
func (NoWork) EventType() string           { return "no_work" }
func (HeadMoved) EventType() string        { return "head_moved" }
func (StoryParked) EventType() string      { return "story_parked" }
func (Undone) EventType() string           { return "undone" }
func (BreakerOpened) EventType() string    { return "breaker_opened" }
func (BreakerReset) EventType() string     { return "breaker_reset" }
func (Request) EventType() string          { return "request" }
func (Warning) EventType() string          { return "warning" }
func (Archived) EventType() string         { return "archived" }
func (RunEnded) EventType() string         { return "run_ended" }
