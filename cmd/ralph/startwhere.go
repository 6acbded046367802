package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"ralph/internal/background"
	"ralph/internal/handover"
	"ralph/internal/hint"
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

// carry hands the loop over to a terminal of the kind that is asked for, and
// returns when that has taken it.
func (r *resolved) carry(terminal string, fullscreen bool, args []string) (*carried, error) {
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
		return nil, hint.With(err, "start the loop elsewhere: ralph start --terminal none")
	case !errors.As(err, &missing):
		r.app.t.Warn("%v: the loop runs without a terminal", err)
	}
	return r.carryNowhere(args)
}

// carryToTmux starts the loop as "ralph run --monitor" does, without showing the session.
func (r *resolved) carryToTmux(args []string) (*carried, error) {
	b, err := r.openBeside(args)
	if err != nil {
		return nil, err
	}
	return &carried{sent: b.loop, terminal: inTmux, attach: b.session.How()}, nil
}

// carryToWindow opens a terminal window. It stays when the loop has ended, until
// a key is pressed; closing it ends the loop.
func (r *resolved) carryToWindow(fullscreen bool, args []string) (*carried, error) {
	program, err := window.Find(runtime.GOOS, os.Environ())
	if err != nil {
		return nil, hint.With(err, "start the loop elsewhere: ralph start --terminal tmux, or --terminal none")
	}
	if fullscreen && program.Fullscreen == nil {
		r.app.t.Warn("%s cannot fill the screen", program.Name)
	}
	sent, argv, err := hand(args, true)
	if err != nil {
		return nil, err
	}
	title := "Ralph: " + filepath.Base(r.Place.Repo.Root)
	if err := background.StartInWindow(r.app.ctx, sent, program.Argv(title, fullscreen, argv)); err != nil {
		return nil, hint.With(fmt.Errorf("%s opened no window: %w", program.Name, err), "start the loop elsewhere: ralph start --terminal tmux, or --terminal none")
	}
	return &carried{sent: sent, terminal: inWindow}, nil
}

// carryNowhere starts the loop as a process that no terminal belongs to.
func (r *resolved) carryNowhere(args []string) (*carried, error) {
	parcel, err := handover.Here(args)
	if err != nil {
		return nil, err
	}
	return nowhere(r.app.ctx, parcel, r.Place.StartLog())
}

// nowhere hands a command over to a process that no terminal belongs to. It
// returns when that has taken over.
func nowhere(ctx context.Context, parcel handover.Parcel, log string) (*carried, error) {
	out, err := background.NewLog(log)
	if err != nil {
		return nil, fmt.Errorf("the log of the loop cannot be made: %w", err)
	}
	defer out.Close()
	sent, argv, err := handOver(parcel)
	if err != nil {
		return nil, err
	}
	if err := background.Start(ctx, sent, argv, out, takeOverWait); err != nil {
		return nil, hint.With(fmt.Errorf("the loop did not start: %w", err), "its output is in "+log)
	}
	return &carried{sent: sent, terminal: inNone, log: log}, nil
}
