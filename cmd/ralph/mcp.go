package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ralph/internal/git"
	"ralph/internal/hint"
	"ralph/internal/mcpserver"
	"ralph/internal/plan"
	"ralph/internal/registry"
	"ralph/internal/terminal"
	"ralph/internal/unit"
)

// maxUnit is how many bytes a unit's name may have, so that what is wrong with it
// fits into a sentence.
const maxUnit = 1000

// mcpCmd is "ralph mcp".
type mcpCmd struct {
	AllowStart bool `help:"Let clients start loops (tool start_loop)."`
}

const mcpInstructions = `ralph runs coding agents in loops, each on a unit: the plan of one git branch. The tools tell how far loops are, what they did and ` +
	`what they plan. Name a loop by its unit, as list_loops shows it; without one the unit of the worktree in which this server was started is meant.`

// Run carries the command out. Standard output belongs to the protocol alone.
func (c *mcpCmd) Run(a *app) error {
	if a.t.CanAsk {
		a.t.Hint("waiting for an MCP client on standard input; how to set one up is told in docs/mcp.md")
	}
	err := newMCPServer(a, c.AllowStart).server.Run(a.ctx, mcpserver.Lines(os.Stdin, os.Stdout))
	if errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) {
		return nil // the client has gone away in the middle of something
	}
	if err != nil && a.ctx.Err() == nil {
		return fmt.Errorf("the client on standard input cannot be understood: %w", err)
	}
	return err
}

// mcpServer answers the calls of one client, several at a time.
type mcpServer struct {
	server   *mcp.Server
	base     *app
	starting sync.Mutex // one loop is started at a time
}

func newMCPServer(a *app, allowStart bool) *mcpServer {
	s := &mcpServer{base: a, server: mcpserver.New(version, mcpInstructions)}
	s.addReading()
	s.addActing(allowStart)
	s.addResources()
	return s
}

// app is what the commands' functions work with during a call: nothing that
// they show to people may reach standard output, their warnings go to the
// client's log of this server.
func (s *mcpServer) app(ctx context.Context) *app {
	t := &terminal.Terminal{In: os.Stdin, Out: io.Discard, Err: s.base.t.Err}
	return &app{ctx: ctx, t: t, home: s.base.home}
}

// mcpUnit names a loop; most tools take it.
type mcpUnit struct {
	Unit     string `json:"unit,omitempty" jsonschema:"the unit, as list_loops shows it; default: as the commands mean it in the worktree in which the server was started"`
	Worktree string `json:"worktree,omitempty" jsonschema:"the worktree's absolute path, as list_loops shows it; needed only where several have a unit of that name"`
}

// find is the unit that is meant: here, or anywhere in the list of loops.
func (u mcpUnit) find(a *app) (*unit.Place, error) {
	if len(u.Unit) > maxUnit {
		return nil, fmt.Errorf("the argument unit has %d bytes, and no unit has more than %d", len(u.Unit), maxUnit)
	}
	if u.Worktree != "" {
		return u.listed(a)
	}
	if u.Unit == "" {
		p, err := unitArg{}.place(a)
		if err == nil && p.Unit == "" {
			err = unit.ErrDetached
		}
		return p, forClient(err)
	}
	if p := changeHere(a, u.Unit); p != nil {
		return p, nil
	}
	p, err := unit.Look(a.ctx, a.home, u.Unit)
	return p, forClient(err)
}

// forClient is an error with what a client can do about it, where people are told
// of commands.
func forClient(err error) error {
	var several *unit.SeveralError
	var which *plan.WhichChangeError
	var missing *unit.NoIterationError
	var hinted *hint.Error
	switch {
	case errors.As(err, &several):
		return hint.With(several, "name the one that is meant with the argument worktree")
	case errors.As(err, &which):
		return hint.With(which, "name it with the argument unit")
	case errors.As(err, &missing):
		return hint.With(missing, "get_history tells which there are")
	case errors.Is(err, git.ErrNotWorktree):
		return hint.With(errors.New("this server was not started inside a git worktree"), "name a unit; list_loops tells which there are")
	case errors.Is(err, unit.ErrNoUnit) && errors.As(err, &hinted):
		return hint.With(hinted.Err, "list_loops tells which there are")
	}
	return err
}

// listed finds the unit among those that have run in the worktree.
func (u mcpUnit) listed(a *app) (*unit.Place, error) {
	entries, _, err := registry.Entries(a.home)
	if err != nil {
		return nil, err
	}
	var found []string
	var p *unit.Place
	for _, e := range entries {
		if e.Worktree == filepath.Clean(u.Worktree) && (u.Unit == "" || e.Unit == strings.ReplaceAll(u.Unit, "/", "-")) {
			found, p = append(found, e.Unit), unit.PlaceOf(e)
		}
	}
	switch {
	case len(found) == 0:
		if p := u.planned(a, entries); p != nil {
			return p, nil
		}
		return nil, hint.With(fmt.Errorf("%w in %s", unit.ErrNoUnit, u.Worktree), "list_loops tells which there are")
	case len(found) > 1:
		return nil, hint.With(errors.New("several units have run in that worktree: "+strings.Join(found, ", ")), "name one with the argument unit")
	}
	return p, nil
}

// addTool offers a function to the client. Its error is told with its hint.
func addTool[In, Out any](s *mcpServer, t *mcp.Tool, call func(a *app, in In) (Out, error)) {
	mcpserver.AddTool(s.server, t, func(ctx context.Context, in In) (Out, error) {
		out, err := call(s.app(ctx), in)
		return out, withHint(err)
	})
}

// withHint is an error with its hint, in one text.
func withHint(err error) error {
	var hinted *hint.Error
	if errors.As(err, &hinted) && hinted.Hint != "" {
		return fmt.Errorf("%w; %s", err, hinted.Hint)
	}
	return err
}
