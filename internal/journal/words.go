package journal

import (
	"cmp"
	"strings"
)

// PlanKind says what kind of plan a run works on.
type PlanKind string

// The kinds of plans.
const (
	PlanPRD    PlanKind = "prd"
	PlanTasks  PlanKind = "tasks"
	PlanChange PlanKind = "change"
	PlanPrompt PlanKind = "prompt"
)

// planKinds is the one table of the kinds of plans, and what a reader of a record asks of them.
var planKinds = map[PlanKind]struct {
	items    string // what its items are called
	task     string // the plan in words, where the user gave none; UNIT is the name of its unit
	feature  bool
	receipts bool
}{
	PlanPRD:    {"stories", "the stories of UNIT", true, true},
	PlanTasks:  {"tasks", "the tasks of tasks.md", false, false},
	PlanChange: {"tasks", "the change UNIT", false, false},
	PlanPrompt: {"tasks", "", false, false},
}

// Items returns what the items of the plan are called.
func (k PlanKind) Items() string { return cmp.Or(planKinds[k].items, "tasks") }

// Task returns the plan of a unit in words; empty for a plan that is only a text.
func (k PlanKind) Task(unit string) string {
	return strings.ReplaceAll(planKinds[k].task, "UNIT", unit)
}

// Feature reports whether the plan is a feature folder: the branch has it for itself, and ralph
// can archive it and verify its stories later.
func (k PlanKind) Feature() bool { return planKinds[k].feature }

// Receipts reports whether each item is accepted for itself, for committed work, and with a
// receipt. Boxes of a checklist are not: there a commit alone is progress.
func (k PlanKind) Receipts() bool { return planKinds[k].receipts }

// Outcome says how an attempt or an iteration ended.
type Outcome string

// The outcomes.
const (
	OutcomeOK          Outcome = "ok"          // the agent exited and reported no error
	OutcomeTimeout     Outcome = "timeout"     // ralph ended it at its time limit
	OutcomeIdle        Outcome = "idle"        // ralph ended it because it showed no sign of life
	OutcomeUsageLimit  Outcome = "usage_limit" // the provider refused: the account's limit is reached
	OutcomeTransient   Outcome = "transient"   // overload or network: the same call may work soon
	OutcomeAuth        Outcome = "auth"        // not logged in, bad key, no credit: the user must act
	OutcomeError       Outcome = "error"       // another error, or the agent could not be started
	OutcomeCrash       Outcome = "crash"       // a signal ended it, or its guardian or ralph died
	OutcomeInterrupted Outcome = "interrupted" // ralph ended it because the run was stopped
)

// NoIteration reports whether an attempt with this outcome is tried again without being
// counted as an iteration: the provider refused the call.
func (o Outcome) NoIteration() bool { return o == OutcomeUsageLimit || o == OutcomeTransient }

// CheckOutcome says how a quality check ended.
type CheckOutcome string

// The outcomes of a check.
const (
	CheckPassed      CheckOutcome = "passed"
	CheckFailed      CheckOutcome = "failed"
	CheckTimeout     CheckOutcome = "timeout"
	CheckMissing     CheckOutcome = "missing" // the command does not exist
	CheckInterrupted CheckOutcome = "interrupted"
)

// Phase says at which point of a run a check was run.
type Phase string

// The phases.
const (
	PhaseBaseline Phase = "baseline" // before the work, for comparison
	PhaseClaim    Phase = "claim"    // for a story that the agent marked
	PhaseEvery    Phase = "every"    // after every iteration
	PhaseEnd      Phase = "end"      // when the plan is done
)

// ProofPlace says where the checks of a receipt were run.
type ProofPlace string

// The places.
const (
	ProvedClean   ProofPlace = "clean"   // in a clean worktree of the commit
	ProvedInPlace ProofPlace = "inplace" // in the user's worktree
)

// ClaimKind says what the agent claimed.
type ClaimKind string

// The kinds of claims.
const (
	ClaimStory   ClaimKind = "story"   // marks of stories
	ClaimPromise ClaimKind = "promise" // the completion promise
	ClaimDone    ClaimKind = "done"    // all items of a plan are marked
)

// ReviewVerdict says what a reviewer made of a claim.
type ReviewVerdict string

// The verdicts.
const (
	ReviewAccept ReviewVerdict = "accept"
	ReviewRefuse ReviewVerdict = "refuse"
	ReviewNone   ReviewVerdict = "none" // it could not be called, failed, or did not say
)

// RequestKind says what another command asks the loop for.
type RequestKind string

// The kinds of requests.
const (
	RequestStop         RequestKind = "stop"
	RequestPause        RequestKind = "pause"
	RequestResume       RequestKind = "resume"
	RequestContext      RequestKind = "context"
	RequestClearContext RequestKind = "context_clear"
	RequestPlan         RequestKind = "plan"
	RequestAllow        RequestKind = "allow" // a claim that ralph would refuse
	RequestSet          RequestKind = "set"   // other settings for the running loop
	RequestUnpark       RequestKind = "unpark"
)

// RunStatus says in which state a run is, in one word. Its empty value is null in JSON.
type RunStatus string

// The statuses.
const (
	StatusRunning   RunStatus = "running"
	StatusPaused    RunStatus = "paused"
	StatusCompleted RunStatus = "completed"
	StatusFailed    RunStatus = "failed"
	StatusStopped   RunStatus = "stopped"
)

// MarshalJSON implements json.Marshaler.
func (s RunStatus) MarshalJSON() ([]byte, error) { return Text(s).MarshalJSON() }

// Reason says why a run ended or why it waits. Its empty value is null in JSON.
type Reason string

// The reasons for the end of a run.
const (
	ReasonStoriesComplete  Reason = "stories_complete"
	ReasonTasksComplete    Reason = "tasks_complete"
	ReasonPromise          Reason = "promise"
	ReasonMaxIterations    Reason = "max_iterations"
	ReasonNoProgress       Reason = "no_progress"
	ReasonSameError        Reason = "same_error"
	ReasonParked           Reason = "parked" // stories are, and nothing else is left to try
	ReasonBudget           Reason = "budget"
	ReasonAuth             Reason = "auth"
	ReasonAgentMissing     Reason = "agent_missing"
	ReasonBranchChanged    Reason = "branch_changed"
	ReasonError            Reason = "error"
	ReasonWaitingForPerson Reason = "waiting_for_person"
	ReasonUsageLimit       Reason = "usage_limit" // of a wait too
	ReasonInterrupted      Reason = "interrupted"
	ReasonStopped          Reason = "stopped"
	ReasonCrashed          Reason = "crashed" // its process died before it could end the run
)

// The reasons for a wait alone.
const (
	WaitRateLimit = Reason("rate_limit")
	WaitTransient = Reason("transient")
	WaitPaused    = Reason("paused")
	WaitSuspended = Reason("suspended") // Ctrl-Z or SIGSTOP stopped the process: never in a journal
)

// The exit codes of a run.
const (
	ExitDone        = 0
	ExitNotDone     = 1
	ExitUsageLimit  = 2
	ExitInterrupted = 130 // 128 + SIGINT, as shells report it
	ExitStopped     = 143 // 128 + SIGTERM
)

// reasons is the one table of why a run can end or wait, and what that means.
var reasons = map[Reason]struct {
	status RunStatus
	exit   int // where status is that of an end
	text   string
}{
	ReasonStoriesComplete:  {StatusCompleted, ExitDone, "every story passes"},
	ReasonTasksComplete:    {StatusCompleted, ExitDone, "no task is open"},
	ReasonPromise:          {StatusCompleted, ExitDone, "the agent promised completion, and nothing speaks against it"},
	ReasonMaxIterations:    {StatusFailed, ExitNotDone, "the iterations are used up"},
	ReasonNoProgress:       {StatusFailed, ExitNotDone, "too many iterations in a row without progress"},
	ReasonSameError:        {StatusFailed, ExitNotDone, "the same error too many times in a row"},
	ReasonParked:           {StatusFailed, ExitNotDone, "stories are parked, and nothing else is left to try"},
	ReasonBudget:           {StatusFailed, ExitNotDone, "the budget is spent"},
	ReasonAuth:             {StatusFailed, ExitNotDone, "the agent is not logged in, or has no credit"},
	ReasonAgentMissing:     {StatusFailed, ExitNotDone, "the agent's program was not found"},
	ReasonBranchChanged:    {StatusFailed, ExitNotDone, "the agent left the branch"},
	ReasonError:            {StatusFailed, ExitNotDone, "an error that ralph cannot recover from"},
	ReasonCrashed:          {StatusFailed, ExitNotDone, "ralph itself died"},
	ReasonWaitingForPerson: {StatusStopped, ExitNotDone, "only questions for you are left"},
	ReasonUsageLimit:       {StatusStopped, ExitUsageLimit, "the provider's usage limit is reached"},
	ReasonInterrupted:      {StatusStopped, ExitInterrupted, "ended by Ctrl-C"},
	ReasonStopped:          {StatusStopped, ExitStopped, "ended by a signal or 'ralph stop'"},
	WaitRateLimit:          {StatusPaused, 0, "the calls of this hour are used up"},
	WaitPaused:             {StatusPaused, 0, "paused by the user"},
}

// Status returns the status of a run that ended for this reason.
func (r Reason) Status() RunStatus { return reasons[r].status }

// ExitCode returns the exit status of ralph for a run that ended for this reason.
func (r Reason) ExitCode() int { return reasons[r].exit }

// Text returns what the reason means, in words; empty for one of a newer program.
func (r Reason) Text() string { return reasons[r].text }

// MarshalJSON implements json.Marshaler.
func (r Reason) MarshalJSON() ([]byte, error) { return Text(r).MarshalJSON() }
