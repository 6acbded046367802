package report

import (
	"fmt"
	"slices"

	"ralph/internal/journal"
	"ralph/internal/words"
)

// The kinds of decisions.
const (
	Refused      = "refused"      // a call of the agent that is no iteration
	Session      = "session"      // how the agent's session ended
	FileRestored = "put_back"     // a file of the plan
	HeadMoved    = "head_moved"   // the agent left the branch or took commits back
	Tampered     = "tampered"     // tests or checks were weakened
	NoWorkFound  = "no_work"      // a mark with nothing changed for it
	Accepted     = "accepted"     // stories
	NotAccepted  = "not_accepted" // stories or a promise
	PlanDone     = "done"         // the plan
	PlanNotDone  = "not_done"     //
	Progress     = "progress"     // counts for the breaker
	NoProgress   = "no_progress"  //
	SameError    = "same_error"   //
	Baseline     = "baseline"     // results of the checks before the first iteration
	Checked      = "checked"      // results in an iteration
	Reviewed     = "reviewed"     // what a second agent said about a claim
	Waited       = "waited"       // the run
	Noted        = "noted"        // what else happened
	GoesOn       = "goes_on"      // the run
	RunEnded     = "ended"        //
)

// Decision is one decision with the evidence for it.
type Decision struct {
	Iteration int      `json:"iteration"` // 0 before the first
	Kind      string   `json:"kind"`
	Good      bool     `json:"good"` // the decision is progress for the plan
	Text      string   `json:"text"` // what was decided
	Because   []string `json:"because"`
}

// The longest lists in a decision.
const (
	mostNames    = 12
	mostFindings = 10
	mostTail     = 6
	mostNotes    = 20
)

// Decisions explains the decisions of an iteration, in their order. The iteration may be
// Run.Before.
func (r *Run) Decisions(it *Iteration) []Decision {
	d := decider{run: r, it: it}
	d.calls()
	d.notes(true)
	d.plan()
	d.checks()
	d.reviews()
	d.claims()
	if it.Ended {
		d.planDone()
		d.counts()
	}
	d.notes(false)
	if it.N > 0 {
		d.after()
	}
	return d.list
}

// decider gathers the decisions of an iteration.
type decider struct {
	run  *Run
	it   *Iteration
	list []Decision
}

func (d *decider) add(kind string, good bool, text string, because ...string) {
	d.list = append(d.list, Decision{d.it.N, kind, good, text, list(because)})
}

// calls explains the outcomes of the agent's calls.
func (d *decider) calls() {
	for i, a := range d.it.Attempts {
		last := i == len(d.it.Attempts)-1
		switch {
		case a.Outcome == "":
			if !d.it.Ended && d.it.Outcome == journal.OutcomeCrash {
				d.add(Session, false, fmt.Sprintf("call %d of %s was cut off", a.N, a.Harness), "ralph itself died while the agent was running")
			}
		case a.Outcome.NoIteration() && !(last && d.it.Ended):
			d.add(Refused, false, fmt.Sprintf("call %d of %s does not count as an iteration: %s", a.N, a.Harness, words.WithSpaces(a.Outcome)), a.evidence()...)
		default:
			d.session(a)
		}
	}
}

// session explains the outcome of the call that was the iteration.
func (d *decider) session(a Attempt) {
	if a.Outcome == journal.OutcomeOK {
		d.add(Session, true, fmt.Sprintf("the session of %s ended well", a.Harness), a.evidence()...)
		return
	}
	d.add(Session, false, fmt.Sprintf("the session of %s counts as an error: %s", a.Harness, words.WithSpaces(a.Outcome)), a.evidence()...)
}

// evidence returns what is known about a call.
func (a Attempt) evidence() []string {
	end := fmt.Sprintf("it took %s and ended with exit status %d", words.Seconds(a.Seconds), a.ExitCode)
	if a.Signal != "" {
		end = fmt.Sprintf("it took %s and was ended by a signal: %s", words.Seconds(a.Seconds), a.Signal)
	}
	because := []string{end}
	for _, text := range []string{a.Message, a.Hint} {
		if text != "" {
			because = append(because, text)
		}
	}
	if n := len(a.Denied); n > 0 {
		because = append(because, fmt.Sprintf("it was not permitted %s: %s", words.Count(n, "call"), some(a.Denied, mostNames)))
	}
	if a.Broken > 0 {
		because = append(because, words.Count(a.Broken, "line")+" of its output could not be read")
	}
	if a.Strays > 0 {
		because = append(because, fmt.Sprintf("it left processes that ralph had to end: %d", a.Strays))
	}
	return because
}

// notes explains what happened during or after the iteration: the waits, or all else.
func (d *decider) notes(waits bool) {
	first, _ := slices.BinarySearchFunc(d.run.Notes, d.it.N, func(n Note, it int) int { return n.Iteration - it })
	shown, more := 0, 0
	for _, n := range d.run.Notes[first:] {
		if n.Iteration != d.it.N {
			break
		}
		switch {
		case (n.Kind == NoteWait) != waits:
		case shown == mostNotes:
			more++
		case waits:
			d.add(Waited, false, n.waited(), n.Text)
			shown++
		default:
			d.add(Noted, false, n.Text)
			shown++
		}
	}
	if more > 0 {
		d.add(Noted, false, fmt.Sprintf("and %d more", more))
	}
}

// waited says how long a wait took and for what.
func (n Note) waited() string {
	reason := words.WithSpaces(n.Reason)
	if !n.Over {
		return "the run waits: " + reason
	}
	return fmt.Sprintf("the run waited %s: %s", words.Seconds(n.Seconds), reason)
}

// plan explains changes to the plan's files, the branch and the tests.
func (d *decider) plan() {
	for _, r := range d.it.Restored {
		because := []string{r.What}
		if r.Kept != "" {
			because = append(because, "the replaced content is kept in "+r.Kept)
		}
		d.add(FileRestored, false, r.Path+" was restored", because...)
	}
	for _, message := range d.it.HeadMoved {
		d.add(HeadMoved, false, "the history changed", message)
	}
	if t := d.it.Tamper; t != nil {
		text := "tests or checks were weakened, so the stories of the iteration were not accepted"
		if t.Accepted {
			text = "tests or checks were weakened; this alone rejected nothing (setting tamper: warn)"
		}
		d.add(Tampered, false, text, t.evidence()...)
	}
	for _, w := range d.it.NoWork {
		text := some(w.Stories, mostNames) + ": marked without any work, and accepted"
		if !w.Accepted {
			text = some(w.Stories, mostNames) + ": marked without any work"
		}
		d.add(NoWorkFound, false, text, "nothing outside the plan had changed since the last accepted story")
	}
}

func (t *Tamper) evidence() []string {
	var because []string
	for _, f := range t.Findings[:min(len(t.Findings), mostFindings)] {
		because = append(because, f.String())
	}
	if more := t.More + len(t.Findings) - len(because); more > 0 {
		because = append(because, fmt.Sprintf("and %d more", more))
	}
	return because
}

// String shows a finding with its place.
func (f Finding) String() string { return journal.TamperFinding(f).String() }
