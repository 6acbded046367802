package monitor

import (
	"encoding/json"
	"slices"

	"ralph/internal/journal"
	"ralph/internal/regular"
	"ralph/internal/run"
)

// maxSpans is how many iterations the graph of tokens shows, at most.
const maxSpans = 200

// state is what the dashboard knows of the unit: its journal so far.
type state struct {
	run.Status // of the last run: by the journal, or else by status.json
	all        run.State
	alone      bool // nothing but status.json is known
}

// apply brings the state up to date with the next event.
func (s *state) apply(e journal.Event) {
	s.all.Apply(e)
	s.Status, s.alone = s.all.Status(), false
}

// maxStatus bounds status.json, in bytes.
const maxStatus = 1 << 20

// readStatus takes the state from status.json, where there is no journal.
func (s *state) readStatus(path string) {
	data, err := regular.Read(path, maxStatus)
	var read run.Status
	if err == nil && json.Unmarshal(data, &read) == nil && read.Status != "" {
		s.Status, s.alone = read, true
	}
}

// last returns the last run, or an empty one.
func (s *state) last() *run.Run {
	if r := s.all.Last(); r != nil {
		return r
	}
	return &run.Run{Headless: true}
}

// seen reports whether there is anything of a run. The start of its journal may be damaged.
func (s *state) seen() bool {
	r := s.last()
	return s.alone || !r.Headless || len(r.Iterations) > 0
}

// ended are the last iterations that have ended, the oldest first.
func (s *state) ended() []*journal.IterationEnded {
	var list []*journal.IterationEnded
	iterations := s.last().Iterations
	for _, it := range iterations[max(0, len(iterations)-maxSpans):] {
		if it.End != nil {
			list = append(list, it.End)
		}
	}
	return list
}

// lastProof returns the newest receipt of the last run, nil where there is none.
func (s *state) lastProof() *journal.StoryProved {
	r := s.last()
	for _, it := range slices.Backward(append([]*run.Iteration{&r.Before}, r.Iterations...)) {
		if n := len(it.Proofs); n > 0 {
			return &it.Proofs[n-1]
		}
	}
	return nil
}

// Health describes the state of a loop's process.
type Health uint8

// What a loop's process can be.
const (
	Unknown   Health = iota // it runs on another machine
	Alive                   // and working or waiting
	Suspended               // by Ctrl-Z or SIGSTOP
	Dead
)

// healthOf asks for the process that the journal names, if it is one of this machine.
func (s *state) healthOf(host string, ask func(run.Status) Health) Health {
	if there := s.last().Start.Host; there != host && there != "" {
		return Unknown
	}
	return ask(s.Status)
}
