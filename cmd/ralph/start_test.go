package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/testprogram"
)

// background calls ralph start and returns what it says, in order, and the exit
// status.
func (s *scratch) background(args ...string) (string, int) {
	s.t.Helper()
	cmd := s.command(s.bin, append([]string{"start", "--harness", "replay", "--pause", "0"}, args...)...)
	out, _ := cmd.CombinedOutput()
	s.t.Cleanup(s.stopAll)
	return string(out), cmd.ProcessState.ExitCode()
}

// stopAll ends what a test has left in the background. The test's context is over by then,
// and a command of that would not start.
func (s *scratch) stopAll() {
	cmd := exec.Command(s.bin, "stop", "--all")
	cmd.Dir, cmd.Env = s.repo, s.env
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Errorf("ralph stop --all: %v\n%s", err, out)
	}
}

// loopPID returns the process of the last run in the journal.
func (s *scratch) loopPID() int {
	s.t.Helper()
	return int(run.Fold(s.events()).Status().PID)
}

// endsBy waits for the end of the run, and wants its reason.
func (s *scratch) endsBy(want string) {
	s.t.Helper()
	waitFor(s.t, "the end of the run", func() bool {
		events := s.events()
		_, ok := events[len(events)-1].Body.(journal.RunEnded)
		return ok
	})
	if got := reason(s.t, s.events()); got != want {
		s.t.Errorf("the run ended as %s, want %s", got, want)
	}
}

// TestStartOutlivesItsTerminal starts the loop on a terminal, which goes away.
func TestStartOutlivesItsTerminal(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	p := s.onTTY(100, 30, s.bin, "start", "--harness", "replay", "--terminal", "none")
	p.shows("is running without a terminal")
	if code := p.ends(); code != 0 {
		t.Fatalf("exit status %d\n%s", code, p.text())
	}
	p.pty.Close()
	log := filepath.Join(s.repo, ".ralph/feature-x/logs/start.log")
	waitFor(t, "the loop's output", func() bool { data, _ := os.ReadFile(log); return strings.Contains(string(data), "working") })
	agent, pid := s.agentID(), s.loopPID()
	if sid, err := unix.Getsid(pid); err != nil || sid != pid {
		t.Errorf("the loop, process %d, is in the session %d of another (%v)", pid, sid, err)
	}
	if info, err := os.Stat(log); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the log: %v, %v", info, err)
	}
	if !agent.Alive() {
		t.Error("the agent has not outlived the terminal")
	}
	if out, err := s.command(s.bin, "stop").CombinedOutput(); err != nil || !strings.Contains(string(out), "feature-x has stopped") {
		t.Errorf("%v: %s", err, out)
	}
	s.endsBy("stopped")
	s.nothingLeft()
}

// TestStartInTmux finds tmux by itself, and makes a session without a client.
func TestStartInTmux(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	s.withTmux()
	s.env = append(s.env, "MY_API_KEY=hush")
	out, code := s.background("--json")
	var got started
	warning, doc, _ := strings.Cut(out, "\n{\n")
	if !strings.Contains(warning, "exit-unattached would end the loop") {
		t.Errorf("nothing is said of a setting that was changed: %q", warning)
	}
	if err := json.Unmarshal([]byte("{\n"+doc), &got); err != nil || code != 0 || got.Terminal != "tmux" || got.PID != s.loopPID() || got.Log != nil {
		t.Fatalf("exit status %d, %v\n%s", code, err, out)
	}
	if want := "tmux attach -t '=ralph-feature-x'"; got.Attach == nil || *got.Attach != want || got.Run != s.events()[0].Run {
		t.Errorf("%s\nwant the run %s and %s", out, s.events()[0].Run, want)
	}
	s.onScreen("=ralph-feature-x:.{left}", "working")
	s.onScreen("=ralph-feature-x:.{right}", "LIVE")
	if clients := s.tmux("list-clients"); clients != "" {
		t.Errorf("somebody looks: %s", clients)
	}
	if argv, _ := s.command("ps", "-A", "-o", "args=").Output(); strings.Contains(string(argv), "hush") {
		t.Error("the key is in an argv")
	}
	s.tmux("kill-session", "-t", "=ralph-feature-x")
	s.endsBy("stopped")
	s.nothingLeft()
}

// fakeTerminal replaces a terminal program: it records its arguments, and runs the command
// in them.
const fakeTerminal = `#!/bin/sh
printf '%s\n' "$@" >"$FAKE_LOG"
while test "$1" != -e; do shift; done
shift
exec "$@"
`

// withTerminal puts a terminal program on the PATH, in front of everything else.
func (s *scratch) withTerminal(name, script string) (log string) {
	s.t.Helper()
	dir := s.t.TempDir()
	testprogram.Write(s.t, filepath.Join(dir, name), script)
	log = filepath.Join(dir, "called")
	s.env = append(s.env, "PATH="+dir+":"+os.Getenv("PATH"), "FAKE_LOG="+log, "DISPLAY=:99", "XTERM_VERSION=1", "MY_API_KEY=hush")
	return log
}

// TestStartInAWindow says what people of worktree loops are used to.
func TestStartInAWindow(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "darwin" {
		t.Skip("windows are opened by a script there")
	}
	s := newScratch(t, polite)
	log := s.withTerminal("xterm", fakeTerminal)
	s.write("tasks.md", "- [ ] one\n")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "tasks")
	out, code := s.background("a task; $(touch ../owned)", "--max", "10", "--done", "tasks", "--fullscreen", "--stall-threshold", "2", "--iteration-timeout", "45")
	if code != 0 || !strings.Contains(out, "feature-x is running in a window of its own") {
		t.Fatalf("exit status %d\n%s", code, out)
	}
	called, err := os.ReadFile(log)
	pattern := `^-fullscreen\n-T\nRalph: repo\n-e\n` + regexp.QuoteMeta(s.bin) + `\n__handover\n\S+/parcel\n$`
	if err != nil || !regexp.MustCompile(pattern).Match(called) {
		t.Errorf("%v, called with\n%s", err, called)
	}
	first, ok := s.events()[0].Body.(journal.RunStarted)
	if !ok || first.Task != "a task; $(touch ../owned)" || first.MaxIterations != 10 || first.StallThreshold != 2 || first.TimeoutSeconds != 2700 || first.DoneCriteria != "tasks" {
		t.Errorf("the run is %+v", first)
	}
	if err := syscall.Kill(s.loopPID(), syscall.SIGHUP); err != nil { // the window is closed
		t.Fatal(err)
	}
	s.endsBy("stopped")
	s.nothingLeft()
}

// TestStartAsTheSettingsSay opens a window because of the settings, without a flag.
func TestStartAsTheSettingsSay(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "darwin" {
		t.Skip("windows are opened by a script there")
	}
	s := newScratch(t, polite)
	s.withTerminal("xterm", "#!/bin/sh\necho \"called with $1\" >&2\nexit 1\n")
	s.write(".ralph/config.yaml", "start: {terminal: window, fullscreen: true}\n")
	if out, code := s.background(); code != 1 || !strings.Contains(out, "xterm opened no window: exit status 1: called with -fullscreen\n") {
		t.Errorf("exit status %d\n%s", code, out)
	}
}

// TestStartLeavesItsTerminal: the agent must not use the terminal of 'ralph start', and
// others must not be able to read an existing log.
func TestStartLeavesItsTerminal(t *testing.T) {
	t.Parallel()
	s := newScratch(t, `turns: [{steps: [{run: [sh, -c, 'printf "%s|%s" "$TMUX" "$TERM_PROGRAM" >../seen.part; mv ../seen.part ../seen']}, {hang: true}]}]`)
	s.env = append(s.env, "TMUX=/tmp/gone,1,0", "TERM_PROGRAM=theirs")
	s.write("../theirs.txt", "kept")
	log := filepath.Join(s.repo, ".ralph/feature-x/logs/start.log")
	if err := os.MkdirAll(filepath.Dir(log), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(filepath.Dir(s.repo), "theirs.txt"), log); err != nil {
		t.Fatal(err)
	}
	if out, code := s.background("--terminal", "none"); code != 0 {
		t.Fatalf("exit status %d\n%s", code, out)
	}
	waitFor(t, "the agent", exists(filepath.Join(s.repo, "../seen")))
	if seen := s.read("../seen"); seen != "|" {
		t.Errorf("the agent sees the terminal %q", seen)
	}
	if text := s.read("../theirs.txt"); text != "kept" {
		t.Errorf("behind the link there is now %q", text)
	}
}

// TestStartThatFails shows here what went wrong there, and leaves nothing.
func TestStartThatFails(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "darwin" {
		t.Skip("windows are opened by a script there")
	}
	s := newScratch(t, polite)
	s.withTerminal("xterm", "#!/bin/sh\necho warming up >&2\necho \"Can't open display: :99\" >&2\nexit 1\n")
	out, code := s.background("--terminal", "window")
	if want := "xterm opened no window: exit status 1: Can't open display: :99\n"; code != 1 || !strings.Contains(out, want) {
		t.Errorf("exit status %d\n%s", code, out)
	}

	// The loop itself finds the worktree in use, by another unit.
	if out, code := s.background("--terminal", "none"); code != 0 {
		t.Fatalf("exit status %d\n%s", code, out)
	}
	pid := s.loopPID()
	s.git("checkout", "-q", "-b", "feature/y")
	out, code = s.background("--terminal", "none", "--skip-preflight", "--done", "manual", "something else")
	if want := "ralph: this worktree is in use: unit feature-x is already being worked on by ralph (pid " + strconv.Itoa(pid); code != 1 || !strings.Contains(out, want) || !strings.Contains(out, "git worktree add") {
		t.Errorf("exit status %d\n%s", code, out)
	}
}

// TestStartOfALoopThatEndsAtOnce ends as the loop did, with its words.
func TestStartOfALoopThatEndsAtOnce(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	s.write(".ralph/config.yaml", "start: {terminal: none}\n")
	s.write("tasks.md", "- [x] one\n")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "tasks")
	out, code := s.background("--done", "tasks")
	if code != 0 || !strings.Contains(out, "done: ") && !strings.Contains(out, "is running without a terminal") {
		t.Errorf("exit status %d\n%s", code, out)
	}
	s.endsBy("tasks_complete")
	var got started
	out, code = s.background("--done", "tasks", "--json")
	_, doc, _ := strings.Cut(out, "\n{\n") // warnings come first
	if code != 0 || json.Unmarshal([]byte("{\n"+doc), &got) != nil || got.Run == "" {
		t.Errorf("as JSON: exit status %d\n%s", code, out)
	}
}
