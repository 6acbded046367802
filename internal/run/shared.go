package run

import (
	"sync"

	"ralph/internal/journal"
)

// Shared is the State of a unit while a process writes its journal: the one place where it is.
// One goroutine applies the events, and all may read.
type Shared struct {
	mu    sync.Mutex
	state State
}

// Apply updates the state with the next event of the journal.
func (s *Shared) Apply(e journal.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Apply(e)
}

// Read calls f with the present state. f must not keep what it points to.
func (s *Shared) Read(f func(*State)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.state)
}

// Position returns where the last run is now.
func (s *Shared) Position() *Position {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.state.Position()
	return &p
}

// Status returns the state of the last run, or the zero value.
func (s *Shared) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Status()
}

// Claims returns what the journal holds to judge claims. Events about claims change it: only
// the goroutine that applies those may read it.
func (s *Shared) Claims() *Claims { return &s.state.Claims }
