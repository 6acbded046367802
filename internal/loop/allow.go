package loop

import "ralph/internal/journal"

// takeAllowed takes over what the user allowed, for the next judgement of the story. A mark that
// was refused is made again, and so judged again.
func (l *Loop) takeAllowed() error {
	mail, err := l.requests.waiting(journal.RequestAllow)
	if err != nil {
		return err
	}
	for _, m := range mail {
		if err := l.requests.done(m); err != nil {
			return err
		}
	}
	again := l.marks.allowed()
	if len(again) == 0 {
		return nil
	}
	if err := l.Plan.Mark(again, true); err != nil {
		return err
	}
	return l.marks.read()
}
