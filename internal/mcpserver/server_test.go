package mcpserver

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ralph/internal/unit"
)

type sum struct {
	Of   string `json:"of"`
	Last *int   `json:"last,omitempty"`
}

type answer struct {
	Text string `json:"text"`
}

// connected is a client of a server with one tool.
func connected(t *testing.T, call func(context.Context, sum) (answer, error)) *mcp.ClientSession {
	t.Helper()
	server := New(Options{Notes: unit.Silent()})
	addTool(server, &mcp.Tool{Name: "tool", Description: "A tool."}, call)
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func TestToolsAnswerPlainly(t *testing.T) {
	session := connected(t, func(_ context.Context, in sum) (answer, error) {
		if in.Of == "bad" {
			return answer{}, errors.New("it is\nbad \x1b[2J" + strings.Repeat("x", maxSentence))
		}
		return answer{Text: in.Of}, nil
	})
	for _, tt := range []struct {
		args    map[string]any
		refused bool
		want    string // how the text begins
	}{
		{map[string]any{"of": "a\x1b[2Jb"}, false, `{"text":"ab"}`},
		{map[string]any{"of": "bad"}, true, "it is bad xxx"},
		{map[string]any{"of": "a", "more": 1}, true, `the arguments are wrong: there is no argument`},
		{map[string]any{"of": 7}, true, "the arguments are wrong: of: type: 7 has type"},
	} {
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "tool", Arguments: tt.args})
		if err != nil {
			t.Fatal(err)
		}
		text := res.Content[0].(*mcp.TextContent).Text
		if res.IsError != tt.refused || !strings.HasPrefix(text, tt.want) || len([]rune(text)) > maxSentence || strings.Contains(text, "\n") {
			t.Errorf("%v: refused %v, want %v: %.100q, want %q", tt.args, res.IsError, tt.refused, text, tt.want)
		}
	}
}

// TestArgumentsAreLeftOutNotNull: not every client knows a type that is a list.
func TestArgumentsAreLeftOutNotNull(t *testing.T) {
	if last := argumentsOf[sum]().Properties["last"]; last.Type != "integer" || last.Types != nil {
		t.Errorf("the argument is of type %q or of %v", last.Type, last.Types)
	}
}
