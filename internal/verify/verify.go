// Package verify reports whether finished stories still count: it has package evidence weigh
// what the quality checks and the receipts in the git notes say. It needs no journal, so it
// works in a fresh clone.
package verify

import (
	"slices"
	"time"

	"ralph/internal/evidence"
	"ralph/internal/journal"
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

// NewCheckResult returns a result for the report. The output of a check that passed is left out.
func NewCheckResult(c evidence.CheckFact) CheckResult {
	one := CheckResult{CheckReceipt: c.Receipt(), Accepted: c.Green() || c.Tolerated}
	if !c.Green() {
		one.Tail = c.Tail
	}
	return one
}

// NewReceipt returns a receipt for the report.
func NewReceipt(o evidence.Found) *Receipt {
	one := &Receipt{Time: o.Time, Commit: o.Commit, Tree: o.Tree, Mode: string(o.Mode), Why: o.Why,
		State: o.State, Unsealed: journal.Unsealed(o.Checks)}
	if o.Proof != nil {
		one.Shown = o.Proof.Line
	}
	return one
}

// dropped lists the checks of a receipt that did not run now.
func (r *Report) dropped(o evidence.Found) (names []string) {
	for _, c := range o.Checks {
		ranNow := func(now CheckResult) bool { return now.Name == c.Name }
		if !slices.ContainsFunc(r.Checks, ranNow) {
			names = append(names, c.Name)
		}
	}
	return names
}

// Complete weighs the facts about the stories and adds what they say. A finished story is OK if
// all checks are accepted now and it has a receipt. If receipts is false, no receipt is needed.
// An open story is never OK.
func (r *Report) Complete(
	f evidence.Facts, found map[evidence.StoryOf]evidence.Found, receipts bool,
) {
	var claim evidence.Claim
	for _, c := range f.Checks {
		r.Checks = append(r.Checks, NewCheckResult(c))
	}
	for _, s := range r.Stories {
		if !s.Open {
			claim.Items = append(claim.Items, s.of().String())
		}
	}
	if receipts {
		claim.TakenOver = claim.Items
	}
	accepted := evidence.Weigh(claim, f, evidence.Rules{}).Accepted
	r.OK = !slices.ContainsFunc(r.Checks, func(c CheckResult) bool { return !c.Accepted })
	for i := range r.Stories {
		s := &r.Stories[i]
		if o, ok := found[s.of()]; ok {
			s.Receipt = NewReceipt(o)
			s.Receipt.Dropped = r.dropped(o)
		}
		s.OK = !s.Open && slices.Contains(accepted, s.of().String())
		r.OK = r.OK && s.OK
	}
}

// of returns the name of the story in the receipts.
func (s Story) of() evidence.StoryOf { return evidence.StoryOf{Unit: s.Unit, Story: s.ID} }

// Sought returns the names of the stories in the receipts.
func (r *Report) Sought() (stories []evidence.StoryOf) {
	for _, s := range r.Stories {
		stories = append(stories, s.of())
	}
	return stories
}

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
