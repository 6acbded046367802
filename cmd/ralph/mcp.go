package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ralph/internal/background"
	"ralph/internal/hint"
	"ralph/internal/mcpserver"
	"ralph/internal/preflight"
	"ralph/internal/proc"
	"ralph/internal/screen"
	"ralph/internal/terminal"
	"ralph/internal/unit"
)

// mcpCmd is "ralph mcp".
type mcpCmd struct {
	AllowStart bool `help:"Let clients start loops (tool start_loop)."`
}

// Run carries the command out. Standard output belongs to the protocol: the commands' own
// functions print nothing there, and their warnings go to the client's log of this server.
func (c *mcpCmd) Run(a *app) error {
	if a.t.CanAsk {
		a.t.Hint("waiting for an MCP client on standard input; docs/mcp.md explains how to set one up")
	}
	a.warnHomeless()
	quiet := *a
	quiet.t = &terminal.Terminal{In: os.Stdin, Out: io.Discard, Err: a.t.Err}
	o := mcpserver.Options{Version: version, Home: a.home, Notes: screen.Notes(quiet.t), Formats: a.formats,
		Validate: func(ctx context.Context, p *unit.Place, task mcpserver.Task) (preflight.Report, error) {
			call := quiet
			call.ctx = ctx
			return validate(&call, p, loopFlags{changeFlags: changeFlags{Change: task.Change}, NoInteractive: true}, task.Prompt)
		}}
	if c.AllowStart {
		o.Start = startForClient
	}
	err := mcpserver.New(o).Run(a.ctx, mcpserver.Lines(os.Stdin, os.Stdout))
	if errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) {
		return nil // the client has gone away in the middle of something
	}
	if err != nil && a.ctx.Err() == nil {
		return fmt.Errorf("the input of the client cannot be read: %w", err)
	}
	return err
}

// startForClient starts ralph on the unit as "ralph start --terminal none" does, and returns
// when it is at work.
func startForClient(ctx context.Context, p *unit.Place, task mcpserver.Task) (pid int, ended bool, err error) {
	if os.Getenv(proc.TokenVar) != "" {
		return 0, false, errors.New("this server was started by an agent in a loop of ralph: what it starts would end with that agent")
	}
	args := []string{"run", "--json", "--no-interactive"}
	if task.Change != "" {
		args = append(args, "--change="+task.Change)
	}
	if task.MaxIterations != nil {
		args = append(args, fmt.Sprintf("--max-iterations=%d", *task.MaxIterations))
	}
	if task.Prompt != "" {
		args = append(args, "--", task.Prompt)
	}
	l, err := background.Starter{Word: handoverWord, Dir: p.Repo.Root, Log: p.StartLog()}.Nowhere(ctx, args)
	if err != nil {
		return 0, false, err
	}
	defer l.Close()
	_, report, err := untilUp(ctx, l, p)
	if err != nil || report == nil {
		return l.PID(), false, err
	}
	if _, ended = p.EndedSince(l.Began); ended {
		return l.PID(), true, nil
	}
	said := cmp.Or(report.Message, fmt.Sprintf("its exit status is %d", report.Exit))
	return 0, false, hint.With(errors.New("the loop ended before its first event: "+said), cmp.Or(report.Hint, l.Output()))
}
