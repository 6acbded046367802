package report

import (
	"ralph/internal/journal"
)

// note takes up what decided nothing about a story.
func (f *Fold) note(e journal.Event) {
	n := Note{At: journal.Time{Time: e.Time}, Iteration: f.at().N}
	switch b := e.Body.(type) {
	case journal.WaitStarted:
		n.Kind, n.Reason, n.Text = NoteWait, clean(string(b.Reason)), clean(b.Message)
		if b.Until != nil {
			n.Until = journal.Time{Time: b.Until.UTC()}
		}
		if b.Reason != journal.WaitTransient {
			f.run.Status, f.run.Reason, f.run.Message = journal.StatusPaused, n.Reason, n.Text
		}
	case journal.WaitEnded:
		f.waited(b)
		return
	case journal.ClockJumped:
		n.Kind, n.Seconds, n.Text = NoteClock, b.Seconds, clean(b.Message)
	case journal.HarnessSwitched:
		n.Kind, n.Reason = NoteHarness, clean(string(b.Reason))
		n.Text = clean(b.To + " takes over from " + b.From + ": " + b.Reason)
	case journal.Request:
		n.Kind, n.Reason, n.Text = NoteRequest, clean(string(b.Kind)), asked(b)
	case journal.PlanChanged:
		n.Kind, n.Text = NotePlan, clean(b.Message)
		f.setStories(b.Stories, false)
		f.run.count(e, len(b.Stories))
	case journal.BreakerOpened:
		n.Kind, n.Reason = NoteBreaker, clean(string(b.Reason))
		n.Text = "the circuit breaker opened: " + tripped(n.Reason, b.Count)
	case journal.BreakerReset:
		n.Kind, n.Text = NoteBreaker, "the circuit breaker is closed again: "+clean(b.Message)
	case journal.Warning:
		n.Kind, n.Text = NoteWarning, clean(b.Message)
	default:
		return
	}
	f.run.Notes = append(f.run.Notes, n)
	if n.Kind == NoteWait {
		f.waiting = len(f.run.Notes)
	}
}

// waited ends the wait that began last.
func (f *Fold) waited(b journal.WaitEnded) {
	f.goOn()
	f.run.Spent.Wait += b.Seconds
	f.at().Spent.Wait += b.Seconds
	if f.waiting > 0 {
		n := &f.run.Notes[f.waiting-1]
		n.Seconds, n.Over = b.Seconds, true
		f.waiting = 0
	}
}

// asked says in a line what the loop was asked for.
func asked(b journal.Request) string {
	switch b.Kind {
	case "plan":
		return "a person handed over a new plan" // whose text is the whole of spec.md
	case "context":
		return "a person told the agent: " + clean(b.Text)
	case "context_clear":
		return "a person took back what the agent was told"
	}
	return "a person asked to " + clean(string(b.Kind))
}
