package main

import (
	"bufio"
	"fmt"
	"net"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestClearingALimitWakesLoopsThatWaitForIt: they continue without a restart.
func TestClearingALimitWakesLoopsThatWaitForIt(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "turns: [{attempt: 1, steps: [{limit: {resets_in: 2h}}]}, {attempt: 2, steps: [{tick: STORY-001}]}]")
	cmd, out := s.start("waiting until", "--on-limit", "wait")
	text, err := s.command(s.bin, "limits").CombinedOutput()
	if err != nil || !strings.Contains(string(text), "  Waiting: feature-x in "+s.repo+" until ") || strings.Contains(string(text), "only it knows") {
		t.Errorf("%v\n%s", err, text)
	}
	text, err = s.command(s.bin, "limits", "--clear", "replay").CombinedOutput()
	if err != nil || !strings.Contains(string(text), "it may be called again") || !strings.Contains(string(text), "the loop of feature-x in "+s.repo+" was waiting for it, and continues") {
		t.Errorf("%v\n%s", err, text)
	}
	if rest, code := s.finish(cmd, out); code != 0 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
}

// TestALimitThatOnlyOneLoopKnows cannot be cleared: what can be done is said.
func TestALimitThatOnlyOneLoopKnows(t *testing.T) {
	t.Parallel()
	s := newScratch(t, `turns: [{steps: [{raw: "You've reached your usage limit.\n"}, {exit: 1}]}]`)
	cmd, out := s.start("waiting until", "--on-limit", "wait")
	text, err := s.command(s.bin, "limits").CombinedOutput()
	line := regexp.MustCompile(`(?m)^  Waiting: feature-x in ` + regexp.QuoteMeta(s.repo) + ` until .* \(in [0-9]m[0-9s]*\), which only it knows of: You've reached your usage limit\.$`)
	if err != nil || !line.Match(text) {
		t.Errorf("%v\n%s", err, text)
	}
	text, err = s.command(s.bin, "limits", "--json").Output()
	if err != nil || !strings.Contains(string(text), `"unit": "feature-x",`) || !strings.Contains(string(text), `"message": "You've reached your usage limit."`) {
		t.Errorf("%v\n%s", err, text)
	}
	text, err = s.command(s.bin, "limits", "--clear", "replay").CombinedOutput()
	want := "the loop of feature-x in " + s.repo + " waits until "
	if err != nil || !strings.Contains(string(text), want) || !strings.Contains(string(text), "a limit that only it knows: end it there with 'ralph stop'") {
		t.Errorf("%v\n%s", err, text)
	}
	if text, err := s.command(s.bin, "stop").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	if rest, code := s.finish(cmd, out); code != 143 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
}

// TestLimitsOfASharedLedger are those that a loop with this environment would meet.
func TestLimitsOfASharedLedger(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "turns: []")
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = bufio.NewReader(conn).ReadString('\n')
			fmt.Fprintln(conn, `{"ok":true,"used":42,"resetsAt":"2100-01-01T00:00:00Z","limitedUntil":"2100-01-01T00:00:00Z","note":"no more"}`)
			conn.Close()
		}
	}()
	cmd := s.command(s.bin, "limits")
	cmd.Env = append(cmd.Environ(), "RALPH_LEDGER="+socket)
	text, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(text), "42/") || !strings.Contains(string(text), "no more") {
		t.Errorf("%v\n%s", err, text)
	}
}
