package unit

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/proc"
	"ralph/internal/run"
	"ralph/internal/words"
)

// recentIterations is how many iterations the status of a change shows.
const recentIterations = 5

// Current describes the present state of a unit and its last run.
type Current struct {
	Record *Record    // nil where no run of the unit has started
	Status run.Status // corrected for a process that is dead or suspended; without a run the plan
	Alive  bool       // its loop is running
	Budget string     // how much of the run's budgets is used, empty without a budget
	Items  []run.Item // of its plan

	Breaker string // how far the run is from the circuit breaker, and whether that is open
}

// Current returns the present state of the unit, from its journal and its process. Before the
// first run it describes only the plan.
func (p *Place) Current(t Notes) (now Current, err error) {
	if now.Record, err = p.Record(); err != nil {
		return now, err
	}
	if now.Record == nil {
		return p.unstarted(t), nil
	}
	s, err := now.Record.Fold(t, run.KeepNone)
	if err != nil {
		return now, err
	}
	now.Status = s.Status()
	if now.Status.Status == "" { // its first run has taken the lock, and has not started
		return p.unstarted(t), nil
	}
	now.Status, now.Alive = corrected(now.Status)
	when := time.Now()
	if !now.Alive {
		when = now.Status.LastUpdated.Time
	}
	now.Budget, now.Breaker, now.Items = s.Budget(when), breakerWords(s), s.Last().Plan.Items
	if now.Alive {
		waiting, err := journal.Peek(p.StateDir)
		if err == nil && s.WillPause(waiting) {
			text := string(now.Status.Message) + "; it pauses after this iteration"
			now.Status.Message = journal.Text(strings.TrimPrefix(text, "; "))
		}
	}
	recent := s.History(!now.Alive)
	now.Status.Recent = recent[max(0, len(recent)-recentIterations):]
	return now, nil
}

// breakerWords says how far a run is from the circuit breaker, and what closes an open one.
func breakerWords(s *run.State) string {
	if s.Breaker == nil {
		return s.BreakerCounts()
	}
	return fmt.Sprintf("OPEN (%s) until the plan or HEAD changes, or: ralph run --reset-circuit",
		words.WithSpaces(s.Breaker.Reason))
}

// unstarted returns the state of a unit that has not run yet. It describes only the plan.
func (p *Place) unstarted(t Notes) (now Current) {
	s := &now.Status
	s.SchemaVersion, s.Unit = run.StatusSchema, p.Unit
	s.Feature, s.Branch = journal.Text(p.Unit), journal.Text(p.Branch)
	chosen, _, err := p.Plan(t, nil)
	var state plan.State
	if err == nil {
		state, err = chosen.Read()
	}
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Warn("%v", err)
		}
		return now
	}
	s.Plan = journal.Text(chosen.About().Kind)
	s.StoriesComplete, s.StoriesTotal = state.Counts()
	if next := state.Next(&run.Position{}); next != nil {
		s.CurrentStory, s.StoryTitle = journal.Text(next.ID), next.Title
	}
	for _, it := range state.Items {
		story := journal.Story{ID: it.ID, Title: it.Title, Done: it.Done}
		now.Items = append(now.Items, run.Item{Story: story})
	}
	return now
}

// corrected returns the status of a run with the state of its process: crashed if the process
// is dead, suspended if it is suspended. alive reports whether the process exists.
func corrected(s run.Status) (now run.Status, alive bool) {
	if !s.Active() {
		return s, false
	}
	switch LoopID(s).State() {
	case proc.Gone:
		return s.Crashed(), false
	case proc.Suspended:
		return s.Suspended(), true
	}
	return s, true
}

// LoopID returns the identity of the loop's process as the journal records it.
func LoopID(s run.Status) proc.ID { return proc.ID{PID: int(s.PID), Start: s.PIDStart} }

// LoopAlive reports whether the process of the run is alive.
func LoopAlive(s run.Status) bool { return LoopID(s).Alive() }

// State reads the state of the unit from its record. It is empty if the unit never ran.
func (p *Place) State(t Notes) (*run.State, error) {
	r, err := p.Record()
	if err != nil || r == nil {
		return &run.State{}, err
	}
	return r.Fold(t, run.KeepNone)
}

// Past holds the recorded runs of a unit.
type Past struct {
	Record *Record // nil where the unit never ran
	State  *run.State
	Dead   bool // the last run has not recorded its end, and its process is gone
}

// Past reads the unit's record, and checks whether the process of its last run is alive.
func (p *Place) Past(t Notes) (was Past, err error) {
	was.State = &run.State{}
	if was.Record, err = p.Record(); err != nil || was.Record == nil {
		return was, err
	}
	if was.State, err = was.Record.Fold(t, run.KeepNone); err != nil {
		return was, err
	}
	s := was.State.Status()
	was.Dead = s.Active() && !LoopAlive(s)
	return was, nil
}

// EndedSince returns the unit's last run if it started after began and has ended.
func (p *Place) EndedSince(began time.Time) (last run.Status, ok bool) {
	s, err := p.State(Silent())
	last = s.Status()
	return last, err == nil && !last.Active() && !last.StartedAt.Before(began.Truncate(time.Second))
}

// Attempt returns the last call of an agent in an iteration of the record's last run.
// Iteration 0 means the last call of the run; it is nil if the run has not called an agent.
func (p *Place) Attempt(t Notes, r *Record, iteration int) (*journal.AttemptStarted, error) {
	var at *journal.AttemptStarted
	s, err := r.Fold(t, run.KeepNone)
	if last := s.Last(); last != nil {
		at = last.Calls.Last
		if iteration > 0 {
			at = last.LastCall(iteration)
		}
	}
	if err == nil && at == nil && iteration > 0 {
		err = hint.With(&NoIterationError{Name(p), iteration}, "see: ralph history")
	}
	return at, err
}

// NoIterationError reports that the last run of a unit does not have the iteration.
type NoIterationError struct {
	unit string
	n    int
}

// Error implements error.
func (e *NoIterationError) Error() string {
	return fmt.Sprintf("the last run of %s has no iteration %d", e.unit, e.n)
}
