// Command ralph-fleet has many hosts work on many features, each as "ralph run" would.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"ralph/fleet/internal/engine"
	"ralph/fleet/internal/hold"
)

// version is set by the linker.
var version = "dev"

func main() {
	os.Exit(run(os.Args[1:]))
}

// run is the whole program; it returns the exit status.
func run(args []string) int {
	if len(args) > 1 && args[0] == hold.Word {
		return hold.Main(args[1:])
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	var cli grammar
	parser, err := kong.New(&cli, options()...)
	if err != nil {
		panic(err) // the grammar itself is wrong: no input can cause it
	}
	kctx, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ralph-fleet:", err)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	err = kctx.Run(&app{ctx: ctx, out: os.Stdout, err: os.Stderr, server: cli.Address})
	if err != nil && ctx.Err() != nil { // whatever the error says
		fmt.Fprintln(os.Stderr, "ralph-fleet: interrupted")
		return exitInterrupted
	}
	return exitCode(err)
}

// exitError ends the program with a status; what there was to say has been said.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

func exitCode(err error) int {
	var exit exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return int(exit)
	}
	fmt.Fprintln(os.Stderr, "ralph-fleet:", err)
	return 1
}

// app is what every command may use.
type app struct {
	ctx      context.Context
	out, err *os.File
	server   engine.Address
}

// connect connects to the server; the returned function closes the connection.
func (a *app) connect() (engine.Engine, func(), error) {
	c, err := a.server.Connect(a.ctx, logTo(a.err, false, slog.LevelError))
	if err != nil {
		return engine.Engine{}, nil, err
	}
	return engine.Engine{Client: c}, c.Close, nil
}

func (a *app) printf(format string, args ...any) { fmt.Fprintf(a.out, format, args...) }
