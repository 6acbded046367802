package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"ralph/internal/handover"
)

// startLog is where the output of a loop goes that no terminal belongs to.
func (p *place) startLog() string { return filepath.Join(p.repo.Root, p.logDir(), "start.log") }

// nowhere hands a command over to a process in a session of its own, which no
// terminal belongs to: none can end it by going away. It returns when that has
// taken over.
func nowhere(ctx context.Context, parcel handover.Parcel, log string) (*background, error) {
	out, err := newPrivate(log)
	if err != nil {
		return nil, fmt.Errorf("the log of the loop cannot be made: %w", err)
	}
	defer out.Close()
	sent, argv, err := handOver(parcel)
	if err != nil {
		return nil, err
	}
	cmd := detached(argv)
	cmd.Stdout, cmd.Stderr = out, out
	if err := launch(ctx, cmd, sent, takeOverWait); err != nil {
		return nil, &hintError{fmt.Errorf("the loop did not start: %w", err), "its output is in " + log}
	}
	return &background{sent: sent, terminal: inNone, log: log}, nil
}

// newPrivate makes a file anew that only its owner can read: an agent may print
// what is secret. The file before may be a link, or anybody's to read.
func newPrivate(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
}

// detached is a command that has nothing to do with this terminal.
func detached(argv []string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = handover.WithoutTerminal(os.Environ())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// launch starts the command that is to take over what was sent. A command that
// ends well may have left that to another process, as terminals with a server do.
func launch(ctx context.Context, cmd *exec.Cmd, sent *handover.Sender, wait time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, fmt.Errorf("nothing happened for %s", wait))
	defer cancel()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	err := cmd.Start()
	if err == nil {
		go func() {
			if err := cmd.Wait(); err != nil {
				fail(err)
			}
		}()
		err = sent.Taken(ctx)
	}
	if err == nil {
		return nil
	}
	sent.Close()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}
