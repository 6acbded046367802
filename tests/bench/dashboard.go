package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// How long the dashboard may take to get ready, and how long it is watched.
const (
	settled = 3 * time.Second
	watched = 20 * time.Second
)

// dashboards measures what the dashboard of a loop with a silent agent costs.
func (b *bench) dashboards() ([]row, error) {
	s, err := b.newScratch("dashboard", 10)
	if err != nil {
		return nil, err
	}
	if err := s.hang(); err != nil {
		return nil, err
	}
	run := s.hangingRun()
	lines, err := startUntil(run, "waiting for a signal")
	if err != nil {
		return nil, err
	}
	defer func() {
		_ = run.Process.Signal(syscall.SIGINT)
		for lines.Scan() { // to the end of the output
		}
		_ = run.Wait() // the status of an interrupted process
	}()
	var rows []row
	if _, err := processTime(os.Getpid()); err == nil { // else no /proc on this machine
		took, err := s.watch(s.command(s.b.ralph, "monitor"), watched)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{Name: "CPU seconds in a minute, nothing happens", Value: took.Seconds() * float64(time.Minute/watched)}.atMost(0.1))
	}
	if _, err := exec.LookPath("strace"); err != nil {
		return rows, nil //nolint:nilerr // not on this machine
	}
	forks, err := s.dashboardForks()
	return append(rows, row{Name: "forks while nothing happens", Value: float64(forks)}.atMost(0)), err
}

// watch shows the dashboard on a terminal, and returns what it takes of the
// processor once it is settled, in that time.
func (s *scratch) watch(cmd *exec.Cmd, long time.Duration) (time.Duration, error) {
	cmd.Env = append(s.env, "TERM=xterm-256color")
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		return 0, err
	}
	defer terminal.Close()
	shown := make(chan int64, 1)
	go func() {
		n, _ := io.Copy(io.Discard, terminal)
		shown <- n
	}()
	time.Sleep(settled)
	before, err := processTime(cmd.Process.Pid)
	time.Sleep(long)
	after, _ := processTime(cmd.Process.Pid)
	if _, err := terminal.WriteString("q"); err != nil { // strace would not pass a signal on
		return 0, err
	}
	if n := <-shown; n == 0 {
		return 0, errors.New("the dashboard has shown nothing")
	}
	return after - before, errors.Join(err, cmd.Wait())
}

// processTime is what the threads of a process have had of the processor.
func processTime(pid int) (time.Duration, error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(threads) == 0 {
		return 0, fmt.Errorf("the processor's time of %d is not known: %w", pid, os.ErrNotExist)
	}
	var sum time.Duration
	for _, path := range threads {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // the thread has just ended
		}
		ran, _, _ := strings.Cut(string(data), " ")
		n, err := strconv.ParseInt(ran, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", path, err)
		}
		sum += time.Duration(n)
	}
	return sum, nil
}

// dashboardForks counts the processes that the dashboard starts once it is settled.
func (s *scratch) dashboardForks() (int, error) {
	trace := filepath.Join(s.home, "trace")
	cmd := s.command("strace", "-f", "-qq", "-ttt", "-e", "trace=clone,clone3,fork,vfork", "-e", "signal=none", "-o", trace, s.b.ralph, "monitor")
	began := time.Now()
	if _, err := s.watch(cmd, 5*time.Second); err != nil {
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
		pid, rest, _ := strings.Cut(lines.Text(), " ")
		stamp, call, _ := strings.Cut(strings.TrimSpace(rest), " ")
		at, err := strconv.ParseFloat(stamp, 64)
		if err != nil {
			return 0, fmt.Errorf("strace wrote a line without a time: %q", lines.Text())
		}
		since := time.Duration(at*1e9) - time.Duration(began.UnixNano())
		if since > settled && isFork(pid+" "+call) {
			n++
		}
	}
	return n, lines.Err()
}
