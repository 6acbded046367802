package main

import (
	"strings"
	"testing"
)

// TestClearingALimitWakesLoopsThatWaitForIt: no restart is needed to go on now.
func TestClearingALimitWakesLoopsThatWaitForIt(t *testing.T) {
	s := newScratch(t, "turns: [{attempt: 1, steps: [{limit: {resets_in: 2h}}]}, {attempt: 2, steps: [{tick: STORY-001}]}]")
	cmd, out := s.start("waiting until", "--on-limit", "wait")
	text, err := s.command(s.bin, "limits", "--clear", "replay").CombinedOutput()
	if err != nil || !strings.Contains(string(text), "it may be called again") || !strings.Contains(string(text), "the loop of feature-x in "+s.repo+" was waiting for it, and goes on") {
		t.Errorf("%v\n%s", err, text)
	}
	if rest, code := s.finish(cmd, out); code != 0 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
}

// TestALimitThatOnlyOneLoopKnows cannot be cleared: what can be done is said.
func TestALimitThatOnlyOneLoopKnows(t *testing.T) {
	s := newScratch(t, `turns: [{steps: [{raw: "You've reached your usage limit.\n"}, {exit: 1}]}]`)
	cmd, out := s.start("waiting until", "--on-limit", "wait")
	text, err := s.command(s.bin, "limits", "--clear", "replay").CombinedOutput()
	want := "the loop of feature-x in " + s.repo + " waits until "
	if err != nil || !strings.Contains(string(text), want) || !strings.Contains(string(text), "a limit that only it knows: end it with 'ralph stop'") {
		t.Errorf("%v\n%s", err, text)
	}
	if text, err := s.command(s.bin, "stop").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	if rest, code := s.finish(cmd, out); code != 143 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
}
