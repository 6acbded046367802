package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/testprogram"
)

// patience bounds every wait of these tests; nothing but a fault reaches it.
const patience = 60 * time.Second

// scratch is a repository with a feature of one story, and a ralph to run in it.
type scratch struct {
	t    *testing.T
	bin  string
	repo string
	unit string // the unit of the journal
	env  []string
}

func newScratch(t *testing.T, script string) *scratch {
	t.Helper()
	if testing.Short() {
		t.Skip("plays a run of the whole program")
	}
	dir := t.TempDir()
	s := &scratch{t: t, bin: filepath.Join(dir, "ralph"), repo: filepath.Join(dir, "repo"), unit: "feature-x"}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The name decides what the test binary is; a link has one of its own.
	if err := os.Link(exe, s.bin); err != nil {
		data, err := os.ReadFile(exe)
		if err != nil {
			t.Fatal(err)
		}
		testprogram.Write(t, s.bin, string(data))
	}
	// The agents of these tests report through files next to the repository, which a room
	// does not let them write. What a room does is shown in scripts and with the real agents.
	s.env = append(os.Environ(), "RALPH_SANDBOX=off", "GORACE=atexit_sleep_ms=0", "RALPH_NOTIFY_DESKTOP=false", "RALPH_KEEP_AWAKE=false", "HOME="+dir, "RALPH_HOME="+filepath.Join(dir, ".home"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=tester", "GIT_AUTHOR_EMAIL=t@example.invalid", "GIT_COMMITTER_NAME=tester", "GIT_COMMITTER_EMAIL=t@example.invalid")
	s.write(".ralph/feature-x/spec.md", "---\ncreated: 2026-01-02T03:04:05Z\n---\n# X\n\n## Problem Statement\n\nX.\n\n## Success Criteria\n\n- [ ] X\n\n## User Stories\n\n"+
		"### STORY-001: One\n\n**Acceptance Criteria:**\n- [ ] Typecheck passes\n- [ ] Unit tests pass\n\n## Out of Scope\n\n- Y\n")
	s.write(".ralph/feature-x/prd.json", `{"description": "X", "createdAt": "2026-01-02T03:04:05Z", "userStories": [{"id": "STORY-001", "title": "One",
		"acceptanceCriteria": ["Typecheck passes", "Unit tests pass"], "priority": 1, "passes": false, "notes": ""}]}`)
	s.write(".ralph/feature-x/progress.txt", "# Progress Log: feature-x\n\n")
	s.write(".ralph/replay.yaml", script)
	s.git("init", "-q")
	s.git("checkout", "-q", "-b", "feature/x")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "a plan")
	return s
}

func (s *scratch) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.repo, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scratch) git(args ...string) {
	s.t.Helper()
	if out, err := s.command("git", args...).CombinedOutput(); err != nil {
		s.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (s *scratch) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(s.t.Context(), name, args...)
	cmd.Dir, cmd.Env = s.repo, s.env
	return cmd
}

// start runs ralph until its output holds a text.
func (s *scratch) start(until string, args ...string) (*exec.Cmd, *bufio.Reader) {
	s.t.Helper()
	cmd := s.command(s.bin, append([]string{"run", "--harness", "replay", "--pause", "0"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	timer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	r := bufio.NewReader(out)
	for {
		line, err := r.ReadString('\n')
		if strings.Contains(line, until) {
			return cmd, r
		}
		if err != nil {
			s.t.Fatalf("ralph ended before it said %q", until)
		}
	}
}

// finish waits for the end of ralph and returns the rest of its output.
func (s *scratch) finish(cmd *exec.Cmd, r io.Reader) (string, int) {
	s.t.Helper()
	timer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	rest, _ := io.ReadAll(r)
	err := cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return string(rest), exit.ExitCode()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return string(rest), 0
}

func (s *scratch) events() []journal.Event {
	s.t.Helper()
	events, damage, err := journal.ReadFile(filepath.Join(s.repo, ".git", "ralph", s.unit, journal.FileName))
	if err != nil || damage.Lines > 0 {
		s.t.Fatalf("the journal: %v, %+v", err, damage)
	}
	return events
}

// agentID is the identity of the agent that was started last.
func (s *scratch) agentID() proc.ID {
	s.t.Helper()
	var id proc.ID
	for _, e := range s.events() {
		if b, ok := e.Body.(journal.AgentStarted); ok {
			id = proc.ID{PID: b.PID, Start: b.PIDStart}
		}
	}
	if id.PID == 0 {
		s.t.Fatal("the journal names no agent")
	}
	return id
}

// token is that of the last run.
func (s *scratch) token() string {
	s.t.Helper()
	token := ""
	for _, e := range s.events() {
		if b, ok := e.Body.(journal.RunStarted); ok {
			token = b.Token
		}
	}
	return token
}

// sleeping counts the sleeps that a run left alive.
func sleeping(t *testing.T, token string) (n int) {
	t.Helper()
	alive, err := proc.ByToken(token)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range alive {
		if p.Name == "sleep" {
			n++
		}
	}
	return n
}

// nothingLeft fails where anything of the last run is alive.
func (s *scratch) nothingLeft() {
	s.t.Helper()
	// The end is on record a moment before the loop and its guardian are gone.
	token := s.token()
	waitFor(s.t, "the end of all processes of the run", func() bool {
		left, err := proc.ByToken(token)
		return len(left) == 0 && err == nil
	})
}

const hangs = `
turns:
  - steps:
      - ignore_signals: [INT, TERM, HUP]
      - spawn: {argv: [sleep, "600"], setsid: true}
      - say: working
      - hang: true
`

const polite = `
turns:
  - steps:
      - spawn: {argv: [sleep, "600"], setsid: true}
      - say: working
      - hang: true
`

func TestSignalsEndTheRunAndEverythingItStarted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		script string
		signal syscall.Signal
		exit   int
		reason string
	}{
		{"INT", polite, syscall.SIGINT, 130, "interrupted"},
		{"TERM", polite, syscall.SIGTERM, 143, "stopped"},
		{"HUP", polite, syscall.SIGHUP, 143, "stopped"},
		{"INT to a deaf agent", hangs, syscall.SIGINT, 130, "interrupted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScratch(t, c.script)
			cmd, out := s.start("working")
			for range 3 { // a user presses Ctrl-C more than once
				if err := cmd.Process.Signal(c.signal); err != nil {
					t.Fatal(err)
				}
			}
			rest, code := s.finish(cmd, out)
			if code != c.exit {
				t.Errorf("exit status %d, want %d\n%s", code, c.exit, rest)
			}
			s.nothingLeft()
			events := s.events()
			last, ok := events[len(events)-1].Body.(journal.RunEnded)
			if !ok || string(last.Reason) != c.reason || last.ExitCode != c.exit {
				t.Errorf("the journal ends with %+v", events[len(events)-1].Body)
			}
		})
	}
}

func TestStopFromElsewhere(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	cmd, out := s.start("working")
	if msg, err := s.command(s.bin, "stop", "--all").CombinedOutput(); err != nil || !strings.Contains(string(msg), "asked feature-x") {
		t.Fatalf("%v: %s", err, msg)
	}
	if rest, code := s.finish(cmd, out); code != 143 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
	s.nothingLeft()
	msg, err := s.command(s.bin, "stop", "--all").CombinedOutput()
	if err != nil || !strings.Contains(string(msg), "no loop is running") {
		t.Errorf("a second stop: %v: %s", err, msg)
	}
	msg, err = s.command(s.bin, "stop").CombinedOutput()
	if err != nil || !strings.Contains(string(msg), "no loop is running") {
		t.Errorf("a second stop: %v: %s", err, msg)
	}
}

// TestKilledRalph kills ralph with -9 in the middle of an iteration: the agent dies, the
// crash is in the journal, the next run continues.
func TestKilledRalph(t *testing.T) {
	t.Parallel()
	s := newScratch(t, hangs)
	cmd, out := s.start("working")
	agent := s.agentID()
	guardian := parentOf(t, agent.PID)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = s.finish(cmd, out)
	waitFor(t, "the agent's death", func() bool { return !agent.Alive() })
	waitFor(t, "the guardian's end", func() bool { return errors.Is(syscall.Kill(guardian, 0), syscall.ESRCH) })
	events := s.events()
	if last, ok := events[len(events)-1].Body.(journal.RunEnded); !ok || last.Reason != "crashed" {
		t.Errorf("the journal ends with %+v", events[len(events)-1].Body)
	}
	s.nothingLeft()
	status, err := s.command(s.bin, "status", "--json").Output()
	if err != nil || !strings.Contains(string(status), `"reason": "crashed"`) || !strings.Contains(string(status), `"alive": false`) {
		t.Errorf("status: %v\n%s", err, status)
	}

	s.write(".ralph/replay.yaml", "turns:\n  - steps:\n      - write: {path: one.txt, content: x}\n      - git_commit: one\n      - tick: STORY-001\n")
	cmd, out = s.start("Iteration: 1/20")
	if rest, code := s.finish(cmd, out); code != 0 {
		t.Errorf("the next run ended with %d\n%s", code, rest)
	}
}

// TestKilledGuardian kills the guardian too: then the next run cleans up.
func TestKilledGuardian(t *testing.T) {
	t.Parallel()
	s := newScratch(t, hangs)
	cmd, out := s.start("working")
	agent := s.agentID()
	guardian := parentOf(t, agent.PID)
	if err := syscall.Kill(guardian, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = s.finish(cmd, out)
	s.write(".ralph/replay.yaml", "turns:\n  - steps:\n      - write: {path: one.txt, content: x}\n      - git_commit: one\n      - tick: STORY-001\n")
	cmd, out = s.start("Iteration: 1/20", "--no-archive")
	if rest, code := s.finish(cmd, out); code != 0 {
		t.Errorf("the next run ended with %d\n%s", code, rest)
	}
	if agent.Alive() {
		t.Error("the agent of the run that died is alive")
	}
	crashes := 0
	for _, e := range s.events() {
		if b, ok := e.Body.(journal.RunEnded); ok && b.Reason == "crashed" {
			crashes++
		}
	}
	if crashes != 1 {
		t.Errorf("the crash is on record %d times", crashes)
	}
}

// parentOf returns the parent's process id from ps, on every system.
func parentOf(t *testing.T, pid int) int {
	t.Helper()
	out, err := exec.Command("ps", "-o", "ppid=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		t.Fatal(err)
	}
	ppid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	return ppid
}

// waitFor polls for something that another process does.
func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	timeout := time.After(patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-timeout:
			t.Fatalf("waited too long for %s", what)
		case <-tick.C:
		}
	}
}

func TestOneLoopPerUnitAndWorktree(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	cmd, out := s.start("working")
	msg, err := s.command(s.bin, "run", "--harness", "replay").CombinedOutput()
	if err == nil || !strings.Contains(string(msg), "already being worked on by ralph (pid "+strconv.Itoa(cmd.Process.Pid)) {
		t.Errorf("a second loop: %v: %s", err, msg)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if rest, code := s.finish(cmd, out); code != 143 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
}

// TestStopAfterEverythingWasTicked stops an agent that has marked all there is:
// nothing of it was checked, so nothing is done, and the next run looks first.
func TestStopAfterEverythingWasTicked(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "turns:\n  - steps:\n      - write: {path: bad.txt, content: x}\n      - git_commit: bad\n      - tick: STORY-001\n      - say: working\n      - hang: true\n")
	s.write(".ralph/config.yaml", "quality_checks:\n  unit: test ! -e bad.txt\n")
	cmd, out := s.start("working")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	rest, code := s.finish(cmd, out)
	if code != 143 || strings.Contains(rest, "done:") {
		t.Errorf("exit status %d\n%s", code, rest)
	}
	s.write(".ralph/replay.yaml", "turns: [{steps: [{say: nothing}]}]\n")
	cmd, out = s.start("not accepted: STORY-001", "-n", "1")
	if rest, code = s.finish(cmd, out); code != 1 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
	if data, err := os.ReadFile(filepath.Join(s.repo, ".ralph/feature-x/prd.json")); err != nil || !strings.Contains(string(data), `"passes": false`) {
		t.Errorf("the story is believed: %v\n%s", err, data)
	}
}

// TestTickForWorkOfARunThatDied finishes in the next run what was committed
// before a crash: the work is there, only the mark was missing.
func TestTickForWorkOfARunThatDied(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "turns:\n  - steps:\n      - write: {path: one.txt, content: x}\n      - git_commit: one\n      - say: working\n      - hang: true\n")
	s.write(".ralph/config.yaml", "quality_checks:\n  unit: \"true\"\n")
	cmd, out := s.start("working")
	guardian := parentOf(t, s.agentID().PID)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = s.finish(cmd, out)
	waitFor(t, "the guardian's end", func() bool { return errors.Is(syscall.Kill(guardian, 0), syscall.ESRCH) })
	s.write(".ralph/replay.yaml", "turns: [{steps: [{tick: STORY-001}]}]\n")
	cmd, out = s.start("Iteration: 1/20")
	if rest, code := s.finish(cmd, out); code != 0 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
}
