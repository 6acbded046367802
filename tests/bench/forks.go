package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// forkRow counts the processes that an iteration starts besides the agent. It
// needs strace, which only Linux has: exec.ErrNotFound where it is missing.
func (s *scratch) forkRow(name string) (row, error) {
	if _, err := exec.LookPath("strace"); err != nil {
		return row{}, err
	}
	// The difference of two runs leaves out what a run costs once.
	const few, many = 5, 55
	less, err := s.countForks(few)
	if err != nil {
		return row{}, err
	}
	more, err := s.countForks(many)
	if err != nil {
		return row{}, err
	}
	each := float64(more-less) / (many - few)
	return row{Name: name, Value: max(0, each-1)}, nil
}

// countForks counts the processes, not the threads, that a run starts.
func (s *scratch) countForks(iterations int) (int, error) {
	if err := s.forget(); err != nil {
		return 0, err
	}
	trace := filepath.Join(s.home, "trace")
	cmd := s.run(iterations)
	traced := s.command("strace", append([]string{"-f", "-qq", "-e", "trace=clone,clone3,fork,vfork", "-e", "signal=none", "-o", trace}, cmd.Args...)...)
	if _, err := measure(traced, 1); err != nil {
		return 0, err
	}
	f, err := os.Open(trace)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n := 0
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if isFork(lines.Text()) {
			n++
		}
	}
	if n < iterations {
		return 0, fmt.Errorf("strace saw %d forks in %d iterations", n, iterations)
	}
	return n, lines.Err()
}

// isFork reports whether a line of strace is the beginning of a call that
// makes a process. What is left are ends of calls and of processes.
func isFork(line string) bool {
	_, call, _ := strings.Cut(line, " ")
	call = strings.TrimSpace(call) // strace pads the process id
	made := strings.HasPrefix(call, "clone") || strings.HasPrefix(call, "fork") || strings.HasPrefix(call, "vfork")
	return made && !strings.Contains(call, "CLONE_THREAD")
}
