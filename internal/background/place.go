package background

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/term"

	"ralph/internal/handover"
	"ralph/internal/hint"
	"ralph/internal/monitor"
	"ralph/internal/tmux"
	"ralph/internal/window"
)

// The places where a loop can run in the background.
const (
	Auto   = "auto" // tmux if it is installed, else no terminal
	Tmux   = "tmux"
	Window = "window"
	None   = "none" // without a terminal
)

// takeOverWait is how long a pane or a process may take to start ralph.
const takeOverWait = 10 * time.Second

// Starter starts the loop of a unit in another process.
type Starter struct {
	Word     string // the argument that makes this program take over the work
	Unit     string
	StateDir string
	Root     string // of the worktree
	Log      string // for the output of a loop without a terminal
	Color    string // the dashboard's --color
	Dir      string // where the command runs; "" for the current folder
	Warn     func(format string, args ...any)
}

// Loop is a loop that runs in another process.
type Loop struct {
	*handover.Sender
	Terminal string           // tmux, window or none
	Session  *monitor.Session // in tmux
	Log      string           // file with its output; "" if it has a terminal
	Began    time.Time
}

// Attach returns the command that shows the loop's tmux session, or "" without a session.
func (l *Loop) Attach() string {
	if l.Session == nil {
		return ""
	}
	return l.Session.How()
}

// Output returns a hint where to find the loop's last output.
func (l *Loop) Output() string {
	switch {
	case l.Log != "":
		return "its output is in " + l.Log
	case l.Session != nil:
		return "its output may be in the session: " + l.Attach()
	}
	return "try it in this terminal: ralph run"
}

// In starts the command args in the given place: Auto, Tmux, Window or None. fullscreen applies
// to a window.
func (s Starter) In(ctx context.Context, place string, fullscreen bool, args []string) (*Loop, error) {
	switch place {
	case Window:
		return s.inWindow(ctx, fullscreen, args)
	case None:
		return s.Nowhere(ctx, args)
	}
	l, err := s.InTmux(ctx, args)
	var missing *tmux.MissingError
	switch {
	case err == nil || ctx.Err() != nil:
		return l, err
	case place != Auto:
		return nil, hint.With(err, "start the loop elsewhere: ralph start --terminal none")
	case !errors.As(err, &missing):
		s.Warn("%v: the loop runs without a terminal", err)
	}
	return s.Nowhere(ctx, args)
}

// InTmux starts the loop in a new tmux session, next to its dashboard.
func (s Starter) InTmux(ctx context.Context, args []string) (*Loop, error) {
	began := time.Now()
	client, err := tmux.Find(ctx, os.Environ())
	if err != nil {
		return nil, err
	}
	sent, argv, err := s.hand(args, true)
	if err != nil {
		return nil, err
	}
	dashboard, dashboardArgv, err := s.hand([]string{"--color", s.Color, "monitor", s.Unit}, false)
	if err != nil {
		sent.Close()
		return nil, err
	}
	defer dashboard.Close()
	width, height, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || width < 1 || height < 1 {
		width, height = 200, 50
	}
	// Together with an error there may be a session that has the loop alone.
	session, err := monitor.OpenSession(ctx, client, monitor.SessionOptions{
		Unit: s.Unit, StateDir: s.StateDir, Dir: s.Root, Width: width, Height: height,
		Loop: argv, Dashboard: dashboardArgv, TMUX: os.Getenv("TMUX"),
	})
	if session == nil {
		sent.Close()
		return nil, err
	}
	l := &Loop{Sender: sent, Terminal: Tmux, Session: session, Began: began}
	soon, cancel := context.WithTimeout(ctx, takeOverWait)
	defer cancel()
	if err := sent.Taken(soon); err != nil {
		sent.Close()
		_ = session.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	if err == nil {
		err = dashboard.Taken(soon)
	}
	if err != nil {
		s.Warn("there is no dashboard: %v", err)
	}
	if session.Lasting {
		s.Warn("tmux's setting exit-unattached would end the loop when no one watches it: it is off now, until the tmux server ends")
	}
	return l, nil
}

// inWindow starts the loop in a new terminal window. The window stays open after the loop,
// until a key is pressed. Closing it ends the loop.
func (s Starter) inWindow(ctx context.Context, fullscreen bool, args []string) (*Loop, error) {
	began := time.Now()
	program, err := window.Find(runtime.GOOS, os.Environ())
	if err != nil {
		return nil, hint.With(err, "start the loop elsewhere: ralph start --terminal tmux, or --terminal none")
	}
	if fullscreen && program.Fullscreen == nil {
		s.Warn("%s cannot fill the screen", program.Name)
	}
	sent, argv, err := s.hand(args, true)
	if err != nil {
		return nil, err
	}
	title := "Ralph: " + filepath.Base(s.Root)
	if err := startInWindow(ctx, sent, program.Argv(title, fullscreen, argv)); err != nil {
		return nil, hint.With(fmt.Errorf("%s opened no window: %w", program.Name, err), "start the loop elsewhere: ralph start --terminal tmux, or --terminal none")
	}
	return &Loop{Sender: sent, Terminal: Window, Began: began}, nil
}

// Nowhere starts the loop as a process without a terminal.
func (s Starter) Nowhere(ctx context.Context, args []string) (*Loop, error) {
	out, err := createLog(s.Log)
	if err != nil {
		return nil, fmt.Errorf("the log of the loop cannot be made: %w", err)
	}
	defer out.Close()
	sent, argv, err := s.hand(args, false)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := start(ctx, sent, argv, out, takeOverWait); err != nil {
		return nil, hint.With(fmt.Errorf("the loop did not start: %w", err), "its output is in "+s.Log)
	}
	return &Loop{Sender: sent, Terminal: None, Log: s.Log, Began: began}, nil
}

// hand sends a command of this program, to be carried out in the worktree with this
// environment. argv starts the process that takes it over.
func (s Starter) hand(args []string, hold bool) (sent *handover.Sender, argv []string, err error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("ralph cannot find its own program: %w", err)
	}
	parcel, err := handover.Here(args)
	if err != nil {
		return nil, nil, err
	}
	parcel.Hold = hold
	if s.Dir != "" {
		parcel.Dir = s.Dir
	}
	if sent, err = handover.Send(parcel); err != nil {
		return nil, nil, err
	}
	return sent, []string{exe, s.Word, sent.Path()}, nil
}
