package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ralph/internal/journal"
	"ralph/internal/proc"
)

// worktree is a second worktree of the repository, with a feature of its own.
func (s *scratch) worktree(branch string) *scratch {
	s.t.Helper()
	other := *s
	unit := strings.ReplaceAll(branch, "/", "-")
	other.repo = filepath.Join(filepath.Dir(s.repo), unit)
	s.git("worktree", "add", "-q", "-b", branch, other.repo)
	if err := os.Rename(filepath.Join(other.repo, ".ralph/feature-x"), filepath.Join(other.repo, ".ralph", unit)); err != nil {
		s.t.Fatal(err)
	}
	return &other
}

// reason is how the last run of a journal ended.
func reason(t *testing.T, events []journal.Event) string {
	t.Helper()
	if len(events) > 0 {
		if b, ok := events[len(events)-1].Body.(journal.RunEnded); ok {
			return string(b.Reason)
		}
	}
	t.Error("the journal does not end with the end of a run")
	return ""
}

func TestStopWaitsUntilTheLoopHasEnded(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	cmd, out := s.start("working")
	msg, err := s.command(s.bin, "stop").CombinedOutput()
	if err != nil || string(msg) != "asked feature-x to stop\nfeature-x has stopped\n" {
		t.Errorf("%v: %q", err, msg)
	}
	if got := reason(t, s.events()); got != "stopped" {
		t.Errorf("the run ended as %s", got)
	}
	s.nothingLeft()
	rest, code := s.finish(cmd, out)
	if code != 143 || strings.Count(rest, "stopping, up to 5s") != 1 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
}

// TestStopOfASuspendedLoop: a loop that Ctrl-Z has stopped hears nothing until it
// is woken.
func TestStopOfASuspendedLoop(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	cmd, out := s.start("working")
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if msg, err := s.command(s.bin, "stop").CombinedOutput(); err != nil || !strings.Contains(string(msg), "feature-x has stopped") {
		t.Errorf("%v: %s", err, msg)
	}
	if rest, code := s.finish(cmd, out); code != 143 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
	s.nothingLeft()
}

// TestStopWithAStoppedGuardian: the guardian hears nothing either until it is woken.
func TestStopWithAStoppedGuardian(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	cmd, out := s.start("working")
	if err := syscall.Kill(parentOf(t, s.agentID().PID), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if msg, err := s.command(s.bin, "stop").CombinedOutput(); err != nil || !strings.Contains(string(msg), "feature-x has stopped") {
		t.Errorf("%v: %s", err, msg)
	}
	if rest, code := s.finish(cmd, out); code != 143 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
	s.nothingLeft()
}

// TestStopWithAnUnreadableLock: if the lock does not name the unit of the running loop, the
// journal does.
func TestStopWithAnUnreadableLock(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	cmd, out := s.start("working")
	if err := os.WriteFile(filepath.Join(s.repo, ".git/ralph/feature-x/lock"), []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	if msg, err := s.command(s.bin, "stop").CombinedOutput(); err != nil || !strings.Contains(string(msg), "feature-x has stopped") {
		t.Errorf("%v: %s", err, msg)
	}
	if rest, code := s.finish(cmd, out); code != 143 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
	s.nothingLeft()
}

// TestStopWithAnotherLoop: a dead run is not shown as running because another unit's loop
// is running, but its remaining processes are ended.
func TestStopWithAnotherLoop(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	cmd, out := s.start("working")
	s.dieTogether(cmd, out)
	self, err := proc.Self()
	if err != nil {
		t.Fatal(err)
	}
	lock, err := journal.Acquire(t.Context(), filepath.Join(s.repo, ".git/ralph"),
		journal.Holder{Unit: "feature-y", PID: self.PID, PIDStart: self.Start}, 0)
	if err != nil {
		t.Fatal(err)
	}
	msg, err := s.command(s.bin, "stop", "feature-x").CombinedOutput()
	if want := "its remaining processes are ended, and the journal records it when the loop of feature-y has ended\n"; err != nil || !strings.HasSuffix(string(msg), want) {
		t.Errorf("%v: %s", err, msg)
	}
	s.nothingLeft()
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	if msg, err := s.command(s.bin, "stop").CombinedOutput(); err != nil || !strings.Contains(string(msg), "the journal records it") {
		t.Errorf("%v: %s", err, msg)
	}
	if got := reason(t, s.events()); got != "crashed" {
		t.Errorf("the run ended as %s", got)
	}
}

func TestStopAllEndsEveryLoop(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	other := s.worktree("feature/y")
	cmd1, out1 := s.start("working")
	cmd2, out2 := other.start("working", "--skip-preflight")
	msg, err := s.command(s.bin, "stop", "--all").CombinedOutput()
	for _, want := range []string{"asked feature-x in ", "asked feature-y in ", "feature-x has stopped\n", "feature-y has stopped\n"} {
		if err != nil || !strings.Contains(string(msg), want) {
			t.Errorf("%v: %q is missing: %s", err, want, msg)
		}
	}
	if rest, code := s.finish(cmd1, out1); code != 143 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
	if rest, code := other.finish(cmd2, out2); code != 143 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
	s.nothingLeft()
}

// TestOneLoopPerWorktree switches the branch under a running loop: the unit of the
// new branch must not work in the same files.
func TestOneLoopPerWorktree(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	cmd, out := s.start("working")
	s.git("checkout", "-q", "-b", "feature/y")
	s.git("mv", ".ralph/feature-x/spec.md", ".ralph/feature-x/progress.txt", ".ralph/")
	msg, err := s.command(s.bin, "run", "--harness", "replay", "--skip-preflight", "do something else").CombinedOutput()
	pattern := `this worktree is in use: unit feature-x is already being worked on by ralph \(pid ` + strconv.Itoa(cmd.Process.Pid) +
		` on \S+, since \d\d:\d\d\); stop it with 'ralph stop feature-x'\n.*git worktree add \.\./feature-y\n`
	if err == nil || !regexp.MustCompile(pattern).Match(msg) {
		t.Errorf("a second unit: %v: %s", err, msg)
	}
	if msg, err := s.command(s.bin, "stop", "feature-x").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, msg)
	}
	s.finish(cmd, out)
}

// TestTwoWorktreesShareTheLedger runs two loops at once: no call is lost or
// counted twice.
func TestTwoWorktreesShareTheLedger(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "otherwise: [{say: working}]\n")
	other := s.worktree("feature/y")
	const each = 8
	args := []string{"-n", strconv.Itoa(each), "--stall-threshold", "100", "--skip-preflight"}
	cmd1, out1 := s.start("Iteration: 1/", args...)
	cmd2, out2 := other.start("Iteration: 1/", args...)
	for _, end := range []func() (string, int){func() (string, int) { return s.finish(cmd1, out1) }, func() (string, int) { return other.finish(cmd2, out2) }} {
		if rest, code := end(); code != 1 {
			t.Errorf("exit status %d\n%s", code, rest)
		}
	}
	events := s.events()
	theirs, _, err := journal.ReadFile(filepath.Join(s.repo, ".git/worktrees/feature-y/ralph/feature-y", journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	calls, seen := 0, map[string]bool{}
	for _, e := range append(events, theirs...) {
		if b, ok := e.Body.(journal.AttemptStarted); ok {
			calls++
			seen[b.CallsResetAt.String()+" "+strconv.Itoa(b.CallsUsed)] = true // the count starts again each hour
		}
	}
	if calls != 2*each || len(seen) != calls {
		t.Errorf("%d calls, of which %d were counted", calls, len(seen))
	}
}
