package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ralph/internal/journal"
)

const finishes = "turns:\n  - steps:\n      - append: {path: one.txt, content: x}\n      - git_commit: one\n      - tick: STORY-001\n      - tokens: {input: 7}\n"

// killBoth kills ralph and its guardian, so that no process cleans up.
func (s *scratch) killBoth(ralph *os.Process) {
	s.t.Helper()
	guardian := parentOf(s.t, s.agentID().PID)
	if err := syscall.Kill(guardian, syscall.SIGKILL); err != nil {
		s.t.Fatal(err)
	}
	if err := ralph.Kill(); err != nil {
		s.t.Fatal(err)
	}
}

// runToEnd runs ralph to the end, which must be a good one.
func (s *scratch) runToEnd(args ...string) string {
	s.t.Helper()
	out, err := s.command(s.bin, append([]string{"run", "--harness", "replay", "--pause", "0"}, args...)...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// TestWhenItDied: the guardian was there; the next command goes by the last sign of
// life, however late it comes.
func TestWhenItDied(t *testing.T) {
	t.Parallel()
	for name, guarded := range map[string]bool{"the guardian tells": true, "the next command tells": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScratch(t, hangs)
			cmd, out := s.start("working")
			guardian := parentOf(t, s.agentID().PID)
			killed := time.Now().Truncate(time.Millisecond) // as the journal has it
			if guarded {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				_, _ = s.finish(cmd, out)
				waitFor(t, "the guardian's end", func() bool { return errors.Is(syscall.Kill(guardian, 0), syscall.ESRCH) })
			} else {
				s.dieTogether(cmd, out)
				if said, err := s.command(s.bin, "stop").CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, said)
				}
			}
			events := s.events()
			for _, e := range events[len(events)-3:] { // of the call, the iteration and the run
				if e.Time.Before(killed) == guarded {
					t.Errorf("%s of a run killed at %v is of %v", e.Body.EventType(), killed, e.Time)
				}
			}
		})
	}
}

// TestBrokenPlanOfARunThatDied: the plan is restored before anything reads it.
func TestBrokenPlanOfARunThatDied(t *testing.T) {
	t.Parallel()
	const torn = "      - write: {path: .ralph/feature-x/prd.json, content: '{\"userSt'}\n"
	for name, script := range map[string]string{
		"in its agent's hands": "turns:\n  - steps:\n" + torn + "      - say: working\n      - hang: true\n",
		"after an overload":    "turns:\n  - steps:\n      - say: working\n" + torn + "      - overloaded: true\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScratch(t, script)
			cmd, out := s.start("working")
			waitFor(t, "the plan to be torn", func() bool {
				data, err := os.ReadFile(filepath.Join(s.repo, ".ralph/feature-x/prd.json"))
				return err == nil && len(data) == 8
			})
			if name == "after an overload" {
				waitFor(t, "the wait", func() bool {
					events := s.events()
					_, ok := events[len(events)-1].Body.(journal.WaitStarted)
					return ok
				})
				// The agent is gone: its parent is found through the run's own process.
				s.killChildren(cmd.Process.Pid)
			} else {
				s.killBoth(cmd.Process)
			}
			_ = cmd.Process.Kill()
			_, _ = s.finish(cmd, out)
			s.write(".ralph/replay.yaml", finishes)
			if said := s.runToEnd(); !strings.Contains(said, "the last run was cut off") {
				t.Errorf("it does not say what happened: %s", said)
			}
		})
	}
}

// killChildren kills the processes that a process has started.
func (s *scratch) killChildren(pid int) {
	s.t.Helper()
	out, err := s.command("pgrep", "-P", strconv.Itoa(pid)).Output()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, child := range strings.Fields(string(out)) {
		if err := s.command("kill", "-9", child).Run(); err != nil {
			s.t.Fatal(err)
		}
	}
}

// TestTokensOfACallThatWasCutOff: the tokens that the agent had reported count once.
func TestTokensOfACallThatWasCutOff(t *testing.T) {
	t.Parallel()
	s := newScratch(t, `turns:
  - steps:
      - raw: '{"type":"result","subtype":"success","is_error":false,"result":"x","total_cost_usd":0.5,"usage":{"input_tokens":7,"output_tokens":3}}

          '
      - hang: true
`)
	cmd, out := s.start("session ended")
	s.killBoth(cmd.Process)
	_, _ = s.finish(cmd, out)
	s.write(".ralph/replay.yaml", finishes)
	s.runToEnd("--no-archive")
	var calls, iterations, runs []int64
	for _, e := range s.events() {
		switch b := e.Body.(type) {
		case journal.AttemptEnded:
			calls = append(calls, b.Tokens.Total())
		case journal.IterationEnded:
			iterations = append(iterations, b.Tokens.Total())
		case journal.RunEnded:
			runs = append(runs, b.Tokens.Total())
		}
	}
	for what, got := range map[string][]int64{"calls": calls, "iterations": iterations, "runs": runs} {
		if len(got) != 2 || got[0] != 10 || got[1] != 7 {
			t.Errorf("the tokens of the %s are %v, want 10 and 7", what, got)
		}
	}
}

// TestCheckKillsTheGuardian: its death says nothing about the project.
func TestCheckKillsTheGuardian(t *testing.T) {
	t.Parallel()
	s := newScratch(t, finishes)
	s.env = append(s.env, "RALPH_SANDBOX=off") // a room has no guardian to kill
	s.write(".ralph/config.yaml", "proof: {mode: inplace}\nquality_checks:\n  unit: \"test ! -e one.txt || test -e ../once || { : > ../once; kill -9 $PPID; sleep 600; }\"\n")
	s.runToEnd("--no-archive")
	if _, err := os.Stat(filepath.Join(s.repo, "../once")); err != nil {
		t.Fatal("the check killed nobody")
	}
	s.nothingLeft()
}

// TestIterationThatRalphCouldNotFinish is on record all the same.
func TestIterationThatRalphCouldNotFinish(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "turns:\n  - steps:\n      - say: working\n      - write: {path: .git/HEAD, content: nonsense}\n      - tokens: {input: 7}\n")
	cmd, out := s.start("working")
	if rest, code := s.finish(cmd, out); code != 1 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
	events := s.events()
	last, ok := events[len(events)-2].Body.(journal.IterationEnded)
	if !ok || last.Tokens.Total() != 7 || last.Error == "" || last.Outcome != "interrupted" {
		t.Errorf("the record of the iteration: %+v", events[len(events)-2].Body)
	}
}

// TestArchiveThatWasCutOff is completed by the next run, which then has nothing to do.
func TestArchiveThatWasCutOff(t *testing.T) {
	t.Parallel()
	s := newScratch(t, finishes)
	s.runToEnd("--no-archive")
	state := filepath.Join(s.repo, ".git/ralph/feature-x")
	s.write(".git/ralph/feature-x/archiving.json", `{"name": "20260102-030405-feature-x", "unit": "feature-x", "archivedAt": "2026-01-02T03:04:05Z", "state": [{"from": "journal.jsonl", "to": "journal.jsonl"}]}`)
	s.write(".ralph/archive/.keep", "")
	out, err := s.command(s.bin, "run", "--harness", "replay").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "an archive of feature-x had been cut off, and is finished now") {
		t.Errorf("%v: %s", err, out)
	}
	for _, name := range []string{"archiving.json", journal.FileName} {
		if _, err := os.Stat(filepath.Join(state, name)); err == nil {
			t.Errorf("%s is still in the state directory", name)
		}
	}
	if _, err := os.Stat(filepath.Join(s.repo, ".ralph/archive/20260102-030405-feature-x", journal.FileName)); err != nil {
		t.Error(err)
	}
}

// TestStatusFilesOfARunThatDiedAtItsEnd: its end is in the journal, but not in the files.
func TestStatusFilesOfARunThatDiedAtItsEnd(t *testing.T) {
	t.Parallel()
	s := newScratch(t, finishes)
	s.runToEnd("--no-archive")
	s.write(".ralph/feature-x/status.json", `{"status": "running"}`)
	s.write(".ralph/feature-x/.status.json4711", `{"sta`)
	s.write(".claude/ralph-terminal.pid", "4711\n")
	s.write(".ralph/feature-x/prd.json", "{}") // the run itself ends before it begins
	if out, err := s.command(s.bin, "run", "--harness", "replay").CombinedOutput(); err == nil {
		t.Fatalf("a broken plan: %s", out)
	}
	status, err := os.ReadFile(filepath.Join(s.repo, ".ralph/feature-x/status.json"))
	if err != nil || !strings.Contains(string(status), `"status": "completed"`) {
		t.Errorf("%v: %s", err, status)
	}
	for _, left := range []string{".claude/ralph-terminal.pid", ".ralph/feature-x/.status.json4711"} {
		if _, err := os.Stat(filepath.Join(s.repo, left)); err == nil {
			t.Errorf("%s is still there", left)
		}
	}
}
