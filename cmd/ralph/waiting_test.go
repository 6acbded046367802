package main

import (
	"os"
	"strings"
	"testing"

	"ralph/internal/journal"
)

// attempts are the outcomes of the calls on record, in their order.
func (s *scratch) attempts() (outcomes []string) {
	for _, e := range s.events() {
		if b, ok := e.Body.(journal.AttemptEnded); ok {
			outcomes = append(outcomes, b.Outcome)
		}
	}
	return outcomes
}

// TestWaitingSurvivesADeath: a ralph that was killed while it waited for the reset
// waits on when it is started again, without a call.
func TestWaitingSurvivesADeath(t *testing.T) {
	s := newScratch(t, "turns: [{attempt: 1, steps: [{limit: {resets_in: 2h}}]}]")
	cmd, out := s.start("waiting until", "--on-limit", "wait")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.finish(cmd, out)
	cmd, out = s.start("waiting until", "--on-limit", "wait")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if rest, code := s.finish(cmd, out); code != 130 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
	if got := strings.Join(s.attempts(), " "); got != "usage_limit" {
		t.Errorf("the calls came to %q, want one that was refused", got)
	}
}
