// Package recorder writes the journal of one run: the only place where a living loop appends
// events. Secrets of the environment are removed first, and observers see each
// event after it is on disk.
package recorder

import (
	"fmt"
	"sync"
	"time"

	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/secret"
)

// Recorder writes the events of one run. It is safe for several goroutines; observers
// see the events in the journal's order.
type Recorder struct {
	*run.Shared // the state of the unit, with all events of its journal

	Journal *journal.Writer
	Run     string
	Secrets *secret.Redactor    // nil hides nothing
	Observe func(journal.Event) // called after each event is in the journal

	mu   sync.Mutex
	owed []journal.Body // events that the journal refused, and that may not be left out
}

// Record appends an event to the journal and calls the observer.
func (r *Recorder) Record(b journal.Body) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.owed) > 0 {
		if err := r.write(r.owed[0]); err != nil {
			return err
		}
		r.owed = r.owed[1:]
	}
	return r.write(b)
}

// RecordOrRetry records an event, and tries again later if that fails. It returns the first error.
// The event is then written before the next one. If that never succeeds, the run has no end
// on record either, and the next run recovers it.
func (r *Recorder) RecordOrRetry(b journal.Body) error {
	err := r.Record(b)
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.owed = append(r.owed, b)
	}
	return err
}

// Warn records a warning.
func (r *Recorder) Warn(format string, args ...any) error {
	return r.Record(journal.Warning{Message: fmt.Sprintf(format, args...)})
}

// write appends to the journal. The caller holds the lock.
func (r *Recorder) write(b journal.Body) error {
	e, err := r.Journal.Append(r.Run, time.Now(), r.discreet(b))
	if err != nil {
		return err
	}
	r.Apply(e)
	r.Observe(e)
	return nil
}
