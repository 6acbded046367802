package evidence

import (
	"fmt"
	"slices"
	"strings"

	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/tamper"
)

// Rule names the reason for a decision on a claim.
type Rule string

// The rules, in the order in which they are applied.
const (
	NoWork       Rule = "no_work"       // nothing but the plan has changed since the base
	Weakened     Rule = "weakened"      // tests, checks or CI are weaker than at the base
	NotCommitted Rule = "not_committed" // only a commit counts, and not all is committed
	ByChecks     Rule = "by_checks"     // a check made the mark
	CheckFailed  Rule = "check_failed"  // a check fails that passed before the work
	NotDone      Rule = "not_done"      // the plan would be done, and a check fails
	NotYet       Rule = "not_yet"       // the promise comes before the least number of iterations
	Open         Rule = "open"          // items of the plan are open in spite of the promise
	OldTests     Rule = "old_tests"     // the old tests fail with the work
	NewTests     Rule = "new_tests"     // the tests of the work pass without it
	NoTestRan    Rule = "no_test_ran"   // a check that ran tests before ran none
	Weak         Rule = "strength"      // the checks pass without too many parts of the work
	Reviewed     Rule = "review"        // a second agent refused the claim
	NoReceipt    Rule = "no_receipt"    // the mark was taken over and has no receipt
	Proved       Rule = "proved"        // the checks pass
	Unproved     Rule = "unproved"      // no check is configured
	Allowed      Rule = "allowed"       // the user allowed it; the checks pass
)

// Verdict is the decision on a claim.
type Verdict struct {
	Accepted  []string
	Rule      Rule     // rule for the acceptance
	Waiting   []string // the user decides: no receipt, or a check passes only outside
	Undecided []string // the evidence is not complete: ask again
	Refusals  []Refusal
	Idle      []string // items marked without any change, refused or not
	Weakened  bool     // nothing in the claim counts, including the promise
}

// Refusal is a refused claim, with the rule and the reason.
type Refusal struct {
	Claim  journal.ClaimKind
	Rule   Rule
	Items  []string
	Reason string
}

// Weigh decides on a claim. It is pure: the result depends only on the arguments.
func Weigh(c Claim, f Facts, r Rules) Verdict {
	var v Verdict
	items := Without(c.Items, c.TakenOver)
	asked := len(items)
	refuse := func(rule Rule, reason string) {
		allowed := c.allowed(items, rule)
		if hit := Without(items, allowed); len(hit) > 0 {
			v.Refusals = append(v.Refusals, Refusal{journal.ClaimStory, rule, hit, reason})
		}
		items = allowed
	}
	refuseAll := func(rule Rule, reason string) { // the promise too
		if c.Promised {
			v.Weakened = true
			v.Refusals = append(v.Refusals, Refusal{journal.ClaimPromise, rule, nil, reason})
		}
		refuse(rule, reason)
	}
	if f.Idle && len(items) > 0 {
		already := Overlap(items, f.Already)
		items = Without(items, already)
		v.Idle = items
		if r.RequireChange {
			refuse(NoWork, "nothing outside of the plan was changed for it")
		}
		items = slices.Concat(items, already)
	}
	if len(f.Findings) > 0 && r.RejectWeakened {
		v.Weakened = true
		reason := "tests, checks or CI were weakened: " + Where(f.Findings[0])
		if more := len(f.Findings) - 1; more > 0 {
			reason += fmt.Sprintf(", and %d more", more)
		}
		refuseAll(Weakened, reason)
	}
	if r.Mode == Clean && f.Uncommitted != "" {
		refuse(NotCommitted, f.Uncommitted+"; only what is committed is proved")
	}
	if !f.Complete {
		v.Undecided = slices.Concat(items, Overlap(c.TakenOver, c.Items))
		return v
	}
	if len(f.Plan.Ticked) > 0 {
		v.Refusals = append(v.Refusals, Refusal{journal.ClaimStory, ByChecks, f.Plan.Ticked, "marked while the quality checks ran, by none but them"})
	}
	items = Without(items, f.Plan.Opened)
	against := slices.IndexFunc(f.Checks, func(c CheckFact) bool { return c.Phase != journal.PhaseEnd && c.against() && !c.Outside })
	if against >= 0 {
		refuse(CheckFailed, failed(f.Checks[against], f.Place))
	}
	if slices.ContainsFunc(f.Checks, func(c CheckFact) bool { return c.Outside }) {
		v.Waiting, items = items, nil
	}
	if done := c.DoneSoFar || c.Done && len(items) == asked; done && len(f.Blocking) > 0 {
		reason := "quality checks fail: " + strings.Join(f.Blocking, ", ")
		v.Refusals = append(v.Refusals, Refusal{journal.ClaimDone, NotDone, nil, reason})
		if slices.ContainsFunc(f.Checks, func(c CheckFact) bool { return c.Phase == journal.PhaseEnd && c.against() }) {
			refuse(NotDone, reason)
		}
	}
	if rule, reason := weighProof(f.Proof, r); rule != "" {
		refuseAll(rule, reason)
	}
	if reason := weighReview(f, r.Review); reason != "" {
		refuseAll(Reviewed, reason)
	}
	v.Accepted, v.Rule = items, Proved
	// This run cannot tell its work from theirs: a check that failed before speaks against
	// them, too.
	green := !slices.ContainsFunc(f.Checks, func(c CheckFact) bool { return c.Phase != journal.PhaseEnd && !c.Green() && !c.Tolerated })
	for _, id := range Overlap(c.TakenOver, c.Items) {
		known := f.NoChecks || c.Boxes || slices.Contains(f.Receipts, id) || len(c.allowed([]string{id}, NoReceipt)) > 0
		switch {
		case !known:
			v.Waiting = append(v.Waiting, id)
		case green:
			v.Accepted = append(v.Accepted, id)
		}
	}
	switch {
	case f.NoChecks:
		v.Rule = Unproved
	case slices.ContainsFunc(v.Accepted, func(id string) bool { _, ok := c.Allowed[id]; return ok }):
		v.Rule = Allowed
	}
	return v
}

// Allowable returns the rules that the user can set aside for an item.
func Allowable() []Rule {
	return []Rule{NoWork, Weakened, NoReceipt, OldTests, NewTests, NoTestRan, Weak, Reviewed}
}

// allowed returns the items that the user allowed against a rule. No one can allow that a
// check fails.
func (c Claim) allowed(items []string, rule Rule) []string {
	var ids []string
	for _, id := range items {
		finding, ok := c.Allowed[id]
		if ok && slices.Contains(Allowable(), rule) && (finding == "" || Rule(finding) == rule) {
			ids = append(ids, id)
		}
	}
	return ids
}

// failed says which check speaks against a claim.
func failed(c CheckFact, p ProvedAt) string {
	if c.Commit != "" && p.Partly {
		return c.String() + ", " + p.Why
	}
	return c.String()
}

// Where formats a finding as one line: path, line number and message.
func Where(f tamper.Finding) string {
	switch {
	case f.Path == "":
		return f.Message
	case f.Line == 0:
		return f.Path + ": " + f.Message
	}
	return fmt.Sprintf("%s:%d: %s", f.Path, f.Line, f.Message)
}

// Overlap returns the elements of a that are in b, in their order.
func Overlap(a, b []string) []string { return Without(a, Without(a, b)) }

// sources returns the numbers, in the run, of the events that the rule used to decide on a
// claim about items: the call that made it, and the facts that speak for or against it.
func (r Rule) sources(s *run.Sources, f Facts, items []string) []int {
	seqs := []int{s.Call}
	checks := func(counts func(CheckFact) bool) {
		for _, c := range f.Checks {
			if counts(c) {
				seqs = append(seqs, s.Checks[c.Check.Name]...)
			}
		}
	}
	all := func(CheckFact) bool { return true }
	switch r {
	case NoWork:
		seqs = append(seqs, s.NoWork)
	case Weakened:
		seqs = append(seqs, s.Findings)
	case CheckFailed:
		checks(CheckFact.against)
	case ByChecks:
		checks(all)
	case NotDone:
		for _, name := range f.Blocking {
			seqs = append(seqs, s.Checks[name]...)
		}
	case OldTests, NewTests, NoTestRan, Weak:
		seqs = append(seqs, s.Proof)
	case Reviewed:
		seqs = append(seqs, s.Review)
	case Proved, Unproved, Allowed:
		seqs = append(seqs, s.NoWork, s.Findings, s.Proof, s.Review)
		checks(all)
		for _, id := range items {
			seqs = append(seqs, s.Allowed[id])
		}
	}
	slices.Sort(seqs)
	return slices.DeleteFunc(slices.Compact(seqs), func(n int) bool { return n == 0 })
}
