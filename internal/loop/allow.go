package loop

import "ralph/internal/journal"

// takeAllowed takes over what a person allowed: it holds for the next evaluation of the story.
// A mark that was refused is made again, and so judged again.
func (l *Loop) takeAllowed() error {
	mail, _, err := l.Inbox.Take()
	if err != nil {
		return l.warn("what other commands ask for cannot be read: %v", err)
	}
	for _, m := range mail {
		if m.Request.Kind != journal.RequestAllow {
			continue
		}
		if err := l.record(m.Request); err != nil {
			return err
		}
		if err := l.Inbox.Done(m.Name); err != nil {
			return err
		}
		l.allowed[m.Request.Text] = m.Request.Finding
	}
	var again []string
	for _, it := range l.state.Items {
		if _, ok := l.allowed[it.ID]; ok && !it.Done && l.refused[it.ID] {
			again = append(again, it.ID)
		}
	}
	if len(again) == 0 {
		return nil
	}
	if err := l.Plan.Mark(again); err != nil {
		return err
	}
	l.state, err = l.Plan.Read()
	return err
}

// settle notes what became of claims: what was allowed for them is used up.
func (l *Loop) settle(ids []string, refused bool) {
	for _, id := range ids {
		l.refused[id] = refused
		delete(l.allowed, id)
	}
}
