// Package verify proves finished stories again: it runs the quality checks on
// what is committed now, and holds the receipts in the git notes against it. It
// needs no journal, so that it works in a fresh clone, and it writes nothing but
// the clean worktree, which is removed.
package verify

import (
	"context"
	"slices"
	"time"

	"ralph/internal/check"
	"ralph/internal/journal"
	"ralph/internal/proc"
)

// Report is what came of it, and as JSON of `verify --json`.
type Report struct {
	OK      bool    `json:"ok"`
	Commit  string  `json:"commit"`
	Tree    string  `json:"tree"` // of the commit
	Mode    string  `json:"mode"` // clean or inplace
	Checks  []Check `json:"checks"`
	Stories []Story `json:"stories"`
}

// Check is a quality check as it fared now.
type Check struct {
	journal.CheckReceipt
	Accepted bool   `json:"accepted"` // it passed, or its failure is no obstacle by the settings
	Tail     string `json:"tail,omitempty"`
}

// Story is a story that is said to be finished.
type Story struct {
	Unit    string   `json:"unit"`
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	OK      bool     `json:"ok"`
	Open    bool     `json:"open,omitempty"` // it is not even said to be finished
	Receipt *Receipt `json:"receipt"`        // nil where there is none
}

// Receipt is the last receipt of a story that matters for the commit.
type Receipt struct {
	Time   time.Time `json:"time"`
	Commit string    `json:"commit"`
	Tree   string    `json:"tree"`
	Mode   string    `json:"mode"`
	Why    string    `json:"why,omitempty"`
	State  State     `json:"state"`
	// Dropped are the checks that it was proved with and that are not configured
	// any more.
	Dropped []string `json:"dropped,omitempty"`
}

// State is how a receipt stands to the commit that is verified.
type State string

// The states of a receipt.
const (
	Same      State = "same"      // these files were proved, but for the plan's own
	History   State = "history"   // an ancestor was proved
	Elsewhere State = "elsewhere" // what was proved is not in the history: rebased, squashed, or not fetched
)

// Run runs the checks in dir, tells of each, and stops where ctx ends.
func Run(ctx context.Context, g *proc.Guardian, checks []check.Check, dir string, env []string, tell func(Check)) ([]Check, error) {
	list := []Check{}
	for _, c := range checks {
		r, err := check.Run(ctx, g, c, dir, env)
		if err != nil {
			return list, err
		}
		if ctx.Err() != nil {
			return list, context.Cause(ctx)
		}
		one := Check{Accepted: r.Green() || c.AcceptBaseline, Tail: r.Tail, CheckReceipt: journal.CheckReceipt{
			Name: c.Name, Command: c.Command, Outcome: r.Outcome, ExitCode: r.ExitCode, DurationSeconds: r.Duration.Seconds()}}
		if r.Green() {
			one.Tail = ""
		}
		tell(one)
		list = append(list, one)
	}
	return list, nil
}

// Judge says of each story, and of all, whether it is proved.
func (r *Report) Judge() {
	green := !slices.ContainsFunc(r.Checks, func(c Check) bool { return !c.Accepted })
	r.OK = green
	for i := range r.Stories {
		s := &r.Stories[i]
		s.OK = green && !s.Open
		r.OK = r.OK && s.OK
	}
}
