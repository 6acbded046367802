package loop

import (
	"time"

	"ralph/internal/journal"
)

// refusals are, by the journal, the limits that a unit's agents have met last. Like
// standstill they outlive a run that died, and no other.
type refusals struct {
	last    map[string]refusal // by harness
	calling journal.AttemptStarted
}

// refusal is a limit that an agent has met, and has not got over since.
type refusal struct {
	at    time.Time
	model string
	times int // in a row
	told  journal.AttemptEnded
}

func (r *refusals) follow(e journal.Event) {
	switch b := e.Body.(type) {
	case journal.AttemptStarted:
		r.calling = b
	case journal.AttemptEnded:
		name := r.calling.Harness
		switch b.Outcome {
		case journal.OutcomeUsageLimit:
			r.last[name] = refusal{at: e.Time, model: r.calling.Model, times: r.last[name].times + 1, told: b}
		case journal.OutcomeTransient:
		default:
			delete(r.last, name)
		}
	case journal.RunEnded:
		if b.Reason != journal.ReasonCrashed {
			clear(r.last)
		}
	}
}

// waitOn holds the run's agents back from limits that only a run knew which died: one
// of a model, and one whose end nobody told. What the account's limits are the ledger knows.
func (l *Loop) waitOn(r refusals) {
	for _, m := range l.team {
		met, ok := r.last[m.Harness.Name]
		if !ok || met.model != m.Options.Model {
			continue
		}
		m.refusals = met.times
		own := blocked{by: m, note: met.told.Message, hint: met.told.Hint}
		switch reset := met.told.ResetsAt; {
		case reset == nil || !reset.After(met.at):
			own.until = met.at.Add(guess(met.times))
			m.own = own
		case met.told.ModelLimit:
			own.until, own.reset = *reset, *reset
			m.own = own
		}
	}
}
