package agent

import (
	"os"
	"syscall"
	"testing"
	"time"

	"ralph/internal/proc"
	"ralph/internal/stopwatch"
)

// TestOverdue checks the limits after a turn of unknown length, with no output for two
// hours.
func TestOverdue(t *testing.T) {
	second, hour := stopwatch.Passed{Wall: time.Second, Awake: time.Second, Real: time.Second}, stopwatch.Passed{Wall: time.Hour, Awake: time.Hour, Real: time.Hour}
	for _, c := range []struct {
		name   string
		limits Limits
		lap    stopwatch.Passed
		want   end
	}{
		{"no limits", Limits{}, second, endItself},
		{"time left", Limits{Timeout: time.Hour, Idle: 3 * time.Hour}, second, endItself},
		{"no time left", Limits{Timeout: time.Nanosecond}, second, endTimeout},
		{"silent for too long", Limits{Idle: time.Hour}, second, endIdle},
		{"silent while ralph was stopped", Limits{Idle: time.Hour}, hour, endItself},
		{"out of time while ralph was stopped", Limits{Timeout: time.Nanosecond, Idle: time.Hour}, hour, endTimeout},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := Call{Harness: Custom("x"), Limits: c.limits}
			tu := &turn{call: call, watch: stopwatch.Start(), out: newOutput(call, nil)}
			tu.out.last.Store(-int64(2 * time.Hour))
			if got := tu.overdue(c.lap); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
}

// TestEveryHarnessIsAskedKindly: Claude Code and similar agents end their tools at INT, but
// not at TERM.
func TestEveryHarnessIsAskedKindly(t *testing.T) {
	for _, h := range append(Builtin("ralph"), Custom("x")) {
		if len(h.Gentle) != 2 || h.Gentle[0] != syscall.SIGINT || h.Gentle[1] != syscall.SIGTERM {
			t.Errorf("%s is asked with %v", h.Name, h.Gentle)
		}
	}
}

// TestExpired: an agent that has exited before its limit is checked has ended by itself.
func TestExpired(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]end{"exit 0": endItself, "exec sleep 600": endTimeout} {
		g, err := proc.StartGuardian([]string{exe, "guardian"}, t.Name()+script)
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.Start(proc.Command{Argv: []string{"/bin/sh", "-c", script}})
		if err != nil {
			t.Fatal(err)
		}
		if want == endItself {
			<-p.Exited()
		}
		if got := (&turn{}).expired(p); got != want {
			t.Errorf("%s: %d, want %d", script, got, want)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestLogIsItsOwnersAlone, also where the file was there with other permissions.
func TestLogIsItsOwnersAlone(t *testing.T) {
	var log string
	_, _, err := turnOf(t, t.Context(), "echo '"+result+"'", func(c *Call) {
		log = c.Log
		if err := os.WriteFile(log, []byte("before\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(log); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the log is %v, %v", info.Mode(), err)
	}
}
