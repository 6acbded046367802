package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

const limited = `
turns:
  - attempt: 1
    iteration: 1
    steps:
      - limit: {resets_in: 2s, window: five_hour}
  - steps:
      - say: "evil \e]0;title\a and \e[2J gone"
      - write: {path: one.txt, content: "1\n"}
      - git_commit: one
      - tick: STORY-001
`

// onTerminal runs ralph on a terminal of its own, types answer when the prompt
// shows up, and returns all that the terminal was sent and the exit status.
func (s *scratch) onTerminal(prompt, answer string, env ...string) (string, int) {
	s.t.Helper()
	cmd := s.command(s.bin, "run", "--harness", "replay", "--pause", "0")
	cmd.Env = append(cmd.Env, append([]string{"TERM=xterm-256color", "LANG=C.UTF-8"}, env...)...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 30, Cols: 100})
	if err != nil {
		s.t.Fatal(err)
	}
	defer tty.Close()
	timer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	var screen bytes.Buffer
	answered := false
	buf := make([]byte, 4096)
	for {
		n, err := tty.Read(buf)
		screen.Write(buf[:n])
		if !answered && strings.Contains(screen.String(), prompt) {
			answered = true
			if _, err := io.WriteString(tty, answer); err != nil {
				s.t.Fatal(err)
			}
		}
		if err != nil { // Linux says EIO when the last process has closed its end
			break
		}
	}
	_ = cmd.Wait()
	return screen.String(), cmd.ProcessState.ExitCode()
}

func TestTerminalAsksAtTheLimitAndWaits(t *testing.T) {
	t.Parallel()
	s := newScratch(t, limited)
	screen, code := s.onTerminal("[y/N]", "y\r", "NO_COLOR=")
	if code != 0 {
		t.Fatalf("exit status %d\n%s", code, screen)
	}
	for _, want := range []string{"\x1b]2;Ralph: repo [1/20]\a", "\x1b]2;Ralph: repo [done]\a", "\x1b[32m", "waiting until"} {
		if !strings.Contains(screen, want) {
			t.Errorf("the terminal was not sent %q\n%q", want, screen)
		}
	}
	if strings.Contains(screen, "\x1b]0;") || strings.Contains(screen, "\x1b[2J") {
		t.Error("a control sequence of the agent reached the terminal")
	}
}

func TestTerminalNoAtTheLimit(t *testing.T) {
	t.Parallel()
	s := newScratch(t, limited)
	screen, code := s.onTerminal("[y/N]", "n\r", "TERM=dumb")
	if code != 2 || !strings.Contains(screen, "resumes at") || strings.Contains(screen, "\x1b") {
		t.Errorf("exit status %d\n%s", code, screen)
	}
	if strings.Contains(screen, "\x1b[32m") || strings.Contains(screen, "\x1b[31m") {
		t.Error("there is colour in spite of NO_COLOR")
	}
}

func TestTerminalCtrlC(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	screen, code := s.onTerminal("working", "\x03")
	if code != 130 || !strings.Contains(screen, "stopping, up to 5s") {
		t.Errorf("exit status %d\n%s", code, screen)
	}
	s.nothingLeft()
}
