package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"
)

// onestory does the story of a scratch, and says more than fits a terminal.
const onestory = `
turns:
  - steps:
      - say: "\e[2J\e]0;owned\a looking around"
      - write: {path: one.txt, content: x}
      - git_commit: "feat: one"
      - tick: STORY-001
      - say: finished
`

// mcpClient is a client of "ralph mcp", which runs in the worktree of a scratch.
type mcpClient struct {
	*scratch
	session *mcp.ClientSession
}

func newMCPClient(s *scratch, args ...string) *mcpClient {
	s.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, nil)
	cmd := s.command(s.bin, append([]string{"mcp"}, args...)...)
	cmd.Env = append(s.env, "RALPH_HARNESS=replay", "RALPH_PAUSE_SECONDS=0")
	cmd.Stderr = s.t.Output()
	session, err := client.Connect(s.t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { session.Close() })
	return &mcpClient{s, session}
}

// call calls a tool and returns its answer as JSON, or its error.
func (c *mcpClient) call(name string, args map[string]any) (answer gjson.Result, refused string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 2*patience)
	defer cancel()
	res, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		c.t.Fatalf("%s: %v", name, err)
	}
	text := res.Content[0].(*mcp.TextContent).Text
	if res.IsError {
		return gjson.Result{}, text
	}
	return gjson.Parse(text), ""
}

// must is call where an error is one of the test.
func (c *mcpClient) must(name string, args map[string]any) gjson.Result {
	c.t.Helper()
	answer, refused := c.call(name, args)
	if refused != "" {
		c.t.Fatalf("%s: %s", name, refused)
	}
	return answer
}

// TestMCPEnds: a client that goes away is no error, and one that speaks something
// else is answered.
func TestMCPEnds(t *testing.T) {
	t.Parallel()
	s := newScratch(t, onestory)
	for input, want := range map[string]string{"": "", "hello\n": `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`} {
		cmd := s.command(s.bin, "mcp")
		cmd.Stdin = strings.NewReader(input)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), want) {
			t.Errorf("%q: %v: %s", input, err, out)
		}
	}
}

// TestMCPStandardOutput: whatever there is to warn of, standard output carries
// the protocol alone.
func TestMCPStandardOutput(t *testing.T) {
	t.Parallel()
	s := newScratch(t, onestory)
	s.write(".ralph/config.yaml", "claude: {dangerously_skip_permissions: true}\n") // which a project may not say
	s.write("../.home/loops/broken.json", "{")
	cmd := s.command(s.bin, "mcp")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(2*patience, func() { _ = cmd.Process.Kill() }).Stop()
	fmt.Fprintln(stdin, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	fmt.Fprintln(stdin, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for i, tool := range []string{"list_loops", "validate", "get_status"} {
		fmt.Fprintf(stdin, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`+"\n", i+2, tool)
	}
	out := bufio.NewScanner(stdout)
	for answered := 0; answered < 4 && out.Scan(); {
		if !json.Valid(out.Bytes()) || gjson.GetBytes(out.Bytes(), "jsonrpc").String() != "2.0" {
			t.Errorf("no message of the protocol: %s", out.Bytes())
		}
		if gjson.GetBytes(out.Bytes(), "result").Exists() {
			answered++
		}
	}
	stdin.Close()
	if out.Scan() {
		t.Errorf("there is more: %s", out.Bytes())
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the end of standard input: %v", err)
	}
	for _, want := range []string{"broken.json cannot be read", "dangerously_skip_permissions"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("standard error lacks %q:\n%s", want, stderr.String())
		}
	}
}
