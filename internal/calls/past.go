package calls

import (
	"time"

	"ralph/internal/journal"
)

// Past is what the journal says about limits to a run that starts: how long a run that
// died had waited, and which limits it had met. A run that ended in order leaves
// neither: the user who starts the next one has decided again.
type Past struct {
	Stood time.Duration // at usage limits, since an agent was last let in

	from, until time.Time          // of the wait that is open
	refused     map[string]refusal // by harness
	calling     journal.AttemptStarted
}

// refusal is a limit that an agent has met, and that was not over since.
type refusal struct {
	at    time.Time
	model string
	times int // in a row
	told  journal.AttemptEnded
}

// Follow takes one event into account.
func (p *Past) Follow(e journal.Event) {
	switch b := e.Body.(type) {
	case journal.WaitStarted:
		if p.from = (time.Time{}); b.Reason == LimitWait && b.Until != nil {
			p.from, p.until = e.Time, *b.Until
		}
	case journal.WaitEnded:
		if p.from = (time.Time{}); b.Reason == LimitWait {
			p.Stood += time.Duration(b.Seconds * float64(time.Second))
		}
	case journal.AttemptStarted:
		p.calling = b
	case journal.AttemptEnded:
		p.attempt(e.Time, b)
	case journal.RunEnded:
		p.ended(e.Time, b)
	}
}

func (p *Past) attempt(at time.Time, b journal.AttemptEnded) {
	name := p.calling.Harness
	switch b.Outcome {
	case journal.OutcomeUsageLimit:
		if p.refused == nil {
			p.refused = map[string]refusal{}
		}
		p.refused[name] = refusal{at: at, model: p.calling.Model, times: p.refused[name].times + 1, told: b}
	case journal.OutcomeTransient:
	case journal.OutcomeAuth:
		delete(p.refused, name)
	default:
		delete(p.refused, name)
		p.Stood = 0
	}
}

func (p *Past) ended(at time.Time, b journal.RunEnded) {
	switch {
	case b.Reason != journal.ReasonCrashed:
		p.Stood = 0
		clear(p.refused)
	case !p.from.IsZero(): // the death may have been found much later
		if p.until.Before(at) {
			at = p.until
		}
		p.Stood += max(at.Sub(p.from), 0)
	}
	p.from = time.Time{}
}

// Resume continues with what a run that died had learnt: how long it had waited, and
// the limits that only it knew, of a model or without a reset. The account's limits
// are in the ledger.
func (t *Team) Resume(p Past) {
	t.Stood = p.Stood
	for _, m := range t.members {
		met, ok := p.refused[m.Harness.Name]
		if !ok || met.model != m.Options.Model {
			continue
		}
		m.refusals = met.times
		own := Block{by: m, Agent: m.Harness.Name, Note: met.told.Message, Hint: met.told.Hint}
		switch reset := met.told.ResetsAt; {
		case reset == nil || !reset.After(met.at):
			own.Until = met.at.Add(backoff(met.times))
			m.own = own
		case met.told.ModelLimit:
			own.Until, own.Reset = *reset, *reset
			m.own = own
		}
	}
}
