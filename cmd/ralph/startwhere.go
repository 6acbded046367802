package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"ralph/internal/handover"
	"ralph/internal/tmux"
	"ralph/internal/window"
)

// Where a background loop runs.
const (
	inAuto   = "auto"
	inTmux   = "tmux"
	inWindow = "window"
	inNone   = "none"
)

// windowWait is how long a terminal program may take to open a window: some are
// started by the call, with a desktop's worth of libraries.
const windowWait = 30 * time.Second

// carry hands the loop over to a terminal of the kind that is asked for, and
// returns when that has taken it.
func (r *resolved) carry(terminal string, fullscreen bool, args []string) (*background, error) {
	switch terminal {
	case inWindow:
		return r.carryToWindow(fullscreen, args)
	case inNone:
		return r.carryNowhere(args)
	}
	b, err := r.carryToTmux(args)
	var missing *tmux.MissingError
	switch {
	case err == nil || r.app.ctx.Err() != nil:
		return b, err
	case terminal != inAuto:
		return nil, &hintError{err, "start the loop elsewhere: ralph start --terminal none"}
	case !errors.As(err, &missing):
		r.app.t.warn("%v: the loop runs without a terminal", err)
	}
	return r.carryNowhere(args)
}

// carryToTmux is as "ralph run --monitor", but nobody looks yet.
func (r *resolved) carryToTmux(args []string) (*background, error) {
	b, err := r.openBeside(args)
	if err != nil {
		return nil, err
	}
	return &background{sent: b.loop, terminal: inTmux, attach: b.session.How()}, nil
}

// carryToWindow opens a terminal window. It stays when the loop has ended, until
// a key is pressed; closing it ends the loop.
func (r *resolved) carryToWindow(fullscreen bool, args []string) (*background, error) {
	program, err := window.Find(runtime.GOOS, os.Environ())
	if err != nil {
		return nil, &hintError{err, "start the loop elsewhere: ralph start --terminal tmux, or --terminal none"}
	}
	if fullscreen && program.Fullscreen == nil {
		r.app.t.warn("%s cannot be told to fill the screen", program.Name)
	}
	sent, argv, err := hand(args, true)
	if err != nil {
		return nil, err
	}
	said, err := unnamedFile()
	if err != nil {
		sent.Close()
		return nil, err
	}
	defer said.Close()
	title := "Ralph: " + filepath.Base(r.place.repo.Root)
	cmd := detached(program.Argv(title, fullscreen, argv))
	cmd.Stderr = said
	if err := r.launch(cmd, sent, windowWait); err != nil {
		err = fmt.Errorf("%s opened no window: %w", program.Name, err)
		if words := lastWords(said); words != "" {
			err = fmt.Errorf("%w: %s", err, words)
		}
		return nil, &hintError{err, "start the loop elsewhere: ralph start --terminal tmux, or --terminal none"}
	}
	return &background{sent: sent, terminal: inWindow}, nil
}

// carryNowhere starts the loop in a session of its own, which no terminal
// belongs to: none can end it by going away.
func (r *resolved) carryNowhere(args []string) (*background, error) {
	log := filepath.Join(r.place.repo.Root, r.place.logDir(), "start.log")
	if err := os.MkdirAll(filepath.Dir(log), 0o755); err != nil {
		return nil, fmt.Errorf("the log of the loop cannot be made: %w", err)
	}
	// An agent may print what is secret; the file before may be a link.
	_ = os.Remove(log)
	out, err := os.OpenFile(log, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the log of the loop cannot be made: %w", err)
	}
	defer out.Close()
	sent, argv, err := hand(args, false)
	if err != nil {
		return nil, err
	}
	cmd := detached(argv)
	cmd.Stdout, cmd.Stderr = out, out
	if err := r.launch(cmd, sent, takeOverWait); err != nil {
		return nil, &hintError{fmt.Errorf("the loop did not start: %w", err), "its output is in " + log}
	}
	return &background{sent: sent, terminal: inNone, log: log}, nil
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
func (r *resolved) launch(cmd *exec.Cmd, sent *handover.Sender, wait time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(r.app.ctx, wait, fmt.Errorf("nothing happened for %s", wait))
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

// unnamedFile is a file that a program may write to for as long as it lives, and
// that is gone then.
func unnamedFile() (*os.File, error) {
	f, err := os.CreateTemp("", "ralph-")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

// lastWords is the last line that is in a file, made harmless.
func lastWords(f *os.File) string {
	const enough = 4096
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return ""
	}
	text := make([]byte, min(size, enough))
	n, _ := f.ReadAt(text, size-int64(len(text)))
	lines := strings.Split(strings.TrimSpace(string(text[:n])), "\n")
	return shortened(oneLine(lines[len(lines)-1]), 200)
}
