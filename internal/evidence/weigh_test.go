package evidence

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ralph/internal/check"
	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/tamper"
)

// TestWeigh: one fact at a time against a claim that is otherwise good.
func TestWeigh(t *testing.T) {
	fact := func(phase journal.Phase, outcome journal.CheckOutcome, red bool) CheckFact {
		return CheckFact{Result: check.Result{Check: check.Check{Name: "unit"}, Outcome: outcome, ExitCode: 1}, Phase: phase, Red: red}
	}
	passed, failed := fact(journal.PhaseClaim, journal.CheckPassed, false), fact(journal.PhaseClaim, journal.CheckFailed, false)
	outside := fact(journal.PhaseClaim, journal.CheckFailed, true)
	outside.Outside = true
	found := []tamper.Finding{{Path: "a_test.go", Line: 2, Message: "skipped"}}
	strict := Rules{Mode: Auto, RequireChange: true, RejectWeakened: true}
	items := []string{"A", "B"}
	story := func(rule Rule, reason string, ids ...string) Refusal {
		return Refusal{Claim: journal.ClaimStory, Rule: rule, Items: ids, Reason: reason}
	}
	const weakened = "tests, checks or CI were weakened: a_test.go:2: skipped"
	for _, c := range []struct {
		name  string
		claim Claim
		facts Facts
		rules Rules
		want  Verdict
	}{
		{"nothing speaks against it", Claim{Items: items}, Facts{Complete: true, Checks: []CheckFact{passed}}, strict, Verdict{Accepted: items, Rule: Proved}},
		{"no check", Claim{Items: items}, Facts{Complete: true, NoChecks: true}, Rules{}, Verdict{Accepted: items, Rule: Unproved}},
		{"cut off", Claim{Items: items}, Facts{Checks: []CheckFact{passed}}, strict, Verdict{Undecided: items}},
		{"no work", Claim{Items: items}, Facts{Complete: true, Idle: true}, strict,
			Verdict{Idle: items, Rule: Proved, Refusals: []Refusal{story(NoWork, "nothing outside of the plan was changed for it", "A", "B")}}},
		{"no work, which is allowed", Claim{Items: items}, Facts{Complete: true, Idle: true}, Rules{}, Verdict{Accepted: items, Idle: items, Rule: Proved}},
		{"weakened", Claim{Items: items, Promised: true}, Facts{Complete: true, Findings: found}, strict, Verdict{Weakened: true, Rule: Proved,
			Refusals: []Refusal{{Claim: journal.ClaimPromise, Rule: Weakened, Reason: weakened}, story(Weakened, weakened, "A", "B")}}},
		{"weakened, which is only said", Claim{Items: items}, Facts{Complete: true, Findings: found}, Rules{}, Verdict{Accepted: items, Rule: Proved}},
		{"not committed", Claim{Items: items}, Facts{Complete: true, Uncommitted: "not committed: a"}, Rules{Mode: Clean},
			Verdict{Rule: Proved, Refusals: []Refusal{story(NotCommitted, "not committed: a; only what is committed is proved", "A", "B")}}},
		{"a check fails", Claim{Items: items}, Facts{Complete: true, Checks: []CheckFact{failed}, Blocking: []string{"unit"}}, strict,
			Verdict{Rule: Proved, Refusals: []Refusal{story(CheckFailed, "check unit failed with exit code 1", "A", "B")}}},
		{"a check fails that failed before", Claim{Items: items}, Facts{Complete: true, Checks: []CheckFact{fact(journal.PhaseClaim, journal.CheckFailed, true)}}, strict,
			Verdict{Accepted: items, Rule: Proved}},
		{"a check that only passes outside of its room", Claim{Items: items, Done: true}, Facts{Complete: true, Checks: []CheckFact{outside}, Blocking: []string{"unit"}}, strict,
			Verdict{Waiting: items, Rule: Proved}},
		{"the last story, with such a check", Claim{Items: items, Done: true}, Facts{Complete: true, Checks: []CheckFact{fact(journal.PhaseClaim, journal.CheckFailed, true)}, Blocking: []string{"unit"}}, strict,
			Verdict{Accepted: items, Rule: Proved, Refusals: []Refusal{{Claim: journal.ClaimDone, Rule: NotDone, Reason: "quality checks fail: unit"}}}},
		{"the last story, and a check of the end fails", Claim{Items: items, Done: true}, Facts{Complete: true, Checks: []CheckFact{passed, fact(journal.PhaseEnd, journal.CheckFailed, false)}, Blocking: []string{"unit"}}, strict,
			Verdict{Rule: Proved, Refusals: []Refusal{{Claim: journal.ClaimDone, Rule: NotDone, Reason: "quality checks fail: unit"}, story(NotDone, "quality checks fail: unit", "A", "B")}}},
		{"a promise is believed, and a check fails", Claim{Promised: true, Done: true, DoneSoFar: true}, Facts{Complete: true, Checks: []CheckFact{failed}, Blocking: []string{"unit"}}, strict,
			Verdict{Rule: Proved, Refusals: []Refusal{{Claim: journal.ClaimDone, Rule: NotDone, Reason: "quality checks fail: unit"}}}},
		{"a check removes a mark and makes one", Claim{Items: items}, Facts{Complete: true, Plan: PlanAfter{Opened: []string{"A"}, Ticked: []string{"C"}}}, strict,
			Verdict{Accepted: []string{"B"}, Rule: Proved, Refusals: []Refusal{story(ByChecks, "marked while the quality checks ran, by none but them", "C")}}},
		{"taken over, without a receipt", Claim{Items: items, TakenOver: []string{"B"}}, Facts{Complete: true, Checks: []CheckFact{passed}}, strict,
			Verdict{Accepted: []string{"A"}, Waiting: []string{"B"}, Rule: Proved}},
		{"taken over, and nothing else is refused for it", Claim{Items: items, TakenOver: items}, Facts{Complete: true, Idle: true, Findings: found}, strict,
			Verdict{Waiting: items, Weakened: true, Rule: Proved}},
		{"taken over, with a receipt", Claim{Items: items, TakenOver: items}, Facts{Complete: true, Checks: []CheckFact{passed}, Receipts: []string{"A"}}, strict,
			Verdict{Accepted: []string{"A"}, Waiting: []string{"B"}, Rule: Proved}},
		{"taken over, with a receipt and a check that fails", Claim{Items: items, TakenOver: items}, Facts{Complete: true, Checks: []CheckFact{failed}, Receipts: items}, strict, Verdict{Rule: Proved}},
		{"allowed", Claim{Items: items, Allowed: map[string]string{"A": "", "B": "weakened"}}, Facts{Complete: true, Idle: true, Checks: []CheckFact{passed}}, strict,
			Verdict{Accepted: []string{"A"}, Idle: items, Rule: Allowed, Refusals: []Refusal{story(NoWork, "nothing outside of the plan was changed for it", "B")}}},
		{"no one can allow that a check fails", Claim{Items: items, Allowed: map[string]string{"A": "", "B": "check_failed"}}, Facts{Complete: true, Checks: []CheckFact{failed}}, strict,
			Verdict{Rule: Proved, Refusals: []Refusal{story(CheckFailed, "check unit failed with exit code 1", "A", "B")}}},
		{"taken over, and allowed", Claim{Items: items, TakenOver: items, Allowed: map[string]string{"A": ""}}, Facts{Complete: true, Checks: []CheckFact{passed}}, strict,
			Verdict{Accepted: []string{"A"}, Waiting: []string{"B"}, Rule: Allowed}},
		{"taken over and allowed, and a check fails", Claim{Items: items, TakenOver: items, Allowed: map[string]string{"A": ""}}, Facts{Complete: true, Checks: []CheckFact{failed}}, strict,
			Verdict{Waiting: []string{"B"}, Rule: Proved}},
		{"taken over, with a receipt and a check that failed before", Claim{Items: items, TakenOver: items}, Facts{Complete: true, Receipts: items,
			Checks: []CheckFact{fact(journal.PhaseClaim, journal.CheckFailed, true)}}, strict, Verdict{Rule: Proved}},
		{"boxes that were taken over", Claim{Items: items, TakenOver: items, Boxes: true}, Facts{Complete: true, Checks: []CheckFact{passed}}, strict,
			Verdict{Accepted: items, Rule: Proved}},
		{"taken over, without checks", Claim{Items: items, TakenOver: items}, Facts{Complete: true, NoChecks: true}, Rules{}, Verdict{Accepted: items, Rule: Unproved}},
	} {
		if diff := cmp.Diff(c.want, Weigh(c.claim, c.facts, c.rules), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestWeighReview: what a review does to a claim for which the checks speak.
func TestWeighReview(t *testing.T) {
	const why = "the review refused it: c: why"
	both := []string{"A", "B"}
	reasons := []journal.ReviewReason{{Criterion: "c", Reason: "why"}}
	for _, c := range []struct {
		name    string
		claim   Claim
		require bool
		verdict journal.ReviewVerdict
		before  bool // the last verdict before was a refusal
		want    []string
		refusal string
	}{
		{"it accepts", Claim{}, true, journal.ReviewAccept, false, both, ""},
		{"it refuses", Claim{}, true, journal.ReviewRefuse, false, nil, why},
		{"it refuses, with mode warn", Claim{}, false, journal.ReviewRefuse, true, both, ""},
		{"the user allows one", Claim{Allowed: map[string]string{"A": "review"}}, true,
			journal.ReviewRefuse, false, []string{"A"}, why},
		{"no verdict", Claim{}, true, journal.ReviewNone, false, both, ""},
		{"no verdict after a refusal", Claim{}, true, journal.ReviewNone, true, nil,
			"a review refused it, and no other one accepted it (2 reviews); " +
				"to accept it in spite of that: ralph allow STORY review"},
		{"it accepts after a refusal", Claim{}, true, journal.ReviewAccept, true, both, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.claim.Items = both
			f := Facts{Complete: true, Reviewed: run.Reviews{Made: 2, Refused: c.before}}
			f.Review = &journal.ReviewEnded{Verdict: c.verdict}
			if c.verdict == journal.ReviewRefuse {
				f.Review.Reasons = reasons
			}
			rules := Rules{Review: ReviewRules{Require: c.require, Most: 2}}
			v := Weigh(c.claim, f, rules)
			reason := ""
			for _, r := range v.Refusals {
				reason = r.Reason
			}
			if !slices.Equal(v.Accepted, c.want) || reason != c.refusal {
				t.Errorf("%+v, want %v, %q", v, c.want, c.refusal)
			}
			v = Weigh(Claim{Promised: true, Done: true}, f, rules)
			if held := c.refusal != ""; v.Weakened != held || len(v.Refusals) > 0 != held {
				t.Errorf("of a promise: %+v", v)
			}
			red := CheckFact{Phase: journal.PhaseClaim}
			red.Outcome = journal.CheckFailed
			f.Checks = []CheckFact{red}
			if v = Weigh(Claim{Items: both}, f, rules); len(v.Accepted) > 0 {
				t.Error("accepted although a check fails")
			}
		})
	}
}

// TestSources: a decision names the call of the claim, and the facts that its rule used.
func TestSources(t *testing.T) {
	on := func(name string, outcome journal.CheckOutcome) CheckFact {
		c := check.Result{Check: check.Check{Name: name}, Outcome: outcome}
		return CheckFact{Result: c, Phase: journal.PhaseClaim}
	}
	f := Facts{Blocking: []string{"late"}, Checks: []CheckFact{
		on("lint", journal.CheckPassed), on("unit", journal.CheckFailed)}}
	s := run.Sources{Call: 3, NoWork: 10, Findings: 9, Proof: 11, Allowed: map[string]int{"A": 2, "B": 1},
		Checks: map[string][]int{"lint": {5}, "unit": {6, 7}, "late": {4}}}
	for rule, want := range map[Rule][]int{
		NoWork: {3, 10}, Weakened: {3, 9}, NotCommitted: {3}, ByChecks: {3, 5, 6, 7}, CheckFailed: {3, 6, 7},
		NotDone: {3, 4}, NotYet: {3}, Open: {3}, OldTests: {3, 11}, NewTests: {3, 11}, NoTestRan: {3, 11},
		Weak: {3, 11}, Reviewed: {3}, Proved: {2, 3, 5, 6, 7, 9, 10, 11},
	} {
		if got := rule.sources(&s, f, []string{"A"}); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", rule, got, want)
		}
	}
}
