package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"ralph/internal/handover"
	"ralph/internal/journal"
	"ralph/internal/loop"
	"ralph/internal/monitor"
	"ralph/internal/stream"
	"ralph/internal/tmux"
)

// takeOverWait is how long a pane may take to start ralph.
const takeOverWait = 10 * time.Second

// beside is a loop in a tmux session of its own, and who waits for its end here.
type beside struct {
	r       *resolved
	session *monitor.Session
	loop    *handover.Sender
	began   time.Time
}

// runBeside runs the loop in a tmux session, with its dashboard beside it.
// Without tmux it runs in this terminal.
func (r *resolved) runBeside() error {
	a := r.app
	switch {
	case r.place.unit == "":
		return errDetached
	case running(r.place):
		return &hintError{fmt.Errorf("a loop is at work on %s already", r.place.unit), "look at it: ralph monitor; end it: ralph stop"}
	}
	b, err := r.openBeside()
	if err != nil {
		if a.ctx.Err() != nil {
			return exitError(loop.ExitInterrupted)
		}
		a.t.warn("%v: the loop runs in this terminal, without its dashboard", err)
		return r.start()
	}
	defer b.loop.Close()
	return b.wait()
}

// openBeside makes the session and waits until the loop's pane has taken over.
func (r *resolved) openBeside() (b *beside, err error) {
	ctx := r.app.ctx
	client, err := tmux.Find(ctx, os.Environ())
	if err != nil {
		return nil, err
	}
	sent, argv, err := hand(r.app.args, true)
	if err != nil {
		return nil, err
	}
	dashboard, dashboardArgv, err := hand([]string{"--color", r.app.colorMode, "monitor", r.place.unit}, false)
	if err != nil {
		sent.Close()
		return nil, err
	}
	defer dashboard.Close()
	b = &beside{r: r, loop: sent, began: time.Now()}
	width, height, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || width < 1 || height < 1 {
		width, height = 200, 50
	}
	b.session, err = monitor.OpenSession(ctx, client, monitor.SessionOptions{
		Unit: r.place.unit, StateDir: r.place.stateDir, Dir: r.place.repo.Root, Width: width, Height: height,
		Loop: argv, Dashboard: dashboardArgv, TMUX: os.Getenv("TMUX"),
	})
	if b.session == nil {
		sent.Close()
		return nil, err
	}
	soon, cancel := context.WithTimeout(ctx, takeOverWait)
	defer cancel()
	if err != nil {
		r.app.t.warn("there is no dashboard: %v", err)
	} else {
		_ = dashboard.Taken(soon) // without it the loop runs all the same
	}
	if err := sent.Taken(soon); err != nil {
		sent.Close()
		_ = b.session.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return b, nil
}

// hand sends a command of this program, to be carried out elsewhere as if here.
func hand(args []string, hold bool) (*handover.Sender, []string, error) {
	parcel, err := handover.Here(args)
	if err != nil {
		return nil, nil, err
	}
	parcel.Hold = hold
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

// ended is how the loop ended, for whoever waits.
type ended struct {
	code int
	err  error
}

// wait shows the session, if there is a terminal, until the loop has ended or
// the person has detached.
func (b *beside) wait() error {
	// The signals are answered here, not by cancelling everything.
	ctx := context.WithoutCancel(b.r.app.ctx)
	told := make(chan os.Signal, 4)
	signal.Notify(told, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(told)
	over := make(chan ended, 1)
	go func() {
		code, err := b.loop.Wait(ctx)
		over <- ended{code, err}
	}()
	attached, left := b.show(ctx)
	var result *ended
	stopping := false
	for {
		select {
		case e := <-over:
			result = &e
			if attached != nil && !stopping {
				continue // its last lines are read, until a key is pressed
			}
			return b.finish(ctx, attached, left, e)
		case err := <-left:
			attached, left = nil, nil
			switch {
			case result != nil:
				return b.finish(ctx, nil, nil, *result)
			case !b.session.Alive(ctx):
				// It was killed: the loop ends with it, in its own time.
			case err != nil:
				b.tell("tmux does not show it here (%v)", err)
			default:
				b.r.app.t.printf("the loop of %s goes on; come back with: %s\n", stream.Sanitize(b.r.place.unit), b.session.How())
				return nil
			}
		case s := <-told:
			if s == syscall.SIGHUP {
				return exitError(loop.ExitStopped) // this terminal is gone; the loop is not in it
			}
			stopping = true
			if result != nil {
				return b.finish(ctx, attached, left, *result)
			}
			if err := b.loop.Signal(s); err == nil && attached == nil {
				b.r.app.t.printf("asked the loop to stop\n")
			}
		}
	}
}

// show brings the session onto the person's terminal. left is told when it is
// no longer there; inside of tmux, and without a terminal, it never is.
func (b *beside) show(ctx context.Context) (attached *exec.Cmd, left chan error) {
	t := b.r.app.t
	if !t.canAsk {
		b.tell("")
		return nil, nil
	}
	if os.Getenv("TMUX") != "" {
		err := b.session.Switch(ctx)
		if err == nil {
			t.printf("the loop of %s runs in the tmux session %s; Ctrl-C here asks it to stop\n", stream.Sanitize(b.r.place.unit), b.session.Name)
		} else {
			b.tell("tmux does not show it here (%v)", err)
		}
		return nil, nil
	}
	cmd := b.session.Attach(os.Stdin, os.Stdout, os.Stderr)
	if err := cmd.Start(); err != nil {
		b.tell("tmux does not show it here (%v)", err)
		return nil, nil
	}
	left = make(chan error, 1)
	go func() { left <- cmd.Wait() }()
	return cmd, left
}

// tell says how to look at a loop that this terminal does not show.
func (b *beside) tell(why string, args ...any) {
	if why != "" {
		b.r.app.t.warn(why, args...)
	}
	b.r.app.t.printf("the loop of %s runs in tmux; look at it with: %s\n", stream.Sanitize(b.r.place.unit), b.session.How())
}

// finish tells how the loop ended, and leaves nothing behind that nobody looks at.
func (b *beside) finish(ctx context.Context, attached *exec.Cmd, left <-chan error, e ended) error {
	if attached != nil {
		_ = attached.Process.Signal(syscall.SIGTERM) // tmux puts the terminal back
		<-left
	}
	if !b.session.Watched(ctx) {
		_ = b.session.Close(ctx) // it may be gone already
	}
	if errors.Is(e.err, handover.ErrLost) {
		return &hintError{fmt.Errorf("the loop of %s has died", b.r.place.unit), "go on with: ralph run"}
	}
	if e.err != nil {
		return e.err
	}
	b.verdict()
	if e.code != 0 {
		return exitError(e.code)
	}
	return nil
}

// verdict says how the run ended, in a line.
func (b *beside) verdict() {
	path, err := b.r.place.recordedAt()
	if err != nil || path == "" {
		return
	}
	var s journal.Status
	if _, err := journal.Scan(path, s.Apply); err != nil || s.Active() || s.StartedAt.Before(b.began.Truncate(time.Second)) {
		return // it did not come to a run
	}
	t := b.r.app.t
	mark, word := t.paint(red, t.symbol("✗")), strings.ReplaceAll(string(s.Reason), "_", " ")
	if s.Status == journal.StatusCompleted {
		mark, word = t.paint(green, t.symbol("✓")), "done"
	}
	t.printf("%s %s\n", mark, stream.Sanitize(word+": "+string(s.Message)))
}
