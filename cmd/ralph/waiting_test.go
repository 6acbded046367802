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
			outcomes = append(outcomes, string(b.Outcome))
		}
	}
	return outcomes
}

// TestWaitingSurvivesADeath: a ralph that was killed while it waited for the reset
// waits on when it is started again, without a call. Of some limits only the run knew.
func TestWaitingSurvivesADeath(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string]string{
		"the account's":          "{limit: {resets_in: 2h}}",
		"one without an end":     `{stderr: "You've hit your usage limit. Try again later."}, {no_result: true}, {exit: 1}`,
		"that of a single model": `{stderr: "You've hit your Opus limit, resets in 2h"}, {no_result: true}, {exit: 1}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newScratch(t, "turns: [{attempt: 1, steps: ["+steps+"]}]")
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
		})
	}
}
