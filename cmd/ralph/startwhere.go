package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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
	if err := launch(r.app.ctx, cmd, sent, windowWait); err != nil {
		err = fmt.Errorf("%s opened no window: %w", program.Name, err)
		if words := lastWords(said); words != "" {
			err = fmt.Errorf("%w: %s", err, words)
		}
		return nil, &hintError{err, "start the loop elsewhere: ralph start --terminal tmux, or --terminal none"}
	}
	return &background{sent: sent, terminal: inWindow}, nil
}

// carryNowhere starts the loop as a process that no terminal belongs to.
func (r *resolved) carryNowhere(args []string) (*background, error) {
	parcel, err := handover.Here(args)
	if err != nil {
		return nil, err
	}
	return nowhere(r.app.ctx, parcel, r.place.startLog())
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
