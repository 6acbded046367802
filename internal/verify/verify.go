// Package verify checks finished stories again. It runs the quality checks on the committed
// work, and compares the work with the receipts in the git notes. It needs no journal, so it
// works in a fresh clone. It writes only the clean worktree, and removes it.
package verify

import (
	"context"
	"slices"
	"time"

	"ralph/internal/check"
	"ralph/internal/evidence"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/proc"
)

// Report is the result of a verification, and the JSON output of `verify --json`.
type Report struct {
	OK      bool          `json:"ok"`
	Commit  string        `json:"commit"`
	Tree    string        `json:"tree"` // of the commit
	Mode    string        `json:"mode"` // clean or inplace
	Checks  []CheckResult `json:"checks"`
	Stories []Story       `json:"stories"`
}

// CheckResult is the present result of a quality check.
type CheckResult struct {
	journal.CheckReceipt
	Accepted bool   `json:"accepted"` // it passed, or its failure is no obstacle by the settings
	Tail     string `json:"tail,omitempty"`
}

// Story is a story to verify: one that is marked as finished, or that the caller named.
type Story struct {
	Unit    string   `json:"unit"`
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	OK      bool     `json:"ok"`
	Open    bool     `json:"open,omitempty"` // it is not even said to be finished
	Receipt *Receipt `json:"receipt"`        // nil without a receipt
}

// Receipt is the newest receipt of a story that applies to the commit.
type Receipt struct {
	Time   time.Time         `json:"time"`
	Commit string            `json:"commit"`
	Tree   string            `json:"tree"`
	Mode   string            `json:"mode"`
	Why    string            `json:"why,omitempty"`
	Shown  string            `json:"shown,omitempty"` // what the runs of old and new tests showed, in words
	State  evidence.Relation `json:"state"`
	// Unsealed are the checks that passed without a room, although there were rooms.
	Unsealed []string `json:"unsealed,omitempty"`
	// Dropped are the checks that it was proved with and that are not configured
	// any more.
	Dropped []string `json:"dropped,omitempty"`
}

// Run runs the checks in dir and calls tell with each result. It stops when ctx ends.
func Run(ctx context.Context, g *proc.Guardian, checks []check.Check, dir string, env []string, tell func(CheckResult)) ([]CheckResult, error) {
	list := []CheckResult{}
	for _, c := range checks {
		r, err := check.Run(ctx, g, c, dir, env)
		if err != nil {
			return list, err
		}
		if ctx.Err() != nil {
			return list, context.Cause(ctx)
		}
		one := CheckResult{Accepted: r.Green() || c.AcceptBaseline, Tail: r.Tail, CheckReceipt: journal.CheckReceipt{
			Name: c.Name, Command: c.Command, Outcome: r.Outcome, ExitCode: r.ExitCode, DurationSeconds: r.Duration.Seconds(), Unsealed: r.Unsealed}}
		if r.Green() {
			one.Tail = ""
		}
		tell(one)
		list = append(list, one)
	}
	return list, nil
}

// Receipts reads the receipt of each story from the repository's notes.
func (r *Report) Receipts(ctx context.Context, repo *git.Repo) error {
	var stories []evidence.StoryOf
	for _, s := range r.Stories {
		stories = append(stories, evidence.StoryOf{Unit: s.Unit, Story: s.ID})
	}
	found, err := evidence.FindReceipts(ctx, repo, r.Commit, stories)
	for i := range r.Stories {
		s := &r.Stories[i]
		if o, ok := found[evidence.StoryOf{Unit: s.Unit, Story: s.ID}]; ok {
			s.Receipt = r.receipt(o)
		}
	}
	return err
}

func (r *Report) receipt(o evidence.Found) *Receipt {
	one := &Receipt{Time: o.Time, Commit: o.Commit, Tree: o.Tree, Mode: string(o.Mode), Why: o.Why, State: o.State, Unsealed: journal.Unsealed(o.Checks)}
	if o.Proof != nil {
		one.Shown = o.Proof.Line
	}
	for _, c := range o.Checks {
		if !slices.ContainsFunc(r.Checks, func(now CheckResult) bool { return now.Name == c.Name }) {
			one.Dropped = append(one.Dropped, c.Name)
		}
	}
	return one
}

// Judge sets OK for each story and for the report. A finished story is OK if all checks are
// accepted now and it has a receipt. If receipts is false, no receipt is needed. An open story
// is never OK.
func (r *Report) Judge(receipts bool) {
	claim := evidence.Claim{}
	facts := evidence.Facts{Complete: true}
	for _, c := range r.Checks {
		result := check.Result{Check: check.Check{Name: c.Name}, Outcome: c.Outcome, ExitCode: c.ExitCode}
		facts.Checks = append(facts.Checks, evidence.CheckFact{Result: result, Phase: journal.PhaseClaim, Red: c.Accepted, Tolerated: c.Accepted})
	}
	for _, s := range r.Stories {
		if s.Open {
			continue
		}
		claim.Items = append(claim.Items, s.name())
		if receipts {
			claim.TakenOver = append(claim.TakenOver, s.name())
		}
		if s.Receipt != nil {
			facts.Receipts = append(facts.Receipts, s.name())
		}
	}
	accepted := evidence.Weigh(claim, facts, evidence.Rules{}).Accepted
	r.OK = !slices.ContainsFunc(r.Checks, func(c CheckResult) bool { return !c.Accepted })
	for i := range r.Stories {
		s := &r.Stories[i]
		s.OK = !s.Open && slices.Contains(accepted, s.name())
		r.OK = r.OK && s.OK
	}
}

// name returns a name that is unique among the stories of all units.
func (s Story) name() string { return s.Unit + " " + s.ID }

// Unreceipted returns the number of finished stories without a receipt.
func (r *Report) Unreceipted() int {
	n := 0
	for _, s := range r.Stories {
		if !s.Open && s.Receipt == nil {
			n++
		}
	}
	return n
}
