package notify

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

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

// sender returns a Sender with a shell script as its command, in a folder of its own, and its
// warnings, to be read after Close.
func sender(t *testing.T, script string, limit time.Duration) (s *Sender, dir string, warned *[]string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, warned = t.TempDir(), new([]string)
	s = New(Options{Command: []string{"/bin/sh", "-c", script}, Dir: dir, Limit: limit,
		Guardian: func() (*proc.Guardian, error) {
			return proc.StartGuardian([]string{exe, "guardian"}, "notify-"+t.Name())
		},
		Warn: func(text string) { *warned = append(*warned, text) }})
	return s, dir, warned
}

func TestSenderTellsInOrder(t *testing.T) {
	s, dir, warned := sender(t, "cat >>notices", time.Minute)
	for _, kind := range []string{Waiting, Waiting, Done} {
		s.Send(Notice{Event: kind, Unit: "x"})
	}
	s.Close(t.Context())
	data, err := os.ReadFile(filepath.Join(dir, "notices"))
	lines := strings.Split(string(data), "\n")
	if err != nil || len(lines) != 4 || !strings.HasPrefix(lines[2], `{"event":"done","unit":"x"`) || len(*warned) > 0 {
		t.Errorf("notices %q, warned %q, %v", lines, *warned, err)
	}
}

func TestSenderWarnsOfAFailure(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"status", "echo 'no \033[2Jnetwork' >&2; exit 3", "exit status 3: no network"},
		{"signal", "kill -9 $$", "signal: killed"},
		{"slow", "sleep 600", "took too long"},
		{"deaf", "trap '' TERM; while :; do sleep 1; done", "took too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			limit := time.Minute
			if strings.Contains(c.want, "too long") {
				limit = 100 * time.Millisecond
			}
			s, _, warned := sender(t, c.script, limit)
			s.Send(Notice{Event: Failed})
			s.Close(t.Context())
			if len(*warned) != 1 || !strings.Contains((*warned)[0], c.want) {
				t.Errorf("warned %q, want %q", *warned, c.want)
			}
		})
	}
}

// TestSenderLeavesNothingBehind ends a command with what it has started, and does
// not wait for a child that holds its output.
func TestSenderLeavesNothingBehind(t *testing.T) {
	s, dir, warned := sender(t, "sleep 600 & echo $! >pid", time.Minute)
	s.Send(Notice{Event: Done})
	s.Close(t.Context())
	data, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) || len(*warned) > 0 {
		t.Errorf("the child is alive (%v); warned %q", err, *warned)
	}
}

// TestSenderGivesUpWhenCancelled is Ctrl-C at the end of a run.
func TestSenderGivesUpWhenCancelled(t *testing.T) {
	s, _, warned := sender(t, "sleep 600", time.Hour)
	s.Send(Notice{Event: Waiting})
	s.Send(Notice{Event: Done})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.Close(ctx)
	if len(*warned) != 2 {
		t.Errorf("warned %q", *warned)
	}
}

// TestSenderOfADesktopThatDoesNotAnswer calls the user's command even so: here the desktop
// answers only after the command has run.
func TestSenderOfADesktopThatDoesNotAnswer(t *testing.T) {
	bin := t.TempDir()
	script := "#!/bin/sh\nuntil [ -s notices ]; do sleep 0.01; done\n"
	if err := os.WriteFile(filepath.Join(bin, "notify-send"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	s, dir, warned := sender(t, "cat >notices", 20*time.Second)
	s.o.Desktop, s.o.GOOS = true, "linux"
	s.Send(Notice{Event: Done})
	s.Close(t.Context())
	if _, err := os.Stat(filepath.Join(dir, "notices")); err != nil || len(*warned) > 0 {
		t.Errorf("%v; warned %q", err, *warned)
	}
}

func TestSenderOfAMissingProgram(t *testing.T) {
	s, _, warned := sender(t, "", time.Minute)
	s.o.Command = []string{"no-such-program"}
	s.Send(Notice{Event: Done})
	s.Close(t.Context())
	if len(*warned) != 1 || !strings.Contains((*warned)[0], `"no-such-program" was not found in PATH`) {
		t.Errorf("warned %q", *warned)
	}
}
