package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"ralph/internal/journal"
	"ralph/internal/proc"
)

const oneStory = "turns:\n  - steps:\n      - write: {path: one.txt, content: x}\n      - git_commit: one\n      - tick: STORY-001\n"

// TestSignalDuringACheck ends a check that hangs; what it was to judge is open.
func TestSignalDuringACheck(t *testing.T) {
	t.Parallel()
	s := newScratch(t, oneStory)
	s.write(".ralph/config.yaml", "quality_checks:\n  slow: test ! -e one.txt || sleep 600\n")
	cmd, out := s.start("running check slow")
	for range 3 {
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
	}
	rest, code := s.finish(cmd, out)
	if code != 130 || strings.Count(rest, "stopping, up to 5s") != 1 || strings.Contains(rest, "STORY-001 done") {
		t.Errorf("exit status %d\n%s", code, rest)
	}
	s.nothingLeft()
	if got := reason(t, s.events()); got != "interrupted" {
		t.Errorf("the run ended as %s", got)
	}
}

// TestSignalDuringAWait ends a run that waits for the hour to turn.
func TestSignalDuringAWait(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "otherwise: [{say: working}]\n")
	cmd, out := s.start("waiting until ", "--rate-limit", "1", "--stall-threshold", "9")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if rest, code := s.finish(cmd, out); code != 143 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
	if got := reason(t, s.events()); got != "stopped" {
		t.Errorf("the run ended as %s", got)
	}
}

// TestSignalDuringTheArchive: a feature that is done is put away whole.
func TestSignalDuringTheArchive(t *testing.T) {
	t.Parallel()
	s := newScratch(t, oneStory)
	cmd, out := s.start(`"type":"run_ended"`, "--json")
	for range 3 {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have gone
	}
	if rest, code := s.finish(cmd, out); code != 0 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
	archives, err := filepath.Glob(filepath.Join(s.repo, ".ralph/archive/*-feature-x/prd.json"))
	if err != nil || len(archives) != 1 {
		t.Errorf("archives: %q, %v", archives, err)
	}
	if _, err := os.Stat(filepath.Join(s.repo, ".ralph/feature-x")); err == nil {
		t.Error("the feature is in its place too")
	}
}

// expect reads a terminal until it shows a text.
type expect struct {
	t    *testing.T
	tty  *os.File
	seen bytes.Buffer
}

func (e *expect) until(text string) {
	e.t.Helper()
	buf := make([]byte, 4096)
	for !strings.Contains(e.seen.String(), text) {
		n, err := e.tty.Read(buf)
		e.seen.Write(buf[:n])
		if err != nil {
			e.t.Fatalf("the terminal never showed %q:\n%s", text, e.seen.String())
		}
	}
	_, after, _ := strings.Cut(e.seen.String(), text)
	e.seen = *bytes.NewBufferString(after)
}

func (e *expect) typed(text string) {
	e.t.Helper()
	if _, err := io.WriteString(e.tty, text); err != nil {
		e.t.Fatal(err)
	}
}

// shell starts a shell with job control on a terminal of its own.
func (s *scratch) shell() (*expect, *exec.Cmd) {
	s.t.Helper()
	cmd := s.command("/bin/sh", "-i")
	cmd.Env = append(cmd.Env, "PS1=ready> ", "ENV=", "TERM=xterm", "NO_COLOR=1")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		s.t.Fatal(err)
	}
	timer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	s.t.Cleanup(func() { timer.Stop(); tty.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	e := &expect{t: s.t, tty: tty}
	e.until("ready> ")
	return e, cmd
}

// waitsForGo is an agent that works until a file allows it to continue.
const waitsForGo = `
turns:
  - steps:
      - say: busy with it
      - run: [sh, -c, "while ! test -e ../go; do sleep 0.02; done"]
      - write: {path: one.txt, content: x}
      - git_commit: one
      - tick: STORY-001
`

// TestCtrlZAndForeground suspends ralph as a user does. The agent works on and ends
// meanwhile: the iteration counts as usual.
func TestCtrlZAndForeground(t *testing.T) {
	t.Parallel()
	s := newScratch(t, waitsForGo)
	e, _ := s.shell()
	e.typed(s.bin + " run --harness replay --pause 0 --no-archive; echo status=$?\r")
	e.until("busy with it")
	agent := s.agentID()
	e.typed("\x1a")
	e.until("ready> ")
	s.write("../go", "")
	waitFor(t, "the agent's end", func() bool { return !agent.Alive() })
	e.typed("fg; echo status=$?\r")
	e.until("done: 1 of 1 stories pass")
	e.until("status=0")
	for _, ev := range s.events() {
		if b, ok := ev.Body.(journal.IterationEnded); ok && b.Outcome != "ok" {
			t.Errorf("the iteration ended as %s: %s", b.Outcome, b.Error)
		}
	}
	s.nothingLeft()
}

// TestTerminalThatGoesAway closes the terminal under a run.
func TestTerminalThatGoesAway(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	cmd := s.command(s.bin, "run", "--harness", "replay")
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	(&expect{t: t, tty: tty}).until("working")
	tty.Close()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 143 {
		t.Errorf("exit status %d", code)
	}
	if got := reason(t, s.events()); got != "stopped" {
		t.Errorf("the run ended as %s", got)
	}
	s.nothingLeft()
}

// TestCrashNotifies kills ralph: the user is notified.
func TestCrashNotifies(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	s.write("../.home/config.yaml", "notify:\n  command: [sh, -c, 'cat >>../notices']\n")
	cmd, out := s.start("working")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.finish(cmd, out)
	notices := ""
	waitFor(t, "the notice", func() bool {
		data, _ := os.ReadFile(filepath.Join(s.repo, "../notices"))
		notices = string(data)
		return strings.HasSuffix(notices, "\n")
	})
	if !strings.HasPrefix(notices, `{"event":"failed","unit":"feature-x"`) || !strings.Contains(notices, `"reason":"crashed"`) {
		t.Error(notices)
	}
}

// TestNohup: a loop under nohup survives the end of its terminal.
func TestNohup(t *testing.T) {
	t.Parallel()
	s := newScratch(t, waitsForGo)
	cmd := s.command("/bin/sh", "-c", `trap "" HUP; exec "$0" run --harness replay --pause 0`, s.bin)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	lines := bufio.NewReader(out)
	for line := ""; !strings.Contains(line, "busy with it"); {
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	s.write("../go", "")
	if rest, code := s.finish(cmd, lines); code != 0 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
}

// TestSignalToACommandThatWaits ends "ralph stop" while it waits for a loop that
// does not answer: this test, by what the lock says.
func TestSignalToACommandThatWaits(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	self, err := proc.Self()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(s.repo, ".git", "ralph", "feature-x")
	lock, err := journal.Acquire(t.Context(), dir, journal.Holder{Unit: "feature-x", PID: self.PID, PIDStart: self.Start, Since: time.Now()}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		cmd := s.command(s.bin, "stop")
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		r := bufio.NewReader(out)
		if line, err := r.ReadString('\n'); err != nil || line != "asked feature-x to stop\n" {
			t.Fatalf("%q, %v", line, err)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if rest, code := s.finish(cmd, r); code != want || rest != "" || said.Len() > 0 {
			t.Errorf("%v: exit status %d, want %d: %s%s", sig, code, want, rest, said.String())
		}
	}
}
