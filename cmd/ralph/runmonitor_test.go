package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"ralph/internal/journal"
	"ralph/internal/testprogram"
)

// hostileTmux are settings of a user that break programs which trust the defaults.
const hostileTmux = `
set -g default-shell /bin/false
set -g base-index 7
set -g pane-base-index 3
set -g remain-on-exit on
set -g destroy-unattached on
set -g renumber-windows on
set -g mouse on
set -s exit-unattached on
`

// withTmux gives the scratch repository a tmux server of its own, with a user's
// hostile settings.
func (s *scratch) withTmux() {
	s.t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("CI") != "" {
			s.t.Fatal("no tmux to test with, where nothing may be left out: run tests/setup")
		}
		s.t.Skip("no tmux to test with")
	}
	// The socket's address holds about a hundred bytes: the test's own folder may
	// be too deep for it.
	dir, err := os.MkdirTemp("/tmp", "ralph-test-")
	if err != nil {
		s.t.Fatal(err)
	}
	s.write("../.tmux.conf", hostileTmux)
	s.env = append(s.env, "TMUX_TMPDIR="+dir, "LANG=C.UTF-8", "TERM=xterm-256color", "TMUX=", "TMUX_PANE=", "XDG_RUNTIME_DIR=")
	s.t.Cleanup(func() {
		kill := exec.Command("tmux", "kill-server")
		kill.Env = s.env
		_ = kill.Run()
		os.RemoveAll(dir)
	})
}

// tmux calls tmux and returns its output; nothing without a server.
func (s *scratch) tmux(args ...string) string {
	out, _ := s.command("tmux", args...).Output()
	return strings.TrimSpace(string(out))
}

// onScreen waits until a pane shows a text.
func (s *scratch) onScreen(pane, text string) {
	s.t.Helper()
	waitFor(s.t, text+" in "+pane, func() bool { return strings.Contains(s.tmux("capture-pane", "-p", "-t", pane), text) })
}

// tty is a program on a terminal of its own.
type tty struct {
	t   *testing.T
	cmd *exec.Cmd
	pty *os.File
	mu  sync.Mutex
	out bytes.Buffer
	eof chan struct{}
}

func (s *scratch) onTTY(cols, rows uint16, name string, args ...string) *tty {
	s.t.Helper()
	cmd := s.command(name, args...)
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: rows, Cols: cols})
	if err != nil {
		s.t.Fatal(err)
	}
	p := &tty{t: s.t, cmd: cmd, pty: file, eof: make(chan struct{})}
	go func() {
		defer close(p.eof)
		buf := make([]byte, 4096)
		for {
			n, err := file.Read(buf)
			p.mu.Lock()
			p.out.Write(buf[:n])
			p.mu.Unlock()
			if err != nil { // Linux says EIO when the last process has closed its end
				return
			}
		}
	}()
	s.t.Cleanup(func() { _ = cmd.Process.Kill(); file.Close() })
	return p
}

func (p *tty) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

// forgets leaves out of what is seen whatever was shown until now.
func (p *tty) forgets() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out.Reset()
}

func (p *tty) shows(text string) {
	p.t.Helper()
	waitFor(p.t, text, func() bool { return strings.Contains(p.text(), text) })
}

func (p *tty) press(keys string) {
	p.t.Helper()
	if _, err := io.WriteString(p.pty, keys); err != nil {
		p.t.Fatal(err)
	}
}

// ends waits for the end of the program and returns its exit status.
func (p *tty) ends() int {
	p.t.Helper()
	timer := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	<-p.eof
	_ = p.cmd.Wait()
	return p.cmd.ProcessState.ExitCode()
}

const oneTurn = `
turns:
  - steps:
      - run: [sh, -c, 'printf "%s|%s" "$MY_API_KEY" "$PATH" >../key.txt']
      - write: {path: one.txt, content: "1\n"}
      - git_commit: one
      - tick: STORY-001
`

func (s *scratch) runMonitor(args ...string) []string {
	return append([]string{"run", "--monitor", "--harness", "replay", "--pause", "0"}, args...)
}

func TestRunMonitorWithoutATerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script string
		args         []string
		exit         int
		says         string
	}{
		{"done", oneTurn, nil, 0, "✓ done: "},
		{"not done", "turns: [{steps: [{say: nothing}]}]\n", []string{"-n", "1"}, 1, "✗ max iterations: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScratch(t, c.script)
			s.withTmux()
			s.env = append(s.env, "MY_API_KEY=hush", "PATH="+os.Getenv("PATH")+":/only/mine")
			// A server that runs already has an environment of its own.
			s.tmux("new-session", "-d", "-s", "theirs", "--", "sleep", "600", ";", "set-option", "-t", "=theirs:", "destroy-unattached", "off", ";", "set-option", "-s", "exit-unattached", "off")
			cmd := s.command(s.bin, s.runMonitor(c.args...)...)
			out, err := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != c.exit || !strings.Contains(string(out), c.says) {
				t.Errorf("exit status %d, %v\n%s", code, err, out)
			}
			if want := "tmux attach -t '=ralph-feature-x'"; !strings.Contains(string(out), want) {
				t.Errorf("%s is not shown\n%s", want, out)
			}
			if got := s.tmux("list-sessions", "-F", "#{session_name}"); got != "theirs" {
				t.Errorf("the sessions left are %q", got)
			}
			if c.exit == 0 {
				if key, _ := os.ReadFile(filepath.Join(filepath.Dir(s.repo), "key.txt")); string(key) != "hush|"+os.Getenv("PATH")+":/only/mine" {
					t.Errorf("the agent's environment: %q", key)
				}
			}
		})
	}
}

func TestRunMonitorOnATerminal(t *testing.T) {
	t.Parallel()
	s := newScratch(t, oneTurn)
	s.withTmux()
	p := s.onTTY(120, 30, s.bin, s.runMonitor()...)
	p.shows("Press any key to close")
	s.onScreen("=ralph-feature-x:.{right}", "Status: Completed  ENDED")
	got := s.tmux("list-panes", "-s", "-t", "=ralph-feature-x", "-F", "#{pane_left} #{pane_width} #{pane_active}")
	if want := "0 71 1\n72 48 0"; got != want {
		t.Errorf("the panes are %q, want %q", got, want)
	}
	p.press("x")
	if code := p.ends(); code != 0 || !strings.Contains(p.text(), "done: ") {
		t.Errorf("exit status %d\n%s", code, p.text())
	}
	if got := s.tmux("list-panes", "-a"); got != "" {
		t.Errorf("something is left in tmux: %s", got)
	}
}

// TestRunMonitorDetachAndKill detaches from the loop, which continues, and then kills its
// session, which ends it cleanly.
func TestRunMonitorDetachAndKill(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	s.withTmux()
	p := s.onTTY(100, 30, s.bin, s.runMonitor()...)
	p.shows("working")
	p.press("\x02d") // the prefix key, then d
	if code := p.ends(); code != 0 || !strings.Contains(p.text(), "return to it with: tmux attach -t '=ralph-feature-x'") {
		t.Fatalf("exit status %d\n%s", code, p.text())
	}
	agent := s.agentID()
	if !agent.Alive() {
		t.Fatal("the agent has not outlived the terminal")
	}
	msg, err := s.command(s.bin, s.runMonitor()...).CombinedOutput()
	if err == nil || !strings.Contains(string(msg), "a loop is already running on feature-x") {
		t.Errorf("a second loop: %v\n%s", err, msg)
	}
	s.tmux("kill-session", "-t", "=ralph-feature-x")
	waitFor(t, "the end of the run", func() bool {
		events := s.events()
		end, ok := events[len(events)-1].Body.(journal.RunEnded)
		return ok && end.Reason == "stopped"
	})
	s.nothingLeft()
}

func TestRunMonitorKilledWhileWatched(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	s.withTmux()
	p := s.onTTY(100, 30, s.bin, s.runMonitor()...)
	p.shows("working")
	s.tmux("kill-session", "-t", "=ralph-feature-x")
	if code := p.ends(); code != 143 || !strings.Contains(p.text(), "stopped: ended by a signal") {
		t.Errorf("exit status %d\n%s", code, p.text())
	}
	s.nothingLeft()
}

func TestRunMonitorSignals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		signal syscall.Signal
		exit   int
	}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 143}} {
		t.Run(c.signal.String(), func(t *testing.T) {
			s := newScratch(t, polite)
			s.withTmux()
			cmd := s.command(s.bin, s.runMonitor()...)
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			s.onScreen("=ralph-feature-x:.{left}", "working")
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			timer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
			defer timer.Stop()
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != c.exit || !strings.Contains(out.String(), "asked the loop to stop") {
				t.Errorf("exit status %d, want %d\n%s", code, c.exit, &out)
			}
			s.nothingLeft()
		})
	}
}

func TestRunMonitorWhoseLoopIsKilled(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	s.withTmux()
	cmd := s.command(s.bin, s.runMonitor()...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.onScreen("=ralph-feature-x:.{left}", "working")
	guardian := parentOf(t, s.agentID().PID)
	if err := exec.Command("kill", "-9", s.tmux("display-message", "-p", "-t", "=ralph-feature-x:.{left}", "#{pane_pid}")).Run(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(out.String(), "the loop of feature-x has died") {
		t.Errorf("exit status %d\n%s", code, &out)
	}
	waitFor(t, "the end of the session", func() bool { return s.tmux("list-panes", "-a") == "" })
	waitFor(t, "the end of the guardian, which records the death", func() bool {
		return errors.Is(syscall.Kill(guardian, 0), syscall.ESRCH)
	})
}

// TestRunMonitorInsideTmux shows the loop in place of the session that it was
// called from, and gives that back in the end.
func TestRunMonitorInsideTmux(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	s.withTmux()
	// Options of its own keep their session alive and its shell simple.
	p := s.onTTY(100, 30, "tmux", "new-session", "-s", "theirs", "--", "sh", "-c",
		strings.Join(append([]string{s.bin}, s.runMonitor()...), " ")+`; echo "ended with $?"; sleep 600`, ";",
		"set-option", "-t", "=theirs:", "destroy-unattached", "off", ";", "set-option", "-s", "exit-unattached", "off")
	s.onScreen("=ralph-feature-x:.{left}", "working")
	waitFor(t, "the session to be shown", func() bool { return s.tmux("list-clients", "-F", "#{client_session}") == "ralph-feature-x" })
	p.press("\x03") // in the loop's pane
	s.onScreen("=theirs:", "ended with 130")
	s.onScreen("=ralph-feature-x:.{left}", "Press any key to close")
	p.press("x")
	waitFor(t, "their session to be shown", func() bool { return s.tmux("list-sessions", "-F", "#{session_name} #{session_attached}") == "theirs 1" })
	s.nothingLeft()
}

// TestRunMonitorNames: the session gets a number if another repository has the name, and
// replaces the session of an earlier loop.
func TestRunMonitorNames(t *testing.T) {
	t.Parallel()
	s := newScratch(t, oneTurn)
	s.withTmux()
	s.tmux("new-session", "-d", "-s", "ralph-feature-x", "--", "sleep", "600", ";", "set-option", "-t", "=ralph-feature-x:", "destroy-unattached", "off",
		";", "set-option", "-s", "exit-unattached", "off")
	for range 2 {
		p := s.onTTY(100, 30, s.bin, s.runMonitor("--no-archive", "-n", "1")...)
		p.shows("Press any key to close")
		if got, want := s.tmux("list-sessions", "-F", "#{session_name}"), "ralph-feature-x\nralph-feature-x-2"; got != want {
			t.Fatalf("the sessions are %q, want %q", got, want)
		}
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil { // its terminal is closed
			t.Fatal(err)
		}
		p.pty.Close()
		_ = p.ends()
	}
}

func TestRunMonitorWithoutTmux(t *testing.T) {
	t.Parallel()
	for name, tmux := range map[string]string{"tmux is not installed": "", "tmux 2.9 is too old": "#!/bin/sh\necho tmux 2.9a\n"} {
		t.Run(name, func(t *testing.T) {
			s := newScratch(t, oneTurn)
			tools := t.TempDir()
			for _, tool := range []string{"git", "sh", "env"} {
				path, err := exec.LookPath(tool)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(path, filepath.Join(tools, tool)); err != nil {
					t.Fatal(err)
				}
			}
			if tmux != "" {
				testprogram.Write(t, filepath.Join(tools, "tmux"), tmux)
			}
			s.env = append(s.env, "PATH="+tools)
			out, err := s.command(s.bin, s.runMonitor()...).CombinedOutput()
			if err != nil || !strings.Contains(string(out), name) || !strings.Contains(string(out), "done: ") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestRunMonitorOnAPhone shows a session that was made wide in a narrow terminal: the
// dashboard goes below the loop, and back again where there is room.
func TestRunMonitorOnAPhone(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	s.withTmux()
	if out, code := s.background("--terminal", "tmux"); code != 0 {
		t.Fatalf("exit status %d\n%s", code, out)
	}
	panes := func() string {
		return s.tmux("list-panes", "-t", "=ralph-feature-x:", "-F", "#{pane_left} #{pane_width}x#{pane_height}")
	}
	for _, c := range []struct{ width, height, want string }{
		{"40", "21", "0 40x10\n0 40x10"},
		{"120", "30", "0 71x30\n72 48x30"},
		{"82", "30", "0 41x30\n42 40x30"}, // as much as both need
	} {
		s.tmux("resize-window", "-t", "=ralph-feature-x:", "-x", c.width, "-y", c.height)
		waitFor(t, c.want+" of a window of "+c.width, func() bool { return panes() == c.want })
	}
	s.tmux("kill-session", "-t", "=ralph-feature-x")
	waitFor(t, "the end of the run", func() bool {
		events := s.events()
		_, ended := events[len(events)-1].Body.(journal.RunEnded)
		return ended
	})
	s.nothingLeft()
}
