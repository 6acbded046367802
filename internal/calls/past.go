package calls

import "ralph/internal/run"

// Resume continues with what a run that died had learnt: the limits that only it knew,
// of a model or without a reset. The account's limits are in the ledger.
func (t *Team) Resume(met run.Limits) {
	for _, m := range t.members {
		r, ok := met.Refused[m.Harness.Name]
		if !ok || r.Model != m.Options.Model && !r.Told.ModelLimit {
			continue
		}
		m.refusals = r.Times
		own := run.Limit{Agent: m.Harness.Name, Note: r.Told.Message, Hint: r.Told.Hint}
		switch reset := r.Told.ResetsAt; {
		case reset == nil || !reset.After(r.At):
			own.Until = r.At.Add(backoff(r.Times))
			m.own = Block{Limit: own, by: m}
		case r.Told.ModelLimit:
			own.Until, own.Reset = *reset, *reset
			m.own = Block{Limit: own, by: m, model: r.Model}
		}
	}
}
