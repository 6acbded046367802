package report

import (
	"cmp"
	"fmt"
	"strings"

	"ralph/internal/journal"
	"ralph/internal/words"
)

// checks explains the results of the quality checks.
func (d *decider) checks() {
	var red, because []string
	for _, c := range d.it.Checks {
		because = append(because, c.evidence()...)
	}
	for _, c := range d.it.lastChecks() {
		if c.Outcome != "passed" {
			red = append(red, c.Name)
		}
	}
	before := d.it.N == 0
	switch {
	case len(d.it.Checks) == 0:
	case len(red) == 0 && before:
		d.add(Baseline, true, "the quality checks were green before the first iteration", because...)
	case before:
		d.add(Baseline, false, "quality checks failed before the first iteration; they do not block a story until they have passed once: "+some(red, mostNames), because...)
	case len(red) == 0:
		d.add(Checked, true, "the quality checks passed", because...)
	default:
		d.add(Checked, false, "quality checks failed: "+some(red, mostNames), because...)
	}
}

// reviews explains what the reviewer made of the claims.
func (d *decider) reviews() {
	for _, v := range d.it.Reviews {
		d.add(Reviewed, v.Verdict == journal.ReviewAccept, v.Text)
	}
}

// claims explains which claims were accepted.
func (d *decider) claims() {
	if len(d.it.Accepted) > 0 {
		d.add(Accepted, true, "accepted: "+some(d.it.Accepted, mostNames), d.forAccepted()...)
	}
	if d.it.N == 0 {
		for _, a := range d.it.Decided {
			d.add(Accepted, true, "accepted: "+some(a.Stories, mostNames), decidedBy(a.Rule, a.Facts)...)
		}
	}
	for _, r := range d.it.Rejected {
		text := "not accepted: " + r.what(mostNames)
		if r.Claim == journal.ClaimStory {
			text += "; the mark was revoked"
		}
		because := append([]string{r.Reason}, d.against(r)...)
		d.add(NotAccepted, false, text, append(because, decidedBy(r.Rule, r.Facts)...)...)
	}
	if d.it.Promised && d.it.Done {
		d.add(Accepted, true, "the agent's promise that all is done was accepted", "it is in the final message, and no check speaks against it")
	}
}

// forAccepted returns the evidence for the accepted stories.
func (d *decider) forAccepted() []string {
	because := []string{"the agent marked " + some(d.it.Accepted, mostNames) + " in the plan"}
	if n := len(d.it.Commits); n > 0 {
		var hashes []string
		for _, c := range d.it.Commits {
			hashes = append(hashes, short(c))
		}
		because = append(because, words.Count(n, "commit")+": "+some(hashes, mostNames))
	} else if len(d.it.NoWork) == 0 {
		because = append(because, "files were changed, and no commit was made")
	}
	for _, c := range d.it.lastChecks() {
		because = append(because, "check "+c.Name+" "+c.ended())
	}
	if len(d.it.Checks) == 0 && len(d.it.Proofs) == 0 {
		because = append(because, "no quality check was due")
	}
	for _, p := range d.it.Proofs {
		because = append(because, p.String())
	}
	for _, a := range d.it.Decided {
		because = append(because, decidedBy(a.Rule, a.Facts)...)
	}
	return because
}

// against returns the failed checks that contradict a claim.
func (d *decider) against(r Rejection) []string {
	var because []string
	for _, c := range d.it.lastChecks() {
		if c.Outcome != "passed" && r.Claim != "promise" {
			because = append(because, "check "+c.Name+" "+c.ended())
		}
	}
	return because
}

// evidence describes the result of a check, with the end of its output if it failed.
func (c Check) evidence() []string {
	text := fmt.Sprintf("check %s %s after %s", c.Name, c.ended(), words.Seconds(c.Seconds))
	if c.Same {
		text = fmt.Sprintf("check %s %s on the same files before and was not run again", c.Name, c.ended())
	}
	switch {
	case c.Compares:
		text += ", in a clean worktree of the commit before the work"
	case c.Clean && !c.Same:
		text += ", in a clean worktree"
	}
	because := []string{text + ": " + c.Command}
	if c.Outcome == journal.CheckPassed || c.Tail == "" {
		return because
	}
	for _, line := range lines(c.Tail, mostTail) {
		because = append(because, "  "+line)
	}
	return because
}

func (c Check) ended() string {
	switch c.Outcome {
	case "failed":
		if c.ExitCode < 0 {
			return "failed: a signal ended it"
		}
		return fmt.Sprintf("failed with exit status %d", c.ExitCode)
	case "timeout":
		return "did not end in time"
	case "missing":
		return "could not be run: its command was not found"
	case "interrupted":
		return "was cut off"
	}
	return string(c.Outcome)
}

// where says where the checks passed, or that no check ran.
func (p Receipt) where() string {
	switch {
	case len(p.Checks) == 0:
		return journal.NotProved(p.Why)
	case p.Mode == "clean":
		return "proved in a clean worktree" + atCommit(p.Commit)
	}
	return "proved in place" + atCommit(p.Commit)
}

// String describes the proof of a story.
func (p Receipt) String() string {
	text := p.Story + " was " + p.where()
	if len(p.Checks) > 0 {
		text += " by " + words.Count(len(p.Checks), "check")
	}
	if p.Shown != "" && len(p.Checks) > 0 {
		text += "; " + p.Shown
		if p.Runs > 0 {
			text += fmt.Sprintf(" (%s in %s)", words.Count(p.Runs, "run"), words.Seconds(p.Seconds))
		}
	}
	if len(p.Unsealed) > 0 {
		text += "; unsealed: " + strings.Join(p.Unsealed, ", ")
	}
	if p.Reviewer != "" {
		text += "; reviewed by " + p.Reviewer
	}
	if p.Why != "" && p.Why != journal.NoChecks {
		text += " (" + p.Why + ")"
	}
	if p.Noted {
		text += "; the receipt is a git note too"
	}
	return text
}

// planDone explains whether the plan was done after the iteration.
func (d *decider) planDone() {
	so := fmt.Sprintf("%d of %d %s are done", d.it.Complete, d.it.Total, d.run.Plan.Items())
	if d.it.Total == 0 {
		so = "the plan has no items: the agent's promise decides"
	}
	if d.it.Done {
		d.add(PlanDone, true, "the plan is done", so)
		return
	}
	because := []string{so}
	for _, r := range d.it.Rejected {
		if r.Claim == journal.ClaimDone {
			because = append(because, r.Reason)
		}
	}
	d.add(PlanNotDone, false, "the plan is not done", because...)
}

// counts explains the counters of the breaker.
func (d *decider) counts() {
	if d.it.Progress {
		d.add(Progress, true, "the iteration made progress", d.advance())
	} else {
		text := fmt.Sprintf("the iteration made no progress: %s in a row", words.Count(d.it.NoProgress, "iteration"))
		d.add(NoProgress, false, text+limit(d.run.StallThreshold), d.standstill())
	}
	if d.it.SameError > 0 {
		because := []string{cmp.Or(d.it.Error, words.WithSpaces(d.it.Outcome))}
		d.add(SameError, false, fmt.Sprintf("equal errors in a row: %d", d.it.SameError)+limit(d.run.SameError), because...)
	}
}

// standstill says what was missing for progress.
func (d *decider) standstill() string {
	if d.run.Plan.Receipts() {
		return "no story was accepted for the first time in this run"
	}
	return "there is no new commit and no newly ticked task"
}

func (d *decider) advance() string {
	if len(d.it.Accepted) > 0 {
		return "newly accepted: " + some(d.it.Accepted, mostNames)
	}
	return words.Count(len(d.it.Commits), "commit")
}

func limit(threshold int) string {
	if threshold == 0 {
		return ""
	}
	return fmt.Sprintf(", and at %d the circuit breaker opens", threshold)
}

// after explains how the run continued after the iteration.
func (d *decider) after() {
	switch last := d.run.Iterations[len(d.run.Iterations)-1]; {
	case d.it.N != last.N:
		d.add(GoesOn, true, "the run continued", "the plan was not done, and no limit was reached")
	case d.run.Active() && d.it.Ended:
		d.add(GoesOn, true, "the run continues", "the plan is not done, and no limit is reached")
	case d.run.Active():
		d.add(GoesOn, true, "the iteration is still running")
	default:
		d.list = append(d.list, d.run.End())
	}
}

// End explains why the run ended, or its state if it has not ended.
func (r *Run) End() Decision {
	d := Decision{Kind: RunEnded, Good: r.Done(), Text: strings.TrimSuffix(r.Outcome(), "."), Because: []string{}}
	if n := len(r.Iterations); n > 0 {
		d.Iteration = r.Iterations[n-1].N
	}
	if r.Active() {
		d.Kind = GoesOn
	}
	because := func(format string, args ...any) { d.Because = append(d.Because, fmt.Sprintf(format, args...)) }
	if !r.Active() {
		because("%s", "the reason is "+r.Reason+": "+reasonText(r.Reason))
	}
	for _, text := range decidedBy(r.EndRule, r.EndFacts) {
		because("%s", text)
	}
	if r.Total > 0 {
		because("%d of %d %s are done", r.Complete, r.Total, r.Plan.Items())
	}
	if r.MaxIterations > 0 {
		because("%d of at most %d iterations have ended", r.Ended, r.MaxIterations)
	}
	for _, n := range r.Notes {
		if n.Kind == NoteBreaker {
			because("%s", n.Text)
		}
	}
	if n := len(r.Iterations); n > 0 {
		for _, rejected := range r.Iterations[n-1].Rejected {
			because("not accepted in iteration %d: %s: %s", r.Iterations[n-1].N, rejected.what(mostNames), rejected.Reason)
		}
		if it := r.Iterations[n-1]; it.Error != "" {
			because("the error of iteration %d: %s", it.N, it.Error)
		}
	}
	if r.ExitCode != nil {
		because("'ralph run' ended with exit status %d", *r.ExitCode)
	}
	return d
}

// decidedBy names the rule and the events of a decision. The list is empty where the journal of
// an older version has no rule.
func decidedBy(rule string, facts []int) []string {
	if rule == "" {
		return nil
	}
	text := "decided by the rule " + rule
	if len(facts) > 0 {
		numbers := strings.Trim(strings.ReplaceAll(fmt.Sprint(facts), " ", ", "), "[]")
		_, events, _ := strings.Cut(words.Count(len(facts), "event"), " ")
		text += ", from " + events + " " + numbers + " of the run"
	}
	return []string{text}
}
