package main

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"ralph/internal/fakeapi"
)

// TestClaudeAsAnMCPClient lets the real Claude Code CLI set up the server, start a loop
// with it, read its status and end it.
func TestClaudeAsAnMCPClient(t *testing.T) {
	t.Parallel()
	s := withClaude(t, 1, []string{"IS_SANDBOX=1", "RALPH_HARNESS=replay", "RALPH_NOTIFY_DESKTOP=false", "RALPH_KEEP_AWAKE=false"})
	s.write(".ralph/replay.yaml", polite)
	binary, _ := fakeapi.ClaudeBinary()
	api := fakeapi.New(fakeapi.Tool("mcp__ralph__start_loop", map[string]any{"maxIterations": 3}),
		fakeapi.Tool("mcp__ralph__get_status", map[string]any{"unit": "feature-x"}),
		fakeapi.Tool("mcp__ralph__stop_loop", map[string]any{}),
		fakeapi.Tool("mcp__ralph__get_status", map[string]any{"unit": "nope"}),
		fakeapi.Text("That is all."))
	server := httptest.NewServer(api)
	defer server.Close()
	s.env = append(s.env, "ANTHROPIC_BASE_URL="+server.URL)
	if out, err := s.command(binary, "mcp", "add", "--scope", "user", "ralph", "--", s.bin, "mcp", "--allow-start").CombinedOutput(); err != nil {
		t.Fatalf("claude mcp add: %v\n%s", err, out)
	}
	if out, err := s.command(binary, "mcp", "list").CombinedOutput(); err != nil || !strings.Contains(string(out), "Connected") {
		t.Errorf("claude mcp list: %v\n%s", err, out)
	}
	cmd := s.command(binary, "-p", "--output-format", "json", "--allowedTools", "mcp__ralph")
	cmd.Stdin = strings.NewReader("Look at the loop.")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "That is all.") {
		t.Fatalf("claude -p: %v\n%s", err, out)
	}
	requests := api.Requests()
	last, err := json.Marshal(requests[len(requests)-1])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"the loop is running", "feature-x has stopped", "there is no such unit: nope", `alive`} {
		if !fakeapi.Holds(want)(requests[len(requests)-1]) {
			t.Errorf("the model did not get %q\n%s", want, last)
		}
	}
	// The request to stop may arrive before the first iteration has started.
	if reason, _ := s.end(); reason != "stopped" {
		t.Errorf("the run ended with %s, want stopped", reason)
	}
	s.nothingLeft()
}
