package prompt

import (
	"fmt"
	"slices"
	"strings"

	"ralph/internal/check"
	"ralph/internal/evidence"
	"ralph/internal/journal"
	"ralph/internal/proof"
	"ralph/internal/tamper"
)

// maxFindings bounds how many findings a note lists.
const maxFindings = 8

// Checks adds the results of the quality checks: which failed, and what they changed in the
// plan.
func (n *Notes) Checks(f evidence.Facts) {
	n.restored(f)
	n.failures(f)
}

// Judged adds the verdict on a claim. It leaves out failures before the first iteration:
// Checks added them.
func (n *Notes) Judged(c evidence.Claim, f evidence.Facts, v evidence.Verdict) {
	n.restored(f)
	if c.N > 0 {
		n.failures(f)
	}
	if v.Weakened && len(f.Findings) > 0 {
		n.First(weakened(f.Findings))
	}
	refused := func(r evidence.Refusal) bool {
		return slices.Contains([]evidence.Rule{evidence.OldTests, evidence.NewTests, evidence.NoTestRan, evidence.Weak}, r.Rule)
	}
	if f.Proof != nil && slices.ContainsFunc(v.Refusals, refused) {
		if note := proved(f.Proof); note != "" {
			n.Add(note)
		}
	}
	if doubt := f.Doubted(v); doubt != "" {
		n.Add(doubt + ". The work was accepted in spite of that. Repair what is wrong.")
	}
	for _, r := range v.Refusals {
		switch {
		case r.Claim == journal.ClaimStory:
			n.First(fmt.Sprintf("%s: marked as done, and not accepted: %s.", strings.Join(r.Items, ", "), r.Reason))
		case r.Claim == journal.ClaimPromise && r.Rule == evidence.Reviewed:
			n.First("You promised completion, and it was not accepted: " + r.Reason + ".")
		}
	}
}

func (n *Notes) restored(f evidence.Facts) {
	for _, r := range f.Plan.Restored {
		n.Add(fmt.Sprintf("`%s` was restored: %s while the quality checks ran. Code of the project must not touch the plan.", r.Path, r.What))
	}
}

func (n *Notes) failures(f evidence.Facts) {
	for _, r := range f.Failures() {
		n.Add(failure(r))
	}
}

// weakened asks the agent to undo what weakens the evidence.
func weakened(found []tamper.Finding) string {
	var b strings.Builder
	b.WriteString("Nothing is accepted while tests, checks or CI are weaker than they were. Undo this, and fix the code instead. If the work really needs it, say so in the story's notes: the user decides.")
	for _, f := range found[:min(maxFindings, len(found))] {
		fmt.Fprintf(&b, "\n  - %s", evidence.Where(f))
		if f.Text != "" {
			fmt.Fprintf(&b, ": `%s`", f.Text)
		}
	}
	if more := len(found) - maxFindings; more > 0 {
		fmt.Fprintf(&b, "\n  - and %d more", more)
	}
	return b.String()
}

// proved says what the runs of tests showed: which fail as they were, which pass without the
// work, and which lines no check holds.
func proved(p *proof.Proof) string {
	var b strings.Builder
	switch p.Old.Outcome {
	case proof.Failed, proof.NoCompile, proof.Earlier:
		fmt.Fprintf(&b, "The tests as they were before this work fail with it (%s). Change the code, not the tests. If the story asks for another behaviour, say so in its notes: the user decides.%s\n",
			p.OldText(), tailOf(p.Old.Tail))
	}
	if p.Old.Outcome == proof.Weaker {
		fmt.Fprintf(&b, "The tests catch less than before (%s): %s.\n", strings.Join(p.Old.Files, ", "), p.Old.Tail)
	}
	if p.New.Outcome == proof.Passed {
		fmt.Fprintf(&b, "The tests that you added or changed pass without your work (%s): write one that fails without it.\n", strings.Join(p.New.Files, ", "))
	}
	if p.New.Outcome == proof.NoTests {
		b.WriteString("No test has changed: write one that fails without your work.\n")
	}
	for _, c := range p.Counts {
		b.WriteString(c.String() + ".\n")
	}
	for i, h := range p.Strength.Unheld {
		if i == 0 {
			b.WriteString("No check fails without these lines. Test them, or remove them:")
		}
		if i == maxFindings {
			fmt.Fprintf(&b, "\n  - and %d more", len(p.Strength.Unheld)-i)
			break
		}
		fmt.Fprintf(&b, "\n  - %s: `%s`", h, h.Text)
	}
	return strings.TrimSpace(b.String())
}

// failure shows the end of what a failed check printed.
func failure(r check.Result) string {
	where := ""
	if r.Commit != "" {
		where = " That worktree has only committed files: no ignored ones, and no forgotten ones."
	}
	return fmt.Sprintf("Quality %s (`%s`).%s%s", r, r.Check.Command, where, tailOf(r.Tail))
}

// tailOf returns the end of a check's output.
func tailOf(tail string) string {
	const most = 3000
	if len(tail) > most {
		tail = "…" + strings.ToValidUTF8(tail[len(tail)-most:], "")
	}
	f := fence([]byte(tail))
	return fmt.Sprintf(" The end of its output:\n\n%s\n%s\n%s", f, tail, f)
}
