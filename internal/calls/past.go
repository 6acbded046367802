package calls

import "ralph/internal/run"

// Resume restores the limits that a dead run knew and the ledger does not: those of one model
// and those without a reset time.
func (t *Team) Resume(met run.Limits) {
	for _, m := range t.members {
		r, ok := met.Refused[m.Harness.Name]
		if !ok || r.Model != m.Options.Model && !r.Ended.ModelLimit {
			continue
		}
		m.refusals = r.Times
		own := run.Limit{Agent: m.Harness.Name, Note: r.Ended.Message, Hint: r.Ended.Hint}
		switch reset := r.Ended.ResetsAt; {
		case reset == nil || !reset.After(r.At):
			own.Until = r.At.Add(backoff(r.Times))
			m.own = Block{Limit: own, by: m}
		case r.Ended.ModelLimit:
			own.Until, own.Reset = *reset, *reset
			m.own = Block{Limit: own, by: m, model: r.Model}
		}
	}
}
