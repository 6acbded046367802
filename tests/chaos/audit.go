package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// auditCounts compares the journal with itself, with the agent's own record of its calls, and
// with git. settled says that no run can be running, and that every crash has been recorded.
func (s *scratch) auditCounts(settled bool) {
	events, broken := s.events()
	if broken > 0 {
		s.complain(corrupt, "%d lines of the journal do not parse", broken)
	}
	r := readRecord(events)
	for i, run := range r.runs {
		s.auditRun(run, i < len(r.runs)-1, settled)
	}
	if s.torn {
		return
	}
	s.auditCalls(r)
	s.auditStories(r)
	s.auditCommits(r)
}

// auditRun reads one run; over says that another one has started since.
func (s *scratch) auditRun(run *runRecord, over, settled bool) {
	for _, what := range run.loose {
		s.complain(miscount, "run %s: %s", run.id, what)
	}
	if len(run.ends) > 1 {
		s.complain(miscount, "run %s has ended %d times", run.id, len(run.ends))
	}
	var sum tokens
	cost := 0.0
	for i, it := range run.rounds {
		open := !over && i == len(run.rounds)-1 && len(run.ends) == 0
		t, c := s.auditIteration(run, it, open)
		sum, cost = sum.add(t), cost+c
	}
	switch {
	case len(run.ends) == 0 && (over || settled):
		s.complain(miscount, "run %s has no end", run.id)
	case len(run.ends) == 1 && (run.ends[0].Tokens != sum || !same(run.ends[0].CostUSD, cost)):
		s.complain(miscount, "run %s: run_ended tells %+v, its attempts %+v and $%.2f", run.id, run.ends[0].Tokens, sum, cost)
	}
}

// auditIteration returns the tokens and the cost of an iteration.
func (s *scratch) auditIteration(run *runRecord, it *iterationRecord, open bool) (tokens, float64) {
	var sum tokens
	cost, refused := 0.0, true
	for i, a := range it.attempts {
		if a.n != i+1 || a.started > 1 || len(a.ends) > 1 || len(a.ends) == 0 && !open {
			s.complain(miscount, "run %s iteration %d attempt %d: started %d times, ended %d times", run.id, it.n, a.n, a.started, len(a.ends))
		}
		for _, e := range a.ends {
			sum = sum.add(e.Tokens)
			if e.CostUSD != nil {
				cost += *e.CostUSD
			}
			refused = refused && e.Outcome == "transient"
		}
		refused = refused && len(a.ends) > 0
	}
	switch n := len(it.ends); {
	case n > 1:
		s.complain(miscount, "run %s iteration %d is recorded %d times", run.id, it.n, n)
	case n == 0 && !open && !refused:
		s.complain(miscount, "run %s iteration %d is not recorded", run.id, it.n)
	case n == 1 && (it.ends[0].Tokens != sum || !same(it.ends[0].CostUSD, cost)):
		s.complain(miscount, "run %s iteration %d: reports %+v, its attempts %+v and $%.2f", run.id, it.n, it.ends[0].Tokens, sum, cost)
	}
	// Without a result the output is an estimate, and there is no input.
	if n := s.reported(run, it.n); !open && !s.torn && n != sum.Input {
		s.complain(miscount, "run %s iteration %d: its log has %d input tokens, the journal %d", run.id, it.n, n, sum.Input)
	}
	return sum, cost
}

func same(cost *float64, sum float64) bool {
	if cost == nil {
		return sum == 0
	}
	return math.Abs(*cost-sum) < 1e-9
}

// reported returns the input tokens that the agent reported in an iteration: each result in
// the log has the same figure.
func (s *scratch) reported(run *runRecord, n int) int {
	logs := filepath.Join(s.folder(), "logs")
	name := fmt.Sprintf("iteration-%d.log", n)
	data, err := os.ReadFile(filepath.Join(logs, run.id, name))
	if err != nil && s.latest() == run.id {
		data, _ = os.ReadFile(filepath.Join(logs, name))
	}
	return callInput * strings.Count(string(data), `"usage":{"input_tokens":`+fmt.Sprint(callInput))
}

// latest is the id of the run that began last.
func (s *scratch) latest() string {
	if ids := s.runs(); len(ids) > 0 {
		return ids[len(ids)-1]
	}
	return ""
}

// auditCalls compares the attempts with the calls that the agent wrote down and those in the
// ledger.
func (s *scratch) auditCalls(r record) {
	data, _ := os.ReadFile(filepath.Join(s.dir, "calls"))
	calls := map[string]int{}
	for line := range strings.Lines(string(data)) {
		calls[strings.TrimSpace(line)]++
	}
	attempts := 0
	for _, run := range r.runs {
		for _, it := range run.rounds {
			for _, a := range it.attempts {
				attempts++
				key := fmt.Sprintf("%s %d %d", run.token, a.of, a.n)
				n := calls[key]
				delete(calls, key)
				ended := len(a.ends) > 0 && (a.ends[0].Outcome == "ok" || a.ends[0].Outcome == "transient")
				if n > 1 || n == 0 && ended {
					s.complain(miscount, "run %s iteration %d attempt %d: the agent was called %d times", run.id, it.n, a.n, n)
				}
			}
		}
	}
	for key := range calls {
		s.complain(miscount, "the agent was called without a record: %s", key)
	}
	// A call is counted before it is on record; where ralph was killed between the
	// two the next run gives it back.
	over := 0
	if n := len(r.runs); n > 0 && (len(r.runs[n-1].ends) == 0 || r.runs[n-1].ends[0].Reason == "crashed") {
		over = 1
	}
	if used := s.ledger(); used < attempts || used > attempts+over {
		s.complain(miscount, "the ledger has %d calls, the journal %d attempts", used, attempts)
	}
}

// auditStories wants each story accepted once.
func (s *scratch) auditStories(r record) {
	accepted := map[string]int{}
	for _, run := range r.runs {
		for _, id := range run.rejected {
			accepted[id] = 0
		}
		for _, it := range run.rounds {
			for _, e := range it.ends {
				for _, id := range e.Passed {
					accepted[id]++
				}
			}
		}
		for _, done := range run.changed {
			for _, id := range done {
				if accepted[id] == 0 {
					accepted[id]++
				}
			}
		}
	}
	for id, n := range accepted {
		if n > 1 {
			s.complain(miscount, "%s was accepted %d times", id, n)
		}
	}
}

// auditCommits wants each commit of the branch in the record of one iteration.
func (s *scratch) auditCommits(r record) {
	seen := map[string]int{}
	closed := true
	for _, run := range r.runs {
		closed = len(run.ends) > 0
		for _, it := range run.rounds {
			for _, e := range it.ends {
				for _, c := range e.Commits {
					seen[c]++
				}
			}
		}
	}
	for _, c := range s.commits() {
		if n := seen[c]; n > 1 || n == 0 && closed {
			s.complain(miscount, "commit %s is in the record of %d iterations", c[:12], n)
		}
	}
}

// finished reports whether the feature is done, as its own files have it.
func (s *scratch) finished() bool {
	events, _ := s.events()
	i := slices.IndexFunc(events, func(e event) bool { return e.Type == "run_ended" && e.Reason == "stories_complete" })
	return i >= 0 && (!s.archive || s.archived())
}
