package loop

import (
	"fmt"

	"ralph/internal/breaker"
	"ralph/internal/calls"
	"ralph/internal/journal"
)

// past is what the journal tells a new run of those before it.
type past struct {
	runs     int
	token    string          // of the last run
	calls    map[string]int  // that it made, by harness
	accepted map[string]bool // items whose mark was accepted when the last run ended
	cutOff   bool            // its last iteration was not evaluated to the end
	red      map[string]bool // checks that were red before the last run, and since
	opened   *journal.BreakerOpened
	steer    []string
	limits   calls.Past // of the last run where it died, so that the next one goes on with it
	work     string     // fingerprint of the work when a story was last accepted
	base     string     // the commit that the work began with which is not accepted yet: of the last run, or of those before
	rejected bool       // stories were not accepted, and none has been since

	workHead  string   // what was checked out at that acceptance
	works     []string // fingerprints at all of them
	head      string   // at which the last iteration began
	suspected string   // commit before weakened evidence that was not accepted, and not undone since
}

// recall reads what the new run has to know.
func (l *Loop) recall() error {
	events, damage, err := journal.ReadFile(journal.Path(l.StateDir))
	if err != nil {
		return err
	}
	l.late = damage.Warnings(journal.Path(l.StateDir))
	l.past = fold(events)
	l.notes.steer = l.past.steer
	l.team.Resume(l.past.limits)
	if l.past.cutOff {
		l.notes.add("The last iteration was cut off. Look at `git status` and `git log` for what it left, and finish it or clean it up first.")
	}
	return nil
}

func fold(events []journal.Event) past {
	p := past{accepted: map[string]bool{}, red: map[string]bool{}, calls: map[string]int{}}
	open := false
	for _, e := range events {
		p.limits.Follow(e)
		switch b := e.Body.(type) {
		case journal.RunStarted:
			p.runs++
			if !p.cutOff && !open && !p.rejected {
				p.base = b.Head
			}
			p.token, p.calls = b.Token, map[string]int{}
			// Marks that nobody looked at stay so until somebody does.
			p.accepted, p.cutOff, open = believe(b.Stories), p.cutOff || open, false
			p.accept(b.Work, b.Head)
		case journal.PlanChanged:
			p.accepted, p.cutOff = believe(b.Stories), false
		case journal.ClaimRejected:
			p.cutOff = p.cutOff && b.N > 0
			p.rejected = p.rejected || b.Claim == "story"
		case journal.AttemptStarted:
			p.calls[b.Harness]++
		case journal.IterationStarted:
			p.head = b.Head
		case journal.TamperFound:
			if p.suspected = b.Base; b.Accepted {
				p.suspected = ""
			}
		case journal.AgentStarted:
			open = true
		case journal.AttemptEnded:
			switch b.Outcome {
			case journal.OutcomeUsageLimit, journal.OutcomeTransient:
				open = false // a call that the provider refused leaves nothing to look at
			case "crash":
				open = true // the agent may have been at work before that was on record
			}
		case journal.IterationEnded:
			open = false
			p.accept(b.Work, b.Head)
			p.cutOff = b.Outcome == journal.OutcomeCrash || b.Outcome == journal.OutcomeInterrupted
			for _, id := range b.StoriesPassed {
				p.accepted[id], p.rejected = true, false
			}
		case journal.RunEnded:
			p.cutOff = p.cutOff || b.Reason == journal.ReasonBranchChanged
		case journal.CheckEnded:
			if b.Compares() {
				continue
			}
			if b.Outcome == journal.CheckPassed {
				delete(p.red, b.Name)
			} else if b.Phase == baselinePhase {
				p.red[b.Name] = true
			}
		case journal.BreakerOpened:
			p.opened = &b
		case journal.BreakerReset:
			p.opened = nil
		case journal.Request:
			switch b.Kind {
			case journal.RequestContext:
				p.steer = append(p.steer, b.Text)
			case journal.RequestClearContext:
				p.steer = nil
			}
		}
	}
	p.cutOff = p.cutOff || open
	return p
}

// accept takes note of the work behind an acceptance, told again with each event
// until the next one.
func (p *past) accept(work, head string) {
	if work != "" && work != p.work {
		p.work, p.workHead = work, head
		p.works = append(p.works, work)
	}
}

func believe(stories []journal.Story) map[string]bool {
	m := map[string]bool{}
	for _, s := range stories {
		if s.Done {
			m[s.ID] = true
		}
	}
	return m
}

// believed is the marks that need no further proof: all, but for those that a
// run which was cut off left behind without looking at them.
func (l *Loop) believed() map[string]bool {
	if l.past.cutOff {
		return l.past.accepted
	}
	m := map[string]bool{}
	for _, id := range l.state.Done() {
		m[id] = true
	}
	return m
}

// print is a fingerprint of the plan's files and HEAD: while it stays the same
// an open breaker stays open.
func (l *Loop) print() string { return l.state.Print + ":" + l.head }

// openBreaker ends a run before its first iteration where the breaker of the
// last one is open and nothing has changed since.
func (l *Loop) openBreaker() (*End, error) {
	o := l.past.opened
	if o == nil {
		return nil, nil
	}
	switch {
	case l.ResetCircuit:
		return nil, l.record(journal.BreakerReset{Message: "reset by --reset-circuit"})
	case o.Print != l.print():
		return nil, l.record(journal.BreakerReset{Message: "the plan or the branch has changed since"})
	}
	return &End{Reason: o.Reason, Message: "the circuit breaker is still open since the last run: " + stuck(o.Reason, o.Count),
		Hint: "change the plan, commit something, or run with --reset-circuit"}, nil
}

// openedBreaker records that the run is stuck and ends it. why says so in words,
// hint what the last iteration's error needs, if that is known.
func (l *Loop) openedBreaker(v breaker.Verdict, why, hint string) (*End, error) {
	if err := l.record(journal.BreakerOpened{Reason: journal.Reason(v.Reason), Count: v.Count, Print: l.print()}); err != nil {
		return nil, err
	}
	end := &End{Reason: journal.Reason(v.Reason), Message: why + "; " + l.left(),
		Hint: "read the last logs with 'ralph logs', mend the plan or the project, then start ralph again"}
	if hint != "" && v.Reason == breaker.SameError {
		end.Hint = hint + "; then start ralph again"
	}
	return end, nil
}

func stuck(reason journal.Reason, n int) string {
	if reason == journal.ReasonSameError {
		return fmt.Sprintf("the same error %s in a row", count(n, "time"))
	}
	return fmt.Sprintf("%s in a row without progress", count(n, "iteration"))
}

// Steering returns what a person told the agents of a unit besides the plan, and
// has not taken back.
func Steering(events []journal.Event) []string { return fold(events).steer }
