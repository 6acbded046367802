package main

import (
	"strings"
	"syscall"
	"testing"
)

// TestClearingALimitNamesLoopsThatWaitForIt: they look at the ledger again at the
// end of their wait only.
func TestClearingALimitNamesLoopsThatWaitForIt(t *testing.T) {
	s := newScratch(t, "turns: [{steps: [{limit: {resets_in: 2h}}]}]")
	cmd, out := s.start("waiting until", "--on-limit", "wait")
	text, err := s.command(s.bin, "limits", "--clear", "replay").CombinedOutput()
	if err != nil || !strings.Contains(string(text), "it may be called again") || !strings.Contains(string(text), "the loop of feature-x in "+s.repo+" waits until") {
		t.Errorf("%v\n%s", err, text)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if rest, code := s.finish(cmd, out); code != 143 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
}
