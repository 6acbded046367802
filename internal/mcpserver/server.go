// Package mcpserver is a server of the Model Context Protocol that people and
// models can trust: what its tools return is held to a schema, harmless to a
// terminal and not too long, and what they refuse is one plain sentence. Of loops
// it knows alone which of their types write themselves as JSON.
package mcpserver

import (
	"context"
	"errors"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ralph/internal/stream"
)

// New makes a server that offers nothing yet. instructions tell the client's model
// what it is for.
func New(version, instructions string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "ralph", Title: "ralph", Version: version},
		&mcp.ServerOptions{Instructions: instructions, Capabilities: &mcp.ServerCapabilities{}})
	s.AddReceivingMiddleware(plainRefusals)
	return s
}

// AddTool offers a function to the client. What it returns is made harmless and
// held to the schema of its type; its error is the result of the call, as one
// sentence that the client's model can read.
func AddTool[In, Out any](s *mcp.Server, t *mcp.Tool, call func(ctx context.Context, in In) (Out, error)) {
	t.InputSchema, t.OutputSchema = argumentsOf[In](), schemaOf[Out]()
	mcp.AddTool(s, t, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		out, err := call(ctx, in)
		if err != nil {
			return nil, nil, errors.New(Sentence(err.Error()))
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
					text.Text = "the arguments are wrong: " + Sentence(words.Replace(why))
				}
			}
		}
		return res, err
	}
}

// Sentence is a text in one line that is harmless and not too long.
func Sentence(text string) string { return ansi.Truncate(stream.OneLine(text), maxSentence, "…") }
