package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"ralph/internal/stream"
)

// dashboard shows the unit of the scratch repository on a terminal.
func (s *scratch) dashboard(args ...string) *tty {
	s.t.Helper()
	s.env = append(s.env, "TERM=xterm-256color", "LANG=C.UTF-8")
	return s.onTTY(80, 24, s.bin, append([]string{"monitor"}, args...)...)
}

// seen returns the text on the screen so far, without control sequences.
func (p *tty) seen() string {
	return regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`).ReplaceAllString(p.text(), " ")
}

func (p *tty) waitsFor(text string) {
	p.t.Helper()
	waitFor(p.t, text+" on the dashboard", func() bool { return strings.Contains(strings.Join(strings.Fields(p.seen()), " "), text) })
}

// drawsAnew has all of the first page come once more.
func (p *tty) drawsAnew() {
	p.t.Helper()
	p.press("?")
	p.waitsFor("the whole log")
	p.forgets()
	p.press("?")
}

func TestDashboardStopsTheLoop(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	cmd, out := s.start("working")
	p := s.dashboard()
	p.waitsFor("Iteration: 1/20")
	p.waitsFor("Status: Running LIVE")
	p.waitsFor("] working")
	p.press("s")
	p.waitsFor("y/n")
	p.press("y")
	p.waitsFor("ENDED")
	if rest, code := s.finish(cmd, out); code != 143 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
	p.press("s")
	p.waitsFor("nothing to stop")
	p.press("q")
	if code := p.ends(); code != 0 {
		t.Errorf("exit status %d", code)
	}
	if !strings.HasSuffix(p.text(), "\x1b[?1049l") {
		t.Errorf("the terminal is left as it was: %q", p.text()[max(0, len(p.text())-40):])
	}
}

func TestDashboardPausesAndResumes(t *testing.T) {
	t.Parallel()
	s := newScratch(t, steps)
	cmd, out := s.start("the first", "--no-archive")
	p := s.dashboard()
	p.waitsFor("LIVE")
	p.press("p")
	p.waitsFor(", will pause")
	s.write("../go", "")
	p.waitsFor("Paused WAITING (paused)")
	p.press("p")
	p.waitsFor("ENDED (stories complete)")
	if rest, code := s.finish(cmd, out); code != 0 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
	p.press("q")
	if code := p.ends(); code != 0 {
		t.Errorf("exit status %d", code)
	}
}

// TestDashboardShowsAPauseFromElsewhere before the loop has handled it, and when it is
// revoked.
func TestDashboardShowsAPauseFromElsewhere(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	cmd, out := s.start("working")
	p := s.dashboard()
	p.waitsFor("LIVE")
	s.output("pause")
	p.waitsFor(", will pause")
	p.waitsFor("p resume")
	p.forgets()
	s.output("resume")
	p.waitsFor("q quit p pause")
	if strings.Contains(p.seen(), "will pause") {
		t.Errorf("the pause was taken back:\n%s", p.seen())
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_, _ = s.finish(cmd, out)
}

// TestDashboardKeysOnTheHelpPage do what the page says of them.
func TestDashboardKeysOnTheHelpPage(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	cmd, out := s.start("working")
	p := s.dashboard()
	p.waitsFor("] working")
	p.press("?")
	p.waitsFor("the whole log")
	p.forgets()
	p.press("l")
	p.waitsFor("] working")
	p.press("?p")
	p.waitsFor("asked to pause")
	p.press("s")
	p.waitsFor("y/n")
	p.press("y")
	if rest, code := s.finish(cmd, out); code != 143 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
	p.press("q")
	p.waitsFor("ENDED")
}

// TestSuspendedLoop: a suspended loop is not shown as running until "ralph resume" wakes
// it.
func TestSuspendedLoop(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	cmd, out := s.start("working")
	p := s.dashboard()
	p.waitsFor("LIVE")
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	p.waitsFor("Paused WAITING (suspended)")
	for _, c := range []struct{ args, want string }{
		{"status", "Paused, WAITING (suspended)"},
		{"status --json", `"reason": "suspended"`},
		{"list", "paused, WAITING "},
		{"list --json", `"alive": true`},
	} {
		if got := string(s.output(strings.Fields(c.args)...)); !strings.Contains(got, c.want) || strings.Contains(got, "LIVE") || strings.Contains(got, "running") {
			t.Errorf("ralph %s:\n%s", c.args, got)
		}
	}
	p.forgets()
	s.output("resume")
	p.waitsFor("Running LIVE")
	if got := string(s.output("status")); !strings.Contains(got, "Running, LIVE") {
		t.Errorf("it goes on, and the status is\n%s", got)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_, _ = s.finish(cmd, out)
}

// TestDashboardIsSuspended as any program on a terminal is: the shell has the terminal
// back as it was, and fg has the dashboard draw everything again.
func TestDashboardIsSuspended(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	cmd, out := s.start("working")
	s.env = append(s.env, "TERM=xterm-256color", "LANG=C.UTF-8", "PS1=shell> ", "ENV=")
	p := s.onTTY(80, 24, "sh", "-i")
	p.waitsFor("shell>")
	p.press("stty -a >../before\r'" + s.bin + "' monitor\r")
	p.waitsFor("LIVE")
	p.forgets()
	p.press("\x1a")
	p.waitsFor("shell>")
	if !strings.Contains(p.text(), leaveScreen) {
		t.Errorf("the shell is shown on the dashboard: %q", p.text())
	}
	p.press("stty -a >../after\recho got $((40+2))\r")
	p.waitsFor("got 42 shell>") // with the prompt: the next one comes after the dashboard
	if before, after := s.read("../before"), s.read("../after"); before != after {
		t.Errorf("the terminal's modes are not what they were:\n%s\n%s", before, after)
	}
	p.forgets()
	p.press("fg\r")
	p.waitsFor("Status: Running LIVE")
	p.press("q")
	p.waitsFor("shell>")
	p.press("exit $?\r")
	if code := p.ends(); code != 0 {
		t.Errorf("exit status %d", code)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_, _ = s.finish(cmd, out)
}

// leaveScreen goes back from the alternate screen; see the control sequences of xterm.
const leaveScreen = "\x1b[?1049l"

// TestDashboardWithoutAShell has nothing to be suspended to.
func TestDashboardWithoutAShell(t *testing.T) {
	t.Parallel()
	p := newScratch(t, polite).dashboard()
	p.waitsFor("no run yet")
	p.press("\x1a")
	p.waitsFor("was not started from a shell")
	p.press("q")
	if code := p.ends(); code != 0 {
		t.Errorf("exit status %d", code)
	}
}

// TestDashboardOfADeathOnRecord: the guardian has written down that ralph died.
func TestDashboardOfADeathOnRecord(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	cmd, out := s.start("working")
	p := s.dashboard()
	p.waitsFor("LIVE")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = s.finish(cmd, out)
	p.waitsFor("the run ended: ralph itself died")
	p.drawsAnew()
	p.waitsFor("Failed DEAD since")
}

// TestDashboardKnowsTheDead kills ralph and its guardian: no process can record that they
// are gone.
func TestDashboardKnowsTheDead(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	cmd, out := s.start("working")
	agent := s.agentID()
	p := s.dashboard()
	p.waitsFor("LIVE")
	if err := syscall.Kill(parentOf(t, agent.PID), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = s.finish(cmd, out)
	p.waitsFor("DEAD since")
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := p.ends(); code != 143 {
		t.Errorf("exit status %d", code)
	}
	_ = agent.Signal(syscall.SIGKILL) // the next run would end it
}

func TestDashboardOfAUnitThatIsDeleted(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	p := s.dashboard()
	p.waitsFor("no run yet")
	cmd, out := s.start("working")
	p.waitsFor("LIVE")
	if err := os.RemoveAll(filepath.Join(s.repo, ".ralph")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(s.repo, ".git", "ralph"), filepath.Join(s.repo, ".git", "elsewhere")); err != nil {
		t.Fatal(err)
	}
	p.waitsFor("its journal is gone")
	p.press("q")
	if code := p.ends(); code != 0 {
		t.Errorf("exit status %d", code)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_, _ = s.finish(cmd, out)
}

// TestDashboardOfARunThatWasTooQuick waits for a run that is archived before
// the dashboard has seen anything of it.
func TestDashboardOfARunThatWasTooQuick(t *testing.T) {
	t.Parallel()
	s := newScratch(t, oneStory)
	p := s.dashboard()
	p.waitsFor("no run yet")
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if out, err := s.command(s.bin, "run", "--harness", "replay", "--pause", "0").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	p.waitsFor("ENDED (stories complete)")
	p.press("q")
	if code := p.ends(); code != 0 {
		t.Errorf("exit status %d", code)
	}
}

// TestDashboardIsSafeFromTheAgent shows what an agent that means harm prints.
func TestDashboardIsSafeFromTheAgent(t *testing.T) {
	t.Parallel()
	s := newScratch(t, `
turns:
  - steps:
      - say: "evil \e]0;title\a\e]52;c;eA==\a and \e[2J\e[?1049l gone"
      - say: working
      - hang: true
`)
	cmd, out := s.start("working")
	p := s.dashboard()
	p.waitsFor("evil and gone")
	p.waitsFor("] working")
	p.press("\x03")
	if code := p.ends(); code != 0 {
		t.Errorf("exit status %d", code)
	}
	if strings.Contains(p.text(), "\x1b]") || strings.Count(p.text(), "\x1b[?1049l") != 1 {
		t.Errorf("a control sequence of the agent reached the terminal: %q", p.text())
	}
	if rest := stream.Sanitize(p.seen()); strings.Contains(rest, "title") {
		t.Errorf("what was hidden is shown: %q", rest)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_, _ = s.finish(cmd, out)
}
