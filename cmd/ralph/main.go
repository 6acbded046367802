// Command ralph runs an AI coding agent in a loop until a plan is done.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"ralph/internal/agent"
	"ralph/internal/doctor"
	"ralph/internal/git"
	"ralph/internal/help"
	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/loop"
	"ralph/internal/terminal"
)

// version is set by the linker.
var version = "dev"

// The words that start this program again in another part.
const (
	guardianWord = "__guardian"
	handoverWord = "__handover"
	completeWord = "__complete" // asked by shells
	manWord      = "__man"      // for packages
)

func main() {
	os.Exit(execute(calledAs(os.Args[0], os.Args[1:])))
}

// execute is the whole program; it returns the exit status.
func execute(args []string) int {
	if len(args) > 0 {
		switch args[0] {
		case guardianWord:
			return guardian(args[1:])
		case agent.ReplayWord:
			return replayAgent(args[1:])
		case handoverWord:
			return takeOver(args[1:])
		case completeWord:
			return complete(args[1:])
		case manWord:
			return exitCode(terminal.New("auto"), writeManual(args[1:]))
		}
	}
	// A command holds little, and reads journals that are much longer: collecting less often
	// costs little memory and saves CPU.
	debug.SetGCPercent(400)
	code, _ := command(args, false)
	return code
}

// command carries out a command line. It returns the exit status and its error, which it
// has printed. handedOver is true if another ralph process handed the command over.
func command(args []string, handedOver bool) (int, error) {
	if len(args) == 0 {
		args = []string{"--help"}
	}
	ctx, stop := signals()
	defer stop()

	var cli grammar
	parser, err := kong.New(&cli, options()...)
	if err != nil {
		panic(err) // the grammar itself is wrong: no input can cause it
	}
	kctx, err := parser.Parse(args)
	if err == nil {
		err = help.BadValue(kctx)
	}
	t := terminal.New(cli.Color)
	var shown shownError
	if errors.As(err, &shown) {
		return exitCode(t, shown.unwritten), shown.unwritten
	}
	if err != nil {
		return badCommandLine(t, kctx, err), err
	}
	err = kctx.Run(&app{ctx: ctx, t: t, home: ralphHome(), args: args, colorMode: cli.Color, handedOver: handedOver})
	loops := kctx.Selected().Name == "run" // its exit code says how it ended, seen or not
	if err == nil && !loops {
		err = unwritten(t)
	}
	err = signalled(ctx, t, err)
	return exitCode(t, err), err
}

// unwritten returns the first error of writing to standard output. A reader that needs no more
// is not an error.
func unwritten(t *terminal.Terminal) error {
	if t.Unwritten == nil || errors.Is(t.Unwritten, syscall.EPIPE) {
		return nil
	}
	return hint.With(fmt.Errorf("standard output cannot be written: %w", t.Unwritten),
		"free some space, or write to another place")
}

// signalled returns the error of a command that a signal has ended before its run. An end
// on request is not an error.
func signalled(ctx context.Context, t *terminal.Terminal, err error) error {
	var exit exitError
	if err == nil || ctx.Err() == nil || errors.As(err, &exit) {
		return err
	}
	if !errors.Is(err, context.Canceled) && !errors.Is(err, context.Cause(ctx)) {
		t.Fail(err)
	}
	if errors.Is(context.Cause(ctx), loop.ErrInterrupted) {
		return exitError(journal.ExitInterrupted)
	}
	return exitError(journal.ExitStopped)
}

// app is what every command may use.
type app struct {
	ctx  context.Context
	t    *terminal.Terminal
	home string // ~/.ralph; empty where no home folder is known

	args       []string // the command line
	colorMode  string   // as it says
	handedOver bool     // another ralph was given it

	homelessSaid bool // the warning that no home folder is known was shown
}

// askLimit is how long a question waits for an answer.
const askLimit = 10 * time.Minute

// confirm asks whether to continue, unless the user has said yes. Without a terminal that is
// necessary. nothing says that nothing has happened, and remedy how to say yes.
func (a *app) confirm(yes bool, question, nothing, remedy string) error {
	switch {
	case yes:
		return nil
	case !a.t.CanAsk:
		return hint.With(errors.New(nothing+": there is no terminal to ask on"), remedy)
	case a.t.Ask(a.ctx, question, askLimit):
		return nil
	}
	a.t.Printf("%s\n", nothing)
	if err := a.ctx.Err(); err != nil {
		return err // a signal ended the question
	}
	return exitError(1)
}

// exitError ends the program with a status; what there was to say has been said.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

func exitCode(t *terminal.Terminal, err error) int {
	var exit exitError
	var hinted *hint.Error
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return int(exit)
	}
	t.Fail(err)
	if errors.As(err, &hinted) {
		t.Hint(hinted.Hint)
	} else {
		t.Hint(obstacle(err))
	}
	var usage *kong.ParseError
	var budget usageError
	if errors.As(err, &usage) || errors.As(err, &budget) {
		return exitUsage
	}
	return 1
}

// obstacle is what can be done about an error of the file system that ended a command.
func obstacle(err error) string {
	if (doctor.Places{}).Obstacle(err) == "" {
		return "" // nearly all; git need not be asked
	}
	repo, _ := git.Open(context.Background(), ".") // nil outside of a repository
	return doctor.PlacesOf(ralphHome(), repo).Obstacle(err)
}

// signals cancels the context at the first of INT, TERM and HUP, with the cause
// that decides the exit code. Further ones change nothing: a second Ctrl-C must
// not end ralph before the agent has ended.
func signals() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	caught := make(chan os.Signal, 8)
	// SIGPIPE is caught so that a reader of our output that goes away does not
	// take the loop with it.
	signal.Notify(caught, syscall.SIGINT, syscall.SIGTERM, syscall.SIGPIPE)
	if !signal.Ignored(syscall.SIGHUP) { // else nohup has asked that the terminal's end be nothing to us
		signal.Notify(caught, syscall.SIGHUP)
	}
	go func() {
		for s := range caught {
			switch s {
			case syscall.SIGPIPE:
			case syscall.SIGINT:
				cancel(loop.ErrInterrupted)
			default:
				cancel(loop.ErrStopped)
			}
		}
	}()
	return ctx, func() { signal.Stop(caught); close(caught); cancel(nil) }
}
