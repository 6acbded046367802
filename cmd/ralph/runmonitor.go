package main

import (
	"context"
	"os"
	"os/exec"
	"time"

	"golang.org/x/term"

	"ralph/internal/handover"
	"ralph/internal/journal"
	"ralph/internal/monitor"
	"ralph/internal/tmux"
	"ralph/internal/unit"
)

// takeOverWait is how long a pane may take to start ralph.
const takeOverWait = 10 * time.Second

// beside is a loop in a tmux session of its own, for the process that waits for its end.
type beside struct {
	r       *resolved
	session *monitor.Session
	loop    *handover.Sender
	began   time.Time

	attached *exec.Cmd // the tmux that shows it here, nil where none does
	left     <-chan error
	result   *ended // nil until the loop has ended
	stopping bool   // it was asked to stop
}

// runBeside runs the loop in a tmux session, next to its dashboard. Without tmux it runs
// in this terminal.
func (r *resolved) runBeside() error {
	a := r.app
	if r.Place.Unit == "" {
		return unit.ErrDetached
	}
	done := a.t.Slowly("waiting for tmux")
	b, err := r.openBeside(r.answered(a.args))
	done()
	if err != nil {
		if a.ctx.Err() != nil {
			return exitError(journal.ExitInterrupted)
		}
		a.t.Warn("%v: the loop runs in this terminal, without its dashboard", err)
		return r.start()
	}
	defer b.loop.Close()
	return b.wait()
}

// openBeside makes the session and waits until the loop's pane has taken over
// args, the command that is to run the loop.
func (r *resolved) openBeside(args []string) (b *beside, err error) {
	ctx := r.app.ctx
	client, err := tmux.Find(ctx, os.Environ())
	if err != nil {
		return nil, err
	}
	sent, argv, err := hand(args, true)
	if err != nil {
		return nil, err
	}
	dashboard, dashboardArgv, err := hand([]string{"--color", r.app.colorMode, "monitor", r.Place.Unit}, false)
	if err != nil {
		sent.Close()
		return nil, err
	}
	defer dashboard.Close()
	b, err = r.openSession(client, sent, argv, dashboardArgv)
	if b == nil {
		sent.Close()
		return nil, err
	}
	soon, cancel := context.WithTimeout(ctx, takeOverWait)
	defer cancel()
	if err := sent.Taken(soon); err != nil {
		sent.Close()
		_ = b.session.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	if err == nil {
		err = dashboard.Taken(soon)
	}
	if err != nil {
		r.app.t.Warn("there is no dashboard: %v", err)
	}
	if b.session.Lasting {
		r.app.t.Warn("tmux's setting exit-unattached would end the loop when no one watches it: it is off now, until the tmux server ends")
	}
	return b, nil
}

// openSession starts both panes. Together with an error there may be one that
// has the loop alone.
func (r *resolved) openSession(client *tmux.Client, sent *handover.Sender, argv, dashboardArgv []string) (*beside, error) {
	width, height, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || width < 1 || height < 1 {
		width, height = 200, 50
	}
	session, err := monitor.OpenSession(r.app.ctx, client, monitor.SessionOptions{
		Unit: r.Place.Unit, StateDir: r.Place.StateDir, Dir: r.Place.Repo.Root, Width: width, Height: height,
		Loop: argv, Dashboard: dashboardArgv, TMUX: os.Getenv("TMUX"),
	})
	if session == nil {
		return nil, err
	}
	return &beside{r: r, session: session, loop: sent, began: time.Now()}, err
}

// hand sends a command of this program, to be carried out elsewhere as if here.
func hand(args []string, hold bool) (*handover.Sender, []string, error) {
	parcel, err := handover.Here(args)
	if err != nil {
		return nil, nil, err
	}
	parcel.Hold = hold
	return handOver(parcel)
}

// handOver puts a parcel where the command that it returns takes it over.
func handOver(parcel handover.Parcel) (*handover.Sender, []string, error) {
	sent, err := handover.Send(parcel)
	if err != nil {
		return nil, nil, err
	}
	argv, err := handoverArgv(sent)
	if err != nil {
		sent.Close()
	}
	return sent, argv, err
}
