package loop

import "ralph/internal/journal"

// takeAllowed takes over what a person allowed: it holds for the next evaluation of the story.
// A mark that was refused is made again, and so judged again.
func (l *Loop) takeAllowed() error {
	mail, err := l.requests.waiting(journal.RequestAllow)
	if err != nil {
		return err
	}
	for _, m := range mail {
		if err := l.requests.done(m); err != nil {
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
