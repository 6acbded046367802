// Package hold keeps ralph from outliving the worker that started it. A process between the two
// does nothing but wait: when the worker is gone, however it died, the pipe between them closes,
// and the process stops ralph.
package hold

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// Word is the argument with which ralph-fleet starts itself as the process between.
const Word = "__hold"

// grace is how long ralph may take to end before it is killed: longer than it gives
// its agent. What it leaves alive then its own guardian ends.
const grace = 20 * time.Second

// Start starts a command that ends when this process does, or when the returned stop
// is called. The command's directory, environment and outputs are set by configure.
func Start(argv []string, configure func(*exec.Cmd)) (cmd *exec.Cmd, stop func(), err error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("ralph-fleet cannot find its own program: %w", err)
	}
	ours, theirs, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer ours.Close()
	cmd = exec.Command(exe, append([]string{Word}, argv...)...)
	configure(cmd)
	cmd.Stdin = ours
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for the worker, which reports what to do
	if err := cmd.Start(); err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return cmd, func() { theirs.Close() }, nil
}

// Main is the process between: it runs the command until that ends or standard input
// does, and returns the command's exit status.
func Main(argv []string) int {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	// A signal to this process alone would leave the command without anybody.
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "ralph-fleet:", err)
		return 127
	}
	ctx, over := context.WithCancel(context.Background())
	go func() { // until the worker closes its end
		_, _ = io.Copy(io.Discard, os.Stdin)
		over()
	}()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var kill <-chan time.Time
	gone := ctx.Done()
	for {
		select {
		case err := <-ended:
			return status(err)
		case <-gone:
			gone, kill = nil, time.After(grace)
			_ = cmd.Process.Signal(syscall.SIGTERM)
		case <-signals:
			over()
		case <-kill:
			_ = cmd.Process.Kill()
		}
	}
}

// status returns the exit status of a command in the form of a shell.
func status(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case !errors.As(err, &exit):
		return 1
	case exit.ExitCode() >= 0:
		return exit.ExitCode()
	}
	if w, ok := exit.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return 1
}
