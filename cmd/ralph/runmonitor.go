package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"ralph/internal/background"
	"ralph/internal/handover"
	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/screen"
	"ralph/internal/stream"
	"ralph/internal/unit"
)

// tmuxLoop is a loop in a tmux session of its own, for the process that waits for its end.
type tmuxLoop struct {
	r    *resolved
	loop *background.Loop

	attached *exec.Cmd // the tmux that shows it here, nil where none does
	left     <-chan error
	result   *ended // nil until the loop has ended
	stopping bool   // it was asked to stop
}

// runInTmux runs the loop in a tmux session, next to its dashboard. Without tmux it runs
// in this terminal.
func (r *resolved) runInTmux() error {
	a := r.app
	if r.Place.Unit == "" {
		return unit.ErrDetached
	}
	done := a.t.ShowActivity("waiting for tmux")
	l, err := r.starter().InTmux(a.ctx, r.answered(a.args))
	done()
	if err != nil {
		if a.ctx.Err() != nil {
			return exitError(journal.ExitInterrupted)
		}
		a.t.Warn("%v: the loop runs in this terminal, without its dashboard", err)
		return r.start()
	}
	defer l.Close()
	return (&tmuxLoop{r: r, loop: l}).wait()
}

// ended is the result of the loop.
type ended struct {
	code int
	err  error
}

// wait shows the session, if there is a terminal, until the loop has ended or the user has
// detached.
func (b *tmuxLoop) wait() error {
	// Signals are handled here and do not cancel everything.
	ctx := context.WithoutCancel(b.r.app.ctx)
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	over := make(chan ended, 1)
	go func() {
		report, err := b.loop.Wait(ctx)
		over <- ended{report.Exit, err}
	}()
	b.show(ctx)
	for {
		select {
		case e := <-over:
			b.result = &e
			if b.attached == nil || b.stopping {
				return b.finish(ctx)
			} // else its last lines are read, until a key is pressed
		case err := <-b.left:
			b.attached, b.left = nil, nil
			if b.result != nil {
				return b.finish(ctx)
			}
			if b.detached(ctx, err) {
				return nil
			}
		case s := <-signals:
			if s == syscall.SIGHUP {
				return exitError(journal.ExitStopped) // this terminal is gone; the loop is not in it
			}
			b.stopping = true
			if b.result != nil {
				return b.finish(ctx)
			}
			b.stop(s)
		}
	}
}

// detached reports whether the user has left a loop that continues. err is the error of
// the tmux that showed it.
func (b *tmuxLoop) detached(ctx context.Context, err error) bool {
	switch {
	case !b.loop.Session.Alive(ctx):
		return false // it was killed: the loop ends with it, in its own time
	case err != nil:
		b.explain("tmux does not show it here (%v)", err)
		return false
	}
	b.r.app.t.Printf("the loop of %s continues; return to it with: %s\n", stream.Sanitize(b.r.Place.Unit), b.loop.Session.How())
	return true
}

// stop passes a signal on to the loop.
func (b *tmuxLoop) stop(s os.Signal) {
	if err := b.loop.Signal(s); err == nil && b.attached == nil {
		b.r.app.t.Printf("asked the loop to stop\n")
	}
}

// show shows the session on the user's terminal.
func (b *tmuxLoop) show(ctx context.Context) {
	t := b.r.app.t
	if !t.CanAsk {
		b.explain("")
		return
	}
	if os.Getenv("TMUX") != "" {
		err := b.loop.Session.Switch(ctx)
		if err == nil {
			t.Printf("the loop of %s runs in the tmux session %s; Ctrl-C here asks it to stop\n", stream.Sanitize(b.r.Place.Unit), b.loop.Session.Name)
		} else {
			b.explain("tmux does not show it here (%v)", err)
		}
		return
	}
	cmd := b.loop.Session.Attach(os.Stdin, os.Stdout, os.Stderr)
	if err := cmd.Start(); err != nil {
		b.explain("tmux does not show it here (%v)", err)
		return
	}
	left := make(chan error, 1)
	go func() { left <- cmd.Wait() }()
	b.attached, b.left = cmd, left
}

// explain says how to show a loop that this terminal does not show.
func (b *tmuxLoop) explain(why string, args ...any) {
	if why != "" {
		b.r.app.t.Warn(why, args...)
	}
	b.r.app.t.Printf("the loop of %s runs in tmux; show it with: %s\n", stream.Sanitize(b.r.Place.Unit), b.loop.Session.How())
}

// finish shows how the loop ended, and closes a session that no one watches.
func (b *tmuxLoop) finish(ctx context.Context) error {
	if b.attached != nil {
		_ = b.attached.Process.Signal(syscall.SIGTERM) // tmux restores the terminal
		<-b.left
	}
	if !b.loop.Session.Watched(ctx) {
		_ = b.loop.Session.Close(ctx) // it may be gone already
	}
	if errors.Is(b.result.err, handover.ErrLost) {
		return hint.With(fmt.Errorf("the loop of %s has died", b.r.Place.Unit), "continue with: ralph run")
	}
	if b.result.err != nil {
		return b.result.err
	}
	b.r.printEnd(b.loop.Began)
	if b.result.code != 0 {
		return exitError(b.result.code)
	}
	return nil
}

// printEnd prints in a line how the run that started after a moment has ended, and reports
// whether there was one.
func (r *resolved) printEnd(began time.Time) bool {
	s, ok := r.Place.EndedSince(began)
	if !ok {
		return false
	}
	r.app.t.Printf("%s\n", screen.EndLine(r.app.t, s))
	return true
}
