package loop

import (
	"maps"
	"slices"

	"ralph/internal/evidence"
	"ralph/internal/journal"
	"ralph/internal/tamper"
)

// past is what the journal tells a new run of those before it.
type past struct {
	runs     int
	token    string          // of the last run
	calls    map[string]int  // that it made, by harness
	accepted map[string]bool // items whose mark was accepted when the last run ended
	cutOff   bool            // its last iteration was not evaluated to the end
	taken    map[string]bool // items that were marked when ralph first saw the plan, and not accepted since
	red      map[string]bool // checks that were red before the last run, and since
	steer    []string
	rejected bool              // stories were not accepted, and none has been since
	allowed  map[string]string // items that a person allowed, not used up yet
	refused  map[string]bool   // items whose last claim was refused
	gate     evidence.OnRecord
	old      bool // the base is of a journal of before
}

// recall reads what the new run has to know.
func (l *Loop) recall() error {
	events, damage, err := journal.ReadFile(journal.Path(l.StateDir))
	if err != nil {
		return err
	}
	l.late = damage.Warnings(journal.Path(l.StateDir))
	l.Recorder.Resume(events)
	l.past = fold(events)
	l.notes.steer = l.past.steer
	l.team.Resume(l.Recorder.Position().Limits)
	if l.past.cutOff {
		l.notes.add("The last iteration was cut off. Look at `git status` and `git log` for what it left, and finish it or clean it up first.")
	}
	return nil
}

func fold(events []journal.Event) past {
	p := past{accepted: map[string]bool{}, taken: map[string]bool{}, allowed: map[string]string{}, refused: map[string]bool{}, red: map[string]bool{}, calls: map[string]int{}}
	open, away := false, false
	for _, e := range events {
		switch b := e.Body.(type) {
		case journal.RunStarted:
			p.runs++
			p.token, p.calls = b.Token, map[string]int{}
			// Marks that nobody looked at stay so until somebody does.
			p.accepted, p.cutOff, open = believe(b.Stories), p.cutOff || open, false
			away, p.taken = false, map[string]bool{}
			for _, id := range b.TakenOver {
				p.taken[id] = true
			}
			p.acceptedAt(b.Work, b.Head)
		case journal.PlanChanged:
			p.accepted, p.cutOff = believe(b.Stories), false
		case journal.ClaimRejected:
			p.cutOff = p.cutOff && b.N > 0
			p.rejected = p.rejected || b.Claim == "story"
			p.settle(b.Stories, true)
		case journal.ClaimAccepted:
			for _, id := range b.Stories {
				p.accepted[id], p.rejected = true, false
				delete(p.taken, id)
			}
			p.settle(b.Stories, false)
			p.gate.Open = false
			p.moved(evidence.Base{Commit: b.Commit, Work: b.Work}, b.Known)
		case journal.BaseMoved:
			p.moved(evidence.Base{Commit: b.Commit, Work: b.Work}, b.Known)
		case journal.AttemptStarted:
			p.calls[b.Harness]++
			p.gate.Seen = evidence.Base{}
		case journal.TamperFound:
			if p.gate.Open = !b.Accepted; b.Accepted {
				p.know(b.Findings)
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
			if !away {
				p.gate.Seen = evidence.Base{Commit: b.Head} // what comes later is people's
			}
			p.acceptedAt(b.Work, b.Head)
			p.cutOff = b.Outcome == journal.OutcomeCrash || b.Outcome == journal.OutcomeInterrupted
			for _, id := range b.StoriesPassed {
				p.accepted[id], p.rejected = true, false
			}
		case journal.RunEnded:
			p.cutOff = p.cutOff || b.Reason == journal.ReasonBranchChanged
			if b.Reason != journal.ReasonCrashed {
				p.gate.Seen = evidence.Base{Commit: b.Head, Work: b.Work}
			}
		case journal.CheckEnded:
			if b.Compares() {
				continue
			}
			if b.Outcome == journal.CheckPassed {
				delete(p.red, b.Name)
			} else if b.Phase == journal.PhaseBaseline {
				p.red[b.Name] = true
			}
		case journal.HeadMoved:
			away = true // its head may be that of another branch
		case journal.Request:
			switch b.Kind {
			case journal.RequestAllow:
				p.allowed[b.Text] = b.Finding
			case journal.RequestContext:
				p.steer = append(p.steer, b.Text)
			case journal.RequestClearContext:
				p.steer = nil
			}
		}
	}
	p.cutOff = p.cutOff || open
	p.gate.Red = slices.Sorted(maps.Keys(p.red))
	if p.old && !p.cutOff && !p.rejected {
		p.gate.Seen.Commit = p.gate.Base.Commit // what was committed since was let pass then
	}
	return p
}

// acceptedAt reads the base of journals that were written before it had an event of its own:
// told again with each event until the next acceptance.
func (p *past) acceptedAt(work, head string) {
	if work != "" && work != p.gate.Base.Work {
		p.moved(evidence.Base{Commit: head, Work: work}, nil)
		p.old = true
	}
}

func (p *past) moved(base evidence.Base, known []journal.TamperFinding) {
	p.gate.Base, p.gate.Known, p.old = base, nil, false
	p.know(known)
	p.gate.Works = append(p.gate.Works, base.Work)
}

func (p *past) know(findings []journal.TamperFinding) {
	for _, f := range findings {
		p.gate.Known = append(p.gate.Known, tamper.Finding(f))
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

// print is a fingerprint of the plan's files and HEAD: while it stays the same
// an open breaker stays open.
func (l *Loop) print() string { return l.state.Print + ":" + l.head }

// Steering returns what a person told the agents of a unit besides the plan, and
// has not taken back.
func Steering(events []journal.Event) []string { return fold(events).steer }
