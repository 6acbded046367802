package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ralph/internal/handover"
	"ralph/internal/journal"
)

// startLimit is how long a loop may take to look at its plan before it begins.
const startLimit = 30 * time.Second

// launch starts ralph on the unit as a process of its own session, which
// neither a signal to this one's group nor its end reaches. The arguments
// and the environment go through a file, because everybody can see an argv.
func launch(a *app, p *place, args []string) (mcpStartOut, error) {
	out := mcpStartOut{Unit: p.unit, Worktree: p.repo.Root, Log: filepath.Join(p.stateDir, "start.log")}
	parcel, err := handover.Here(args)
	if err != nil {
		return out, err
	}
	parcel.Dir = p.repo.Root
	sent, err := handover.Send(parcel)
	if err != nil {
		return out, err
	}
	defer sent.Close()
	argv, err := handoverArgv(sent)
	if err != nil {
		return out, err
	}
	log, err := newPrivate(out.Log)
	if err != nil {
		return out, fmt.Errorf("the loop's output cannot be kept: %w", err)
	}
	defer log.Close()
	began := time.Now()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.repo.Root, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return out, fmt.Errorf("ralph cannot be started: %w", err)
	}
	out.PID = cmd.Process.Pid
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	soon, cancel := context.WithTimeout(a.ctx, takeOverWait)
	defer cancel()
	if err := sent.Taken(soon); err != nil {
		_ = cmd.Process.Kill() // it has begun nothing
		return out, err
	}
	out.Message, err = begun(a, p, out, began, ended)
	return out, err
}

// begun waits until the loop's run has begun, or has ended.
func begun(a *app, p *place, out mcpStartOut, began time.Time, ended <-chan error) (string, error) {
	limit := time.NewTimer(startLimit)
	defer limit.Stop()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			if err == nil || ranSince(a, p, began) {
				return "the loop has ended already; get_status tells how", nil
			}
			return "", fmt.Errorf("the loop ended before it began: %s", complaint(out.Log, err))
		case <-look.C:
			// The lock, whose file is small, says when the journal is worth a look.
			if h, err := journal.ReadHolder(p.stateDir); err == nil && h.PID == out.PID && ranSince(a, p, began) {
				return "the loop is at work; get_status tells how far it is", nil
			}
		case <-limit.C:
			return "the loop is still looking at its plan; get_status tells when it has begun", nil
		case <-a.ctx.Done():
			return "", context.Cause(a.ctx)
		}
	}
}

// ranSince tells whether a run of the unit has begun since a time.
func ranSince(a *app, p *place, began time.Time) bool {
	now, err := p.standing(a.t)
	// The journal's times have milliseconds.
	return err == nil && now.record != nil && !now.status.StartedAt.Before(began.Truncate(time.Second))
}

// complaint is what the loop has said about its end: what is no event among
// the last lines of its output.
func complaint(path string, ended error) string {
	f, err := os.Open(path)
	if err != nil {
		return ended.Error()
	}
	defer f.Close()
	if _, err := seekEnd(f, 4<<10); err != nil {
		return ended.Error()
	}
	data, err := io.ReadAll(io.LimitReader(f, 4<<10))
	var said []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "{") {
			said = append(said, line)
		}
	}
	if err != nil || len(said) == 0 {
		return ended.Error()
	}
	return strings.TrimPrefix(strings.Join(said, "; "), "ralph: ")
}

// newPrivate makes a file anew that only its owner can read, whoever could read
// the one before.
func newPrivate(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
}
