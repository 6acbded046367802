package check

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"ralph/internal/journal"
	"ralph/internal/proc"
)

// TestMain lets the test binary be the guardian.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "guardian" {
		if proc.Guard(nil) != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func guardian(t *testing.T) (*proc.Guardian, string) {
	t.Helper()
	g, token := lone(t)
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		alone(t, token)
	})
	return g, token
}

// lone is a guardian that the test itself ends.
func lone(t *testing.T) (*proc.Guardian, string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	token := fmt.Sprintf("%s-%d", t.Name(), os.Getpid())
	g, err := proc.StartGuardian([]string{exe, "guardian"}, token)
	if err != nil {
		t.Fatal(err)
	}
	return g, token
}

// alone wants nothing alive that a guardian has started.
func alone(t *testing.T, token string) {
	t.Helper()
	if n, err := proc.EndByToken(token); n > 0 || err != nil {
		t.Errorf("%d processes were left behind, %v", n, err)
	}
}

// TestRun runs all kinds of checks. A check must not take longer than its limit, fill the
// memory, or leave a process.
func TestRun(t *testing.T) {
	g, _ := guardian(t)
	for _, c := range []struct {
		name, command string
		timeout       time.Duration
		want          journal.CheckOutcome
		exit          int
		tail          string
	}{
		{name: "passes", command: "echo fine", want: journal.CheckPassed, tail: "fine"},
		{name: "fails", command: "echo 'a_test.go:3: no' >&2; exit 3", want: journal.CheckFailed, exit: 3, tail: "a_test.go:3: no"},
		{name: "a pipe", command: "printf 'b\\na\\n' | sort", want: journal.CheckPassed, tail: "a\nb"},
		{name: "hangs with children", command: "sleep 600 & sleep 600", timeout: 200 * time.Millisecond, want: journal.CheckTimeout, exit: -1},
		{name: "hangs deaf", command: "trap '' TERM; sleep 600 & wait; sleep 600", timeout: 200 * time.Millisecond, want: journal.CheckTimeout, exit: -1},
		{name: "leaves a server behind", command: "sleep 600 & echo started", want: journal.CheckPassed, tail: "started"},
		{name: "prints a lot", command: "head -c 20000000 /dev/zero | tr '\\0' 'x'; echo; echo the end", want: journal.CheckPassed, tail: "the end"},
		{name: "kills its own group", command: "kill -9 0", want: journal.CheckFailed, exit: -1},
		{name: "does not exist", command: "no-such-command --now", want: journal.CheckMissing, exit: 127},
		{name: "wants a terminal", command: "read answer </dev/tty; test -n \"$answer\"", want: journal.CheckFailed},
		{name: "reads its input", command: "cat", want: journal.CheckPassed},
	} {
		t.Run(c.name, func(t *testing.T) {
			timeout := c.timeout
			if timeout == 0 {
				timeout = time.Minute
			}
			r, err := Run(t.Context(), g, Check{Name: "x", Command: c.command, Timeout: timeout}, t.TempDir(), os.Environ())
			if err != nil {
				t.Fatal(err)
			}
			if r.Outcome != c.want || c.exit != 0 && r.ExitCode != c.exit {
				t.Errorf("%s with exit code %d, want %s with %d (%q)", r.Outcome, r.ExitCode, c.want, c.exit, r.Tail)
			}
			if len(r.Tail) > tailKept || c.tail != "" && !strings.HasSuffix(r.Tail, c.tail) {
				t.Errorf("tail of %d bytes: %.80q", len(r.Tail), r.Tail)
			}
			if !strings.Contains(r.String(), "check x") || strings.Contains(r.String(), "-1") {
				t.Errorf("described as %q", r)
			}
		})
	}
}

func TestRunIsInterrupted(t *testing.T) {
	g, _ := guardian(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := Run(ctx, g, Check{Name: "x", Command: "sleep 600", Timeout: time.Minute}, t.TempDir(), os.Environ())
	if err != nil || r.Outcome != journal.CheckInterrupted {
		t.Errorf("%s, %v", r.Outcome, err)
	}
}

func TestDue(t *testing.T) {
	all := []Check{{Name: "claim", When: Claim}, {Name: "every", When: Every}, {Name: "end", When: End}}
	for at, want := range map[When]string{Every: "every", Claim: "claim every", End: "claim every end"} {
		var names []string
		for _, c := range Due(all, at) {
			names = append(names, c.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("at %s: %s, want %s", at, got, want)
		}
	}
}

// TestExited: a check that has exited before its limit is checked has ended by itself.
func TestExited(t *testing.T) {
	for script, want := range map[string]bool{"exit 0": true, "exec sleep 600": false} {
		t.Run(script, func(t *testing.T) {
			g, _ := guardian(t)
			p, err := g.Start(proc.Command{Argv: []string{"/bin/sh", "-c", script}})
			if err != nil {
				t.Fatal(err)
			}
			if want {
				<-p.Exited()
			}
			if got := exited(p); got != want {
				t.Errorf("%t, want %t", got, want)
			}
		})
	}
}
