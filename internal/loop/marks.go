package loop

import (
	"maps"
	"slices"

	"ralph/internal/evidence"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/run"
)

// marks is the plan as it was read last, and what the journal says about its marks.
type marks struct {
	plan    plan.Plan
	trust   bool        // the promise is enough
	claims  *run.Claims // what was accepted, taken over, allowed and refused
	state   plan.State
	waiting []string // items that the user has to decide on
}

// read reads the plan as it is now.
func (m *marks) read() error {
	state, err := m.plan.Read()
	if err == nil {
		m.state = state
	}
	return err
}

// conclusion says whether the plan is done if the items are accepted.
func (m *marks) conclusion(items []string, promised bool) plan.Conclusion {
	return m.plan.Conclusion(m.with(items), promised, m.trust)
}

// stories returns the plan with the marks that count, for the journal.
func (m *marks) stories() []journal.Story {
	list := make([]journal.Story, 0, len(m.state.Items))
	for _, it := range m.counted().Items {
		list = append(list, journal.Story{ID: it.ID, Title: it.Title, Done: it.Done})
	}
	return list
}

// counted returns the plan with the marks that count: those that were accepted.
func (m *marks) counted() plan.State { return m.with(nil) }

// with returns the plan with the marks that count and those of items.
func (m *marks) with(items []string) plan.State {
	s := m.state
	s.Items = slices.Clone(s.Items)
	for i := range s.Items {
		it := &s.Items[i]
		it.Done = it.Done && (m.claims.Accepted[it.ID] || slices.Contains(items, it.ID))
	}
	return s
}

// next returns the story of the next iteration, nil where the plan has none.
func (m *marks) next(p *run.Position) *journal.Story {
	if next := m.state.Next(p); next != nil {
		return &journal.Story{ID: next.ID, Title: next.Title, Model: next.Model}
	}
	return nil
}

// print returns a fingerprint of the plan's files and HEAD: while it stays the same an open
// breaker stays open.
func (m *marks) print(head string) string { return m.state.Print + ":" + head }

// claim returns a claim on the items.
func (m *marks) claim(n int, items []string) evidence.Claim {
	return evidence.Claim{N: n, State: m.state, Items: items, TakenOver: evidence.Overlap(items, m.takenOver()),
		Boxes: !m.plan.About().Kind.Receipts(), Allowed: m.claims.Allowed}
}

// onlyTakenOver reports whether only marks are left that the user has to decide on.
func (m *marks) onlyTakenOver() bool {
	return len(m.waiting) > 0 && m.state.Open() == 0 && len(evidence.Without(m.takenOver(), m.waiting)) == 0
}

// takenOver returns the marks that were taken over, in the plan's order.
func (m *marks) takenOver() []string {
	return evidence.Overlap(m.state.Done(), slices.Collect(maps.Keys(m.claims.TakenOver)))
}

// unjudged returns the marks without an acceptance on record.
func (m *marks) unjudged() []string {
	return slices.DeleteFunc(m.state.Done(), func(id string) bool { return m.claims.Accepted[id] })
}

// since returns the marks that were not judged: made since the plan was in the state before.
func (m *marks) since(before plan.State) []string {
	was := before.Done()
	return slices.DeleteFunc(m.state.Done(), func(id string) bool {
		return (m.claims.Accepted[id] || m.claims.TakenOver[id]) && slices.Contains(was, id)
	})
}

// gone returns the items with a mark on record that is no longer in the plan. If it is made
// again, it is judged again.
func (m *marks) gone() []string {
	known := slices.Concat(slices.Collect(maps.Keys(m.claims.Accepted)), slices.Collect(maps.Keys(m.claims.TakenOver)))
	slices.Sort(known)
	return evidence.Without(slices.Compact(known), m.state.Done())
}

// allowed returns the items that the user allowed after their marks were refused.
func (m *marks) allowed() []string {
	var ids []string
	for _, it := range m.state.Items {
		if _, ok := m.claims.Allowed[it.ID]; ok && !it.Done && m.claims.Refused[it.ID] {
			ids = append(ids, it.ID)
		}
	}
	return ids
}
