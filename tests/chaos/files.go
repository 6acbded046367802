package main

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// auditFiles wants every file whole, and where no one was killed over it the derived
// ones in line with the journal.
func (s *scratch) auditFiles(derived bool) {
	for _, path := range []string{filepath.Join(s.folder(), "status.json"), filepath.Join(s.repo, ".claude", "loop-state.json")} {
		if data, err := os.ReadFile(path); err == nil && !json.Valid(data) {
			s.complain(corrupt, "%s is no JSON: %.80q", filepath.Base(path), data)
		}
	}
	entries, _ := filepath.Glob(filepath.Join(s.home, "loops", "*.json"))
	for _, path := range entries {
		if data, err := os.ReadFile(path); err != nil || !json.Valid(data) {
			s.complain(corrupt, "%s is no JSON: %.80q", path, data)
		}
	}
	if derived {
		s.auditStatus()
	}
}

// auditStatus compares status.json and loop-state.json with a run that has ended.
func (s *scratch) auditStatus() {
	events, _ := s.events()
	if len(events) == 0 {
		return
	}
	r := readRecord(events)
	run := r.runs[len(r.runs)-1]
	if len(run.ends) == 0 || s.refused && s.archived() {
		return // its death is not on record yet; or no run will come to write the files again
	}
	if data, err := os.ReadFile(filepath.Join(s.folder(), "prd.json")); err != nil || !json.Valid(data) {
		s.complain(corrupt, "prd.json: %v: %.80q", err, data) // an agent may have left it so, ralph must not
	}
	end := run.ends[0]
	var status struct {
		Status, Reason string
		PID            *int
		Tokens         tokens
	}
	data, err := os.ReadFile(filepath.Join(s.folder(), "status.json"))
	if err != nil || json.Unmarshal(data, &status) != nil {
		s.complain(corrupt, "status.json of an ended run: %v", err)
		return
	}
	if status.Status != end.Status || status.Reason != end.Reason || status.PID != nil || status.Tokens != end.Tokens {
		s.complain(corrupt, "status.json tells %+v of a run that ended as %s, %s, %+v", status, end.Status, end.Reason, end.Tokens)
	}
	counted := 0 // an attempt that was no iteration is not in loop-state.json
	for _, it := range run.rounds {
		for _, e := range it.ends {
			counted += e.Tokens.Input + e.Tokens.Output
		}
	}
	var loop struct {
		Status string
		Total  int `json:"total_tokens"`
	}
	data, err = os.ReadFile(filepath.Join(s.repo, ".claude", "loop-state.json"))
	if err != nil || json.Unmarshal(data, &loop) != nil || loop.Status == "running" || loop.Status == "starting" || loop.Total != counted {
		s.complain(corrupt, "loop-state.json tells %+v (%v) of a run that ended as %s with %d tokens", loop, err, end.Status, counted)
	}
	if exists(filepath.Join(s.repo, ".claude", "ralph-terminal.pid")) {
		s.complain(corrupt, "ralph-terminal.pid is there although the run has ended")
	}
}

// temporary matches files that are there only while another one is replaced.
var temporary = regexp.MustCompile(`^\.[a-z-]+\.json\d+$|\.tmp\d*$|\.partial$`)

// litter lists what ralph has left half done.
func (s *scratch) litter() []string {
	var found []string
	for _, root := range []string{filepath.Join(s.repo, ".ralph"), filepath.Join(s.repo, ".claude"), filepath.Dir(s.stateDir())} {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Name() == "snapshot" {
				return fs.SkipDir // the next snapshot clears it
			}
			if err == nil && temporary.MatchString(d.Name()) {
				found = append(found, path)
			}
			return nil
		})
	}
	return found
}

// ledger returns the number of calls that the ledger knows.
func (s *scratch) ledger() int {
	files, _ := filepath.Glob(filepath.Join(s.home, "ratelimit", "*.json"))
	calls := 0
	for _, path := range files {
		data, _ := os.ReadFile(path)
		var book struct{ Hours map[string]int }
		if err := json.Unmarshal(data, &book); err != nil && len(data) > 0 {
			s.complain(corrupt, "the ledger cannot be read: %v", err)
		}
		for _, n := range book.Hours {
			calls += n
		}
	}
	return calls
}

// commits are those that agents made, the oldest last.
func (s *scratch) commits() []string {
	out, err := s.command(context.Background(), "git", "log", "--format=%H", "--grep=^feat:").Output()
	if err != nil {
		s.complain(corrupt, "git log: %v", err)
	}
	return strings.Fields(string(out))
}
