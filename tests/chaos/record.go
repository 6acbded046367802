package main

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
)

// event is what the audit needs to know of a line of the journal.
type event struct {
	Type      string   `json:"type"`
	Run       string   `json:"run"`
	Token     string   `json:"token"`
	Iteration int      `json:"iteration"`
	Attempt   int      `json:"attempt"`
	Outcome   string   `json:"outcome"`
	Status    string   `json:"status"`
	Reason    string   `json:"reason"`
	ExitCode  int      `json:"exitCode"`
	Message   string   `json:"message"`
	Tokens    tokens   `json:"tokens"`
	CostUSD   *float64 `json:"costUsd"`
	Commits   []string `json:"commits"`
	Passed    []string `json:"storiesPassed"`
	Stories   claimed  `json:"stories"`
	LogFile   string   `json:"logFile"`
	Head      string   `json:"head"`
}

type tokens struct {
	Input  int `json:"input"`
	Output int `json:"output"`
}

func (t tokens) add(u tokens) tokens { return tokens{t.Input + u.Input, t.Output + u.Output} }

// claimed are the stories that an event lists as done: run_started and
// plan_changed have objects, claim_rejected has ids.
type claimed []string

// UnmarshalJSON implements json.Unmarshaler.
func (s *claimed) UnmarshalJSON(b []byte) error {
	var ids []string
	if json.Unmarshal(b, &ids) == nil {
		*s = ids
		return nil
	}
	var list []struct {
		ID   string `json:"id"`
		Done bool   `json:"done"`
	}
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	for _, st := range list {
		if st.Done {
			*s = append(*s, st.ID)
		}
	}
	return nil
}

// events reads the journal. A last line without its end was never confirmed.
func (s *scratch) events() (list []event, broken int) {
	data, _ := os.ReadFile(s.journal())
	if end := bytes.LastIndexByte(data, '\n'); end >= 0 {
		for line := range bytes.SplitSeq(data[:end], []byte("\n")) {
			var e event
			if err := json.Unmarshal(line, &e); err != nil || e.Type == "" {
				broken++
				continue
			}
			list = append(list, e)
		}
	}
	return list, broken
}

// record is the journal, run by run.
type record struct {
	runs []*runRecord
}

type runRecord struct {
	id, token string
	stories   []string // done when it began
	rounds    []*iterationRecord
	changed   [][]string // done stories of each plan_changed
	rejected  []string
	ends      []event
	loose     []string // what is where it should not
}

type iterationRecord struct {
	n        int
	attempts []*attemptRecord
	ends     []event
}

type attemptRecord struct {
	n, of   int // attempt n of an iteration
	started int
	ends    []event
}

// readRecord sorts the events of a journal.
func readRecord(events []event) record {
	var r record
	for _, e := range events {
		if e.Type == "run_started" {
			r.runs = append(r.runs, &runRecord{id: e.Run, token: e.Token, stories: e.Stories})
			continue
		}
		i := slices.IndexFunc(r.runs, func(run *runRecord) bool { return run.id == e.Run })
		if i < 0 {
			continue // a torn journal may have lost its beginning
		}
		if i != len(r.runs)-1 {
			r.runs[i].loose = append(r.runs[i].loose, e.Type+" after a later run had started")
		}
		r.runs[i].take(e)
	}
	return r
}

func (r *runRecord) take(e event) {
	if len(r.ends) > 0 && e.Type != "archived" {
		r.loose = append(r.loose, e.Type+" after run_ended")
	}
	it := r.iteration(e.Iteration)
	switch e.Type {
	case "iteration_started":
		if it != nil {
			r.loose = append(r.loose, "an iteration began twice")
		}
		r.rounds = append(r.rounds, &iterationRecord{n: e.Iteration})
	case "attempt_started":
		if it != nil {
			it.attempts = append(it.attempts, &attemptRecord{n: e.Attempt, of: e.Iteration})
		}
	case "agent_started":
		if a := it.attempt(e.Attempt); a != nil {
			a.started++
		}
	case "attempt_ended":
		if a := it.attempt(e.Attempt); a != nil {
			a.ends = append(a.ends, e)
		}
	case "iteration_ended":
		if it != nil {
			it.ends = append(it.ends, e)
		}
	case "plan_changed":
		r.changed = append(r.changed, e.Stories)
	case "claim_rejected":
		r.rejected = append(r.rejected, e.Stories...)
	case "run_ended":
		r.ends = append(r.ends, e)
	}
}

func (r *runRecord) iteration(n int) *iterationRecord {
	for _, it := range r.rounds {
		if it.n == n {
			return it
		}
	}
	return nil
}

func (it *iterationRecord) attempt(n int) *attemptRecord {
	if it == nil {
		return nil
	}
	for _, a := range it.attempts {
		if a.n == n {
			return a
		}
	}
	return nil
}

// runs are the ids of the runs that the journal knows.
func (s *scratch) runs() []string {
	events, _ := s.events()
	var ids []string
	for _, e := range events {
		if e.Type == "run_started" {
			ids = append(ids, e.Run)
		}
	}
	return ids
}
