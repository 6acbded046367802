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

// Derived are the paths that are no work: the plan itself and what ralph writes for others.
var Derived = []string{".ralph", ".ito/.state", ".claude/loop-state.json", ".claude/ralph-loop.log", ".claude/ralph-terminal.pid"}

// Mode says where the checks must succeed before a claim is accepted.
type Mode string

// The modes of proof.
const (
	Auto    Mode = "auto"    // clean where the work is committed and the checks can pass there, else in place
	Clean   Mode = "clean"   // in a clean worktree of the agent's commit, or not at all
	InPlace Mode = "inplace" // where the agent works
	Off     Mode = "off"     // as InPlace, without receipts
)

// Rules are the settings that decide on claims.
type Rules struct {
	Mode           Mode
	RequireChange  bool // a mark without work since the base is refused
	RejectWeakened bool // nothing is accepted while tests, checks or CI are weaker than at the base
	Receipts       bool // a mark needs a receipt: for readers without a journal
	Runs           proof.Settings
	Strength       float64 // the share of hunks that the checks must hold
	Review         Review
}

// Review is the settings of the second agent that judges claims.
type Review struct {
	Require bool // what it refuses is not accepted; else it is a warning
	Most    int  // calls for one story
}

// Base is what claims are compared with.
type Base struct {
	Commit string // empty where there was no commit
	Work   string // fingerprint of the worktree without Derived
}

// Claim is what is to be judged.
type Claim struct {
	N         int               // iteration, 0 before the first one
	State     plan.State        // the plan as it was read for the claim
	Items     []string          // marks without an acceptance on record
	TakenOver []string          // marks that were there when ralph first saw the plan
	Boxes     bool              // the marks are boxes of a checklist: taken over, they need no receipt
	Allowed   map[string]string // items that the user allowed, with the rule; empty is any
	Promised  bool              // the agent promised completion
	Done      bool              // with all items accepted, the plan is done
	DoneSoFar bool              // the plan is done without the items, too
	Looked    bool              // look for weakened tests also where nothing is claimed
}

// Facts are what was found out about a claim.
type Facts struct {
	Worktree    git.WorktreeState // the worktree, before the checks
	Idle        bool              // nothing but the plan has changed since the base
	Already     []string          // items of an idle claim that an earlier commit did: its tests fail without it
	Looked      bool              // Findings was looked for
	Findings    []tamper.Finding  // what weakens tests, checks or CI since the base, without what is known
	Uncommitted string            // the changes that are in no commit, in words; empty where all is committed
	NoChecks    bool              // no quality check is configured
	Place       Place
	Checks      []CheckFact // of the phases every, claim and end, as far as they were due
	Blocking    []string    // failing checks that keep the plan from being done
	Complete    bool        // all that was due was run to its end
	Plan        PlanAfter
	Receipts    []string // items of the claim with a receipt

	Review   *journal.ReviewEnded // of a second agent, the last one; nil: none was due
	Reviewed run.Reviews          // with those of earlier claims about the same items
	// what runs of old tests, new tests and parts of the work showed; nil: none were due
	Proof *proof.Proof
}

// CheckFact is how a check fared.
type CheckFact struct {
	check.Result
	Phase journal.Phase
	Red   bool // it failed before the work began, and has not passed since
	// Tolerated says that a failure is no obstacle by the settings.
	Tolerated bool
}

// Against reports whether the check speaks against the work, or cannot speak for it.
func (c CheckFact) Against() bool { return !c.Green() && (!c.Red || c.Outside) }

// Place is where the claim was checked.
type Place struct {
	Commit string
	Tree   string // of the commit, or the fingerprint of the worktree where the checks ran in place
	Clean  bool   // in a clean worktree of the commit
	Partly bool   // not all of the work is in the commit: checks had to pass in place too
	Why    string // why not, or not only, in a clean worktree
}

// PlanAfter is the plan after the checks, which are code that the agent may have written.
type PlanAfter struct {
	State    plan.State
	Restored []plan.Restored // files that the checks changed
	Opened   []string        // marks that the checks removed
	Ticked   []string        // marks that the checks made; they are revoked
}

// without returns the elements of list that are not in drop.
func without(list, drop []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(drop, s) })
}
