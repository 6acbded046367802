package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"ralph/internal/testprogram"
)

// talker is an agent that waits for its user, and prints the signal that ends it.
const talker = `#!/bin/sh
trap 'echo the agent got it; kill $!; exit 0' INT TERM HUP
sleep 600 &
echo the agent waits
wait
`

// TestSignalsWhilePlanning: a Ctrl-C is for the agent, and ralph checks the plan when the
// agent has ended. A SIGTERM to ralph alone ends both.
func TestSignalsWhilePlanning(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		send func(tty *os.File, ralph *os.Process) error
		exit int
		says string
	}{
		{"Ctrl-C", func(tty *os.File, _ *os.Process) error { _, err := tty.WriteString("\x03"); return err }, 0, "Start the loop with"},
		{"SIGTERM", func(_ *os.File, p *os.Process) error { return p.Signal(syscall.SIGTERM) }, 143, ""},
		{"SIGHUP", func(_ *os.File, p *os.Process) error { return p.Signal(syscall.SIGHUP) }, 143, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := planning(t)
			tty, err := pty.Start(cmd)
			if err != nil {
				t.Fatal(err)
			}
			defer tty.Close()
			defer time.AfterFunc(patience, func() { _ = cmd.Process.Kill() }).Stop()
			out := bufio.NewReader(tty)
			for line := ""; !strings.Contains(line, "the agent waits"); {
				if line, err = out.ReadString('\n'); err != nil {
					t.Fatalf("ralph ended before the agent began: %v", err)
				}
			}
			if err := tt.send(tty, cmd.Process); err != nil {
				t.Fatal(err)
			}
			rest, _ := io.ReadAll(out) // Linux ends it with EIO
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != tt.exit {
				t.Errorf("exit status %d, want %d", code, tt.exit)
			}
			for _, want := range []string{"the agent got it", tt.says} {
				if !strings.Contains(string(rest), want) {
					t.Errorf("the output lacks %q:\n%s", want, rest)
				}
			}
		})
	}
}

// planning is the call of "ralph plan" with the talker as its agent.
func planning(t *testing.T) *exec.Cmd {
	s := newScratch(t, "turns: []\n")
	path := filepath.Join(s.repo, "..", "claude")
	testprogram.Write(t, path, talker)
	s.write("../.home/config.yaml", "claude: {command: ["+path+"]}\n")
	return s.command(s.bin, "plan", "something new")
}
