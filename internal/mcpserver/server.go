// Package mcpserver serves loops to agents and editors by the Model Context Protocol. What its
// tools return has a schema, is harmless to a terminal and not too long. What they refuse is one
// plain sentence.
package mcpserver

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ralph/internal/preflight"
	"ralph/internal/stream"
	"ralph/internal/unit"
)

const instructions = `ralph runs coding agents in loops, each on a unit: the plan of one git branch. The tools show the progress of loops, what they did and ` +
	`what they plan. Name a loop by its unit, as list_loops shows it; the default is the unit of the worktree in which this server was started.`

// Options holds what the server needs from the program.
type Options struct {
	Version string
	Home    string // ralph's home folder
	Notes   unit.Notes

	// Formats returns the format of each harness's output in a worktree.
	Formats func(root string) func(harness string) stream.Format
	// Validate checks whether a run can start.
	Validate func(ctx context.Context, p *unit.Place, task Task) (preflight.Report, error)
	// Start starts a loop in the background and returns when it is running, or has ended
	// already. It is nil where clients may start nothing.
	Start func(ctx context.Context, p *unit.Place, task Task) (pid int, ended bool, err error)
}

// Task describes the loop that a client wants to start.
type Task struct {
	Change        string // the id of the change; empty for any other plan
	Prompt        string
	MaxIterations *int // nil for the settings' own
}

// server answers the calls of one client, several at a time.
type server struct {
	*mcp.Server
	Options
	starting sync.Mutex // one loop is started at a time
}

// New returns an MCP server with ralph's tools.
func New(o Options) *mcp.Server {
	s := &server{Options: o, Server: mcp.NewServer(&mcp.Implementation{Name: "ralph", Title: "ralph", Version: o.Version},
		&mcp.ServerOptions{Instructions: instructions, Capabilities: &mcp.ServerCapabilities{}})}
	s.AddReceivingMiddleware(plainRefusals)
	s.addReading()
	s.addActing()
	s.addResources()
	return s.Server
}

// addTool offers a function to the client. What it returns is made harmless and has the schema
// of its type. Its error is the result of the call, as one sentence that the client's model can
// read.
func addTool[In, Out any](s *mcp.Server, t *mcp.Tool, call func(ctx context.Context, in In) (Out, error)) {
	t.InputSchema, t.OutputSchema = argumentsOf[In](), schemaOf[Out]()
	mcp.AddTool(s, t, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		out, err := call(ctx, in)
		if err != nil {
			return nil, nil, errors.New(sentence(withHint(err).Error()))
		}
		clean, err := cleanJSON(out)
		return nil, clean, err
	})
}

// plainRefusals shortens what the library says of arguments that do not fit a
// tool's schema, a chain of its own function names.
func plainRefusals(next mcp.MethodHandler) mcp.MethodHandler {
	words := strings.NewReplacer("validating root: ", "", "<invalid reflect.Value> has type", "it has type", "validating /properties/", "", "unexpected additional properties", "there is no argument")
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if called, ok := res.(*mcp.CallToolResult); ok && err == nil && called.IsError {
			for _, c := range called.Content {
				text, ok := c.(*mcp.TextContent)
				if !ok {
					continue
				}
				if why, ok := strings.CutPrefix(text.Text, `validating "arguments": `); ok {
					text.Text = "the arguments are wrong: " + sentence(words.Replace(why))
				}
			}
		}
		return res, err
	}
}

// sentence is a text in one line that is harmless and not too long.
func sentence(text string) string { return ansi.Truncate(stream.OneLine(text), maxSentence, "…") }
