package loop

import (
	"fmt"
	"time"

	"ralph/internal/journal"
)

// record appends to the journal and tells whoever watches.
func (l *Loop) record(b journal.Body) error {
	l.recording.Lock()
	defer l.recording.Unlock()
	for len(l.owed) > 0 {
		if err := l.write(l.owed[0]); err != nil {
			return err
		}
		l.owed = l.owed[1:]
	}
	return l.write(b)
}

// recordSurely is record for what a run's end must not be without: where the journal
// refuses it now, it comes before whatever is recorded next. If that never succeeds
// the run has no end on record either, and the next one finds out.
func (l *Loop) recordSurely(b journal.Body) error {
	err := l.record(b)
	if err != nil {
		l.recording.Lock()
		defer l.recording.Unlock()
		l.owed = append(l.owed, b)
	}
	return err
}

// write appends to the journal. The caller holds the lock.
func (l *Loop) write(b journal.Body) error {
	e, err := l.Journal.Append(l.Identity.Run, time.Now(), l.discreet(b))
	if err != nil {
		return err
	}
	l.Observe(e)
	return nil
}

func (l *Loop) warn(format string, args ...any) error {
	return l.record(journal.Warning{Message: fmt.Sprintf(format, args...)})
}
