package main

import (
	"strings"
	"testing"
)

// TestClearingALimitLetsLoopsGoOn that wait for its end already.
func TestClearingALimitLetsLoopsGoOn(t *testing.T) {
	s := newScratch(t, "turns: [{attempt: 1, steps: [{limit: {resets_in: 2h}}]}, {steps: [{say: back again}]}]")
	cmd, out := s.start("waiting until", "--on-limit", "wait", "-n", "1")
	text, err := s.command(s.bin, "limits", "--clear", "replay").CombinedOutput()
	if err != nil || !strings.Contains(string(text), "it may be called again") || !strings.Contains(string(text), "the loop of feature-x in "+s.repo+" was waiting for it, and goes on") {
		t.Errorf("%v\n%s", err, text)
	}
	if rest, code := s.finish(cmd, out); code != 1 || !strings.Contains(rest, "back again") {
		t.Errorf("exit status %d\n%s", code, rest)
	}
}
