package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// hanging is a session that says so and then waits for a signal.
const hanging = "otherwise:\n- say: waiting for a signal\n- hang: true\n"

// signals measures how long ralph takes to end everything.
func (b *bench) signals() ([]row, error) {
	s, err := b.newScratch("signal", 10)
	if err != nil {
		return nil, err
	}
	if err := s.hang(); err != nil {
		return nil, err
	}
	const times = 10
	var ralph, floor []float64
	for range times {
		took, err := s.interruptRalph()
		if err != nil {
			return nil, err
		}
		ralph = append(ralph, ms(took))
		if took, err = b.interruptSleep(); err != nil {
			return nil, err
		}
		floor = append(floor, ms(took))
	}
	r := row{Name: "from Ctrl-C to all dead, polite agent", Unit: "ms", Value: median(ralph), Floor: new(median(floor))}
	r.Ratio = new(r.Value / *r.Floor)
	return []row{r.atMost(60)}, nil
}

// hang makes replay an agent that works until it gets a signal.
func (s *scratch) hang() error {
	return os.WriteFile(filepath.Join(s.repo, ".ralph", "replay.yaml"), []byte(hanging), 0o644)
}

// hangingRun is a run of that agent.
func (s *scratch) hangingRun() *exec.Cmd {
	return s.command(s.b.ralph, "run", "--harness", "replay", "--rate-limit", "0", "--no-interactive")
}

func (s *scratch) interruptRalph() (time.Duration, error) {
	if err := s.forget(); err != nil {
		return 0, err
	}
	took, err := interrupt(s.hangingRun(), "waiting for a signal")
	if err != nil {
		return 0, err
	}
	events, err := s.events("agent_started")
	if err != nil {
		return 0, err
	}
	for _, e := range events {
		if err := syscall.Kill(e.PID, 0); !errors.Is(err, syscall.ESRCH) {
			return 0, fmt.Errorf("the agent %d is alive when ralph has ended: %w", e.PID, err)
		}
	}
	return took, nil
}

// interruptSleep is the end of a process that has nothing to end itself.
func (b *bench) interruptSleep() (time.Duration, error) {
	return interrupt(b.command("sh", "-c", "echo ready; exec sleep 600"), "ready")
}

// interrupt starts cmd, waits until it says a word, sends SIGINT and reports how
// long it takes until cmd is gone and nothing holds its output open.
func interrupt(cmd *exec.Cmd, word string) (time.Duration, error) {
	lines, err := startUntil(cmd, word)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		return 0, err
	}
	for lines.Scan() { // to the end of the output
	}
	_ = cmd.Wait() // the status of an interrupted process
	return time.Since(began), nil
}

// startUntil starts cmd and returns its output when it has said a word.
func startUntil(cmd *exec.Cmd, word string) (*bufio.Scanner, error) {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for said := false; !said; said = strings.Contains(lines.Text(), word) {
		if !lines.Scan() {
			return nil, fmt.Errorf("%s ended before it said %q: %w", strings.Join(cmd.Args, " "), word, errors.Join(lines.Err(), cmd.Wait()))
		}
	}
	return lines, nil
}
