package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// judge holds a run that is over, in one way or the other, against the record.
// started says that it had started by its own record.
func (s *scratch) judge(e ending, a attack, started bool) {
	if !a.fails() { // where the journal could not be written the next run finishes the record
		s.auditCounts(started) // a run with a living guardian records its death
		// Killed before its own run began, it has no guardian: what it had found of
		// an earlier one may be on record, and not in the files yet.
		s.auditFiles(started || !e.killed)
	}
	if e.killed || a.fails() {
		return
	}
	s.judgeExit(e, a)
}

// judgeExit holds the exit status of a run that ended by itself against the journal.
func (s *scratch) judgeExit(e ending, a attack) {
	asked := false
	for _, b := range a.blows {
		asked = asked || b.to == ralphItself && (b.signal == syscall.SIGINT || b.signal == syscall.SIGTERM || b.signal == syscall.SIGHUP)
	}
	events, _ := s.events()
	for i := len(events) - 1; i >= 0; i-- {
		if end := events[i]; end.Type == "run_ended" {
			if end.ExitCode == e.code && (end.Reason == "stories_complete" || asked && (end.Reason == "interrupted" || end.Reason == "stopped")) {
				return
			}
			break
		}
	}
	if asked && (e.code == 130 || e.code == 143 || e.code == 1) {
		return // it was stopped before a run had started
	}
	if s.archived() {
		return // there was nothing left to do
	}
	s.complain(unfinished, "ralph ended with %d: %s", e.code, tail(e.output))
}

// finish lets the feature be finished in peace, and reads everything.
func (s *scratch) finish(ctx context.Context) {
	// One that has just been completed and killed with its guardian is not in order yet.
	if !s.finished() || s.last.killed || s.last.failed {
		s.attacks = append(s.attacks, "none: the feature is finished in peace")
		before := s.left
		e, _ := s.play(ctx, s.argv(), attack{})
		if ctx.Err() != nil {
			return
		}
		if e.code != 0 && !s.archived() {
			s.complain(unfinished, "the last run ended with %d: %s", e.code, tail(e.output))
			return
		}
		if left := s.still(before); len(left) > 0 {
			s.complain(survivor, "alive after the last run: %s", names(left))
		}
	} else if len(s.left) > 0 {
		s.awaitDeath(longest, nil) // it was attacked when it had nothing more to do
	}
	if left := s.alive(); len(left) > 0 {
		s.complain(survivor, "alive although the feature is finished: %s", names(left))
	}
	s.auditComets(s.comets())
	s.auditCounts(true)
	s.auditFiles(true)
	s.auditPlan()
	for _, path := range s.litter() {
		s.complain(corrupt, "%s was left behind", path)
	}
}

// auditPlan wants every story done, and its work committed.
func (s *scratch) auditPlan() {
	var plan struct {
		UserStories []struct {
			ID     string
			Passes bool
		}
	}
	data, err := os.ReadFile(filepath.Join(s.folder(), "prd.json"))
	if err != nil || json.Unmarshal(data, &plan) != nil || len(plan.UserStories) != storyCount {
		s.complain(corrupt, "prd.json: %v: %.200s", err, data)
		return
	}
	for _, st := range plan.UserStories {
		if !st.Passes {
			s.complain(unfinished, "%s does not pass in the end", st.ID)
		}
		if out, err := s.command(context.Background(), "git", "cat-file", "-e", fmt.Sprintf("HEAD:%s.txt", st.ID)).CombinedOutput(); err != nil {
			s.complain(unfinished, "the work of %s is not committed: %s", st.ID, out)
		}
	}
}

// tail is the end of an output, for a line.
func tail(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > 1500 {
		text = "…" + text[len(text)-1500:]
	}
	return strings.ReplaceAll(text, "\n", "\n      ")
}
