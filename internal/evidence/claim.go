package evidence

import (
	"slices"

	"ralph/internal/check"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/proof"
	"ralph/internal/run"
	"ralph/internal/tamper"
)

// Derived lists the paths that do not count as work: the plan itself and the files that ralph
// writes for other tools.
var Derived = []string{".ralph", ".ito/.state", ".claude/loop-state.json", ".claude/ralph-loop.log", ".claude/ralph-terminal.pid"}

// Mode names where the checks must pass before a claim is accepted.
type Mode string

// The modes of proof.
const (
	Auto    Mode = "auto"    // in a clean worktree if possible, else in place
	Clean   Mode = "clean"   // in a clean worktree of the agent's commit, or not at all
	InPlace Mode = "inplace" // where the agent works
	Off     Mode = "off"     // like InPlace, without receipts
)

// Rules are the settings for decisions on claims.
type Rules struct {
	Mode           Mode
	RequireChange  bool // a mark without work since the base is refused
	RejectWeakened bool // nothing is accepted while tests, checks or CI are weaker than at the base
	Runs           proof.Settings
	Strength       float64 // share of hunks without which a check must fail
	Review         ReviewRules
}

// ReviewRules holds the settings for the second agent, which judges claims.
type ReviewRules struct {
	Require bool // a refusal counts; otherwise it is only a warning
	Most    int  // highest number of calls for one story
}

// Claim is the set of marks and promises to judge.
type Claim struct {
	N         int               // iteration, 0 before the first one
	State     plan.State        // the plan as it was read for the claim
	Items     []string          // marks without an acceptance on record
	TakenOver []string          // marks that were there when ralph first saw the plan
	Boxes     bool              // marks are boxes of a checklist, which need no receipt
	Allowed   map[string]string // items that the user allowed, with the rule; "": any rule
	Promised  bool              // the agent promised completion
	Done      bool              // with all items accepted, the plan is done
	DoneSoFar bool              // the plan is done without the items, too
	Looked    bool              // look for weakened tests even if nothing is claimed
}

// Facts are the facts about a claim.
type Facts struct {
	Worktree    git.WorktreeState // the worktree, before the checks
	Idle        bool              // nothing but the plan has changed since the base
	Already     []string          // items that an earlier commit did: its tests fail without it
	Looked      bool              // ralph looked for findings
	Findings    []tamper.Finding  // what weakens tests or CI since the base, except what is known
	Uncommitted string            // describes uncommitted changes; empty if all is committed
	NoChecks    bool              // no quality check is configured
	Place       ProvedAt
	Checks      []CheckFact // checks that were due, of the phases every, claim and end
	Blocking    []string    // failing checks that keep the plan from being done
	Complete    bool        // all checks that were due have finished
	Plan        PlanAfter
	Receipts    []string // items of the claim with a receipt

	Review   *journal.ReviewEnded // last review by a second agent; nil: none was due
	Reviewed run.Reviews          // includes reviews of earlier claims about the same items
	// what runs of old tests, new tests and parts of the work showed; nil: none were due
	Proof *proof.Proof
}

// CheckFact is the result of a check, with its meaning for the claim.
type CheckFact struct {
	check.Result
	Phase journal.Phase
	Red   bool // it failed before the work began, and has not passed since
	// Tolerated says that a failure is no obstacle by the settings.
	Tolerated bool
}

// against reports whether the check speaks against the claim: it failed, and did not already
// fail before the work. A check that passes only outside its room always does.
func (c CheckFact) against() bool { return !c.Green() && (!c.Red || c.Outside) }

// ProvedAt describes where the checks ran.
type ProvedAt struct {
	Commit string
	Tree   string // the commit's tree; the worktree's fingerprint if not Clean
	Clean  bool   // the checks ran in a clean worktree of the commit
	Partly bool   // some work is not committed: checks had to pass in place too
	Why    string // reason if the checks ran in place
}

// PlanAfter describes the plan after the checks. They can change it, because the agent may have
// written their code.
type PlanAfter struct {
	State    plan.State
	Restored []plan.Restored // files that the checks changed
	Opened   []string        // marks that the checks removed
	Ticked   []string        // marks that the checks made; they are revoked
}

// Without returns the elements of list that are not in drop.
func Without(list, drop []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(drop, s) })
}
