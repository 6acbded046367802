package main

import (
	"fmt"
	"time"

	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/run"
)

// recentIterations is how many iterations the status of a change shows.
const recentIterations = 5

// standing is how far the last run of a unit is at this moment.
type standing struct {
	record *record    // nil where no run of the unit has begun
	status run.Status // corrected for a process that is dead or suspended
	alive  bool       // its loop is at work
	budget string     // how much of the run's budgets is used, empty where it has none
}

// standing reads the unit's record, and looks whether its process lives.
func (p *place) standing(t notes) (now standing, err error) {
	if now.record, err = p.record(); err != nil || now.record == nil {
		return now, err
	}
	s, err := now.record.fold(t, run.KeepNone)
	if err != nil {
		return now, err
	}
	now.status = s.Status()
	if now.status.Status == "" { // its first run has taken the lock, and has not begun
		return standing{}, nil
	}
	now.status, now.alive = corrected(now.status)
	when := time.Now()
	if !now.alive {
		when = now.status.LastUpdated.Time
	}
	now.budget = s.Budget(when)
	recent := s.History(!now.alive)
	now.status.Recent = recent[max(0, len(recent)-recentIterations):]
	return now, nil
}

// corrected is what the journal tells of a run, held against what the system knows of
// its process; alive tells whether that is there.
func corrected(s run.Status) (now run.Status, alive bool) {
	if !s.Active() {
		return s, false
	}
	switch loopID(s).State() {
	case proc.Gone:
		return s.Crashed(), false
	case proc.Suspended:
		return s.Suspended(), true
	}
	return s, true
}

// loopID is the process that the journal names.
func loopID(s run.Status) proc.ID { return proc.ID{PID: int(s.PID), Start: s.PIDStart} }

// loopAlive reports whether that process is there.
func loopAlive(s run.Status) bool { return loopID(s).Alive() }

// state is what the record of the unit says, an empty state where it never ran.
func (p *place) state(t notes) (*run.State, error) {
	r, err := p.record()
	if err != nil || r == nil {
		return &run.State{}, err
	}
	return r.fold(t, run.KeepNone)
}

// past is what a unit's record holds of its runs.
type past struct {
	record *record // nil where the unit never ran
	state  *run.State
	dead   bool // the last run has not recorded its end, and its process is gone
}

// past reads the unit's record, and looks whether its process lives.
func (p *place) past(t notes) (was past, err error) {
	was.state = &run.State{}
	if was.record, err = p.record(); err != nil || was.record == nil {
		return was, err
	}
	if was.state, err = was.record.fold(t, run.KeepNone); err != nil {
		return was, err
	}
	s := was.state.Status()
	was.dead = s.Active() && !loopAlive(s)
	return was, nil
}

// endedSince is the unit's run that began behind a moment and has ended, if there
// is one.
func (p *place) endedSince(began time.Time) (s run.Status, ok bool) {
	path, err := p.recordedAt()
	if err != nil || path == "" {
		return s, false
	}
	var state run.State
	_, err = journal.Scan(path, state.Apply)
	s = state.Status()
	return s, err == nil && !s.Active() && !s.StartedAt.Before(began.Truncate(time.Second))
}

// attempt is the last call of the agent in an iteration of the record's last
// run, or in its last iteration where that is 0. It is nil where the run has
// not called one.
func (p *place) attempt(t notes, r *record, iteration int) (*journal.AttemptStarted, error) {
	var at *journal.AttemptStarted
	s, err := r.fold(t, run.KeepNone)
	if last := s.Last(); last != nil {
		at = last.Calls.Last
		if iteration > 0 {
			at = last.Called(iteration)
		}
	}
	if err == nil && at == nil && iteration > 0 {
		err = hint.With(&noIterationError{nameOf(p), iteration}, "see: ralph history")
	}
	return at, err
}

// noIterationError is that the last run of a unit has no such iteration.
type noIterationError struct {
	unit string
	n    int
}

func (e *noIterationError) Error() string {
	return fmt.Sprintf("the last run of %s has no iteration %d", e.unit, e.n)
}
