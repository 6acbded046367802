package replay

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

func TestSignals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, steps string
		signals     []syscall.Signal
		code        int
		reason      string // terminal_reason of the result; "" without one
	}{
		{"INT while it speaks", "  - hang: true\n", []syscall.Signal{syscall.SIGINT}, 0, "aborted_streaming"},
		{"INT in a tool", "  - run: [sleep, \"1000\"]\n", []syscall.Signal{syscall.SIGINT}, 1, "aborted_tools"},
		{"TERM", "  - sleep: 1h\n", []syscall.Signal{syscall.SIGTERM}, 143, ""},
		{"HUP", "  - hang: true\n", []syscall.Signal{syscall.SIGHUP}, 129, ""},
		{"INT without a result", "  - hang: true\n", []syscall.Signal{syscall.SIGINT}, 0, ""},
		{"INT and HUP ignored", "  - hang: true\n",
			[]syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM}, 143, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			steps := "  - say: ready\n" + tt.steps
			if len(tt.signals) > 1 {
				steps = "  - ignore_signals: [INT, HUP]\n" + steps
			}
			if tt.reason == "" && tt.code == 0 {
				steps = "  - no_result: true\n" + steps
			}
			mark := `"ready"`
			if strings.Contains(tt.steps, "run:") {
				mark = "sleep 1000"
			}
			l := newProject(t).start(steps, mark)
			for _, sig := range tt.signals {
				if err := l.cmd.Process.Signal(sig); err != nil {
					t.Fatal(err)
				}
			}
			s := l.wait(t)
			if s.code != tt.code {
				t.Errorf("exit %d, want %d", s.code, tt.code)
			}
			if got := s.result().Get("terminal_reason").String(); got != tt.reason {
				t.Errorf("terminal_reason %q, want %q\n%s", got, tt.reason, s.stdout)
			}
		})
	}
}

// What is spawned outlives the session, however it was started.
func TestSpawn(t *testing.T) {
	t.Parallel()
	for _, option := range []string{"", ", setsid: true", ", double_fork: true"} {
		t.Run("spawn"+option, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			s := p.turn("- spawn: {argv: " + sleeper + option + "}\n" + untilStray)
			if s.code != 0 {
				t.Fatalf("exit %d: %s", s.code, s.stderr)
			}
			p.killStray()
		})
	}
}

// A stray that holds standard output keeps it open when the session is gone.
func TestSpawnHoldsStdout(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	l := p.start("  - spawn: {argv: "+sleeper+", hold_stdout: true}\n  "+untilStray+"\n  - say: bye\n", `"bye"`)
	if err := l.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-l.rest:
		t.Error("standard output was closed with the session")
	default:
	}
	p.killStray()
	<-l.rest // ends with the stray
}

const (
	sleeper    = `[sh, -c, "echo $$ > stray.tmp; mv stray.tmp stray; exec sleep 1000"]`
	untilStray = "- run: [sh, -c, 'until test -f stray; do sleep 0.01; done']"
)

// killStray ends what a spawn step left, which has to be alive.
func (p *project) killStray() {
	p.t.Helper()
	var pid int
	if _, err := fmt.Sscan(p.read("stray"), &pid); err != nil {
		p.t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		p.t.Errorf("the stray is gone: %v", err)
	}
}
