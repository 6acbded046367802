package main

import (
	"strings"
	"testing"
)

// TestStatusBeforeTheFirstEvent shows a unit with an empty journal: its first run has made
// it and not yet written to it.
func TestStatusBeforeTheFirstEvent(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "turns: []\n")
	s.write(".git/ralph/feature-x/journal.jsonl", "")
	for command, want := range map[string]string{
		"status": "no run of feature-x yet", "status --json": "{\n  \"iteration\": 0,",
	} {
		out, err := s.command(s.bin, strings.Fields(command)...).CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), want) {
			t.Errorf("%s: %v: %s; want %q", command, err, out, want)
		}
	}
}
