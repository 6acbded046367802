package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"ralph/internal/mcpserver"
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

// files is every file below the scratch's folder, with its size and time.
func (s *scratch) files() map[string]string {
	found := map[string]string{}
	_ = filepath.WalkDir(filepath.Dir(s.repo), func(path string, d fs.DirEntry, err error) error {
		if info, e := d.Info(); err == nil && e == nil {
			found[path] = fmt.Sprint(info.Mode(), info.Size(), info.ModTime())
		}
		return nil
	})
	return found
}

// TestMCPTellsOfARun asks for everything that there is to know of a run, from
// inside and outside of its worktree, and writes nothing by it.
func TestMCPTellsOfARun(t *testing.T) {
	s := newScratch(t, onestory)
	s.write(".ralph/replay.yaml", onestory)
	if out, code := s.run("--harness", "replay", "--no-archive"); code != 0 {
		t.Fatalf("exit status %d\n%s", code, out)
	}
	outside := *s
	outside.repo = t.TempDir()
	for name, from := range map[string]*scratch{"in the worktree": s, "elsewhere": &outside} {
		t.Run(name, func(t *testing.T) {
			before := s.files()
			c := newMCPClient(from)
			unit := map[string]any{"unit": "feature/x"}
			got := map[string]string{}
			for key, path := range map[string]string{
				"list_loops": "loops.#(unit==feature-x).status", "get_status": "status.reason", "get_history": "iterations.0.outcome",
				"get_plan": "items.0.criteria.1", "get_log": "log", "validate": "unit", "stop_loop": "message",
			} {
				args := unit
				if key == "list_loops" {
					args = nil
				}
				got[key] = c.must(key, args).Get(path).String()
			}
			want := map[string]string{
				"list_loops": "completed", "get_status": "stories_complete", "get_history": "ok", "get_plan": "Unit tests pass", "validate": "feature-x",
				"get_log": got["get_log"], "stop_loop": "no loop is at work on feature-x: nothing to stop",
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if log := got["get_log"]; !strings.Contains(log, "looking around") || !strings.Contains(log, "\nfinished\n") || strings.Contains(log, "\x1b") {
				t.Errorf("the log: %q", log)
			}
			if _, refused := c.call("get_log", map[string]any{"unit": "feature/x", "iteration": 9}); refused != "the last run of feature-x has no iteration 9; get_history tells which there are" {
				t.Errorf("a log that is not there: %q", refused)
			}
			if diff := cmp.Diff(before, s.files()); diff != "" {
				t.Errorf("reading has written:\n%s", diff)
			}
		})
	}
}

// TestMCPTellsUnitsApart: two repositories have a unit of the same name.
func TestMCPTellsUnitsApart(t *testing.T) {
	one, two := newScratch(t, onestory), newScratch(t, onestory)
	two.env = append(two.env, "RALPH_HOME="+filepath.Join(filepath.Dir(one.repo), ".home"))
	for _, s := range []*scratch{one, two} {
		if out, code := s.run("--harness", "replay", "--no-archive"); code != 0 {
			t.Fatalf("exit status %d\n%s", code, out)
		}
	}
	outside := *one
	outside.repo = t.TempDir()
	c := newMCPClient(&outside)
	_, refused := c.call("get_status", map[string]any{"unit": "feature-x"})
	if !strings.Contains(refused, "feature-x is in 2 worktrees: ") || !strings.HasSuffix(refused, "; name the one that is meant with the argument worktree") {
		t.Errorf("without a worktree: %q", refused)
	}
	for _, s := range []*scratch{one, two} {
		answer := c.must("get_status", map[string]any{"unit": "feature-x", "worktree": s.repo})
		if got := answer.Get("worktree").String(); got != s.repo || answer.Get("status.status").String() != "completed" {
			t.Errorf("with %s: %s", s.repo, answer)
		}
	}
	// A resource has nothing but the unit's name: here it is the one of this worktree.
	for name, want := range map[string]struct {
		from *scratch
		n    int
	}{"in one of them": {two, 4}, "elsewhere": {&outside, 0}} {
		if list, err := newMCPClient(want.from).session.ListResources(t.Context(), nil); err != nil || len(list.Resources) != want.n {
			t.Errorf("%s: %v, %v", name, list, err)
		}
	}
	if _, refused := c.call("get_status", nil); refused != "this server was not started inside a git worktree; name a unit; list_loops tells which there are" {
		t.Errorf("without a name: %q", refused)
	}
}

func TestMCPResources(t *testing.T) {
	s := newScratch(t, onestory)
	if out, code := s.run("--harness", "replay"); code != 0 { // archived
		t.Fatalf("exit status %d\n%s", code, out)
	}
	c := newMCPClient(s)
	list, err := c.session.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Resources) != 0 {
		t.Errorf("an archived unit is listed: %v", list.Resources)
	}
	for uri, want := range map[string]string{
		"ralph://units/feature-x/spec.md":     "### STORY-001: One",
		"ralph://units/feature-x/prd.json":    `"passes": true`,
		"ralph://units/feature%2Fx/spec.md":   "### STORY-001: One",
		"ralph://units/feature-x/status.json": `"alive": false`,
		"ralph://units/feature-x/log":         "finished",
	} {
		res, err := c.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || !strings.Contains(res.Contents[0].Text, want) {
			t.Errorf("%s: %v, %v", uri, res, err)
		}
	}
	for uri, want := range map[string]string{
		"ralph://units/nope/spec.md":          "Resource not found",
		"ralph://units/feature-x/passwd":      "Resource not found",
		"ralph://units/..%2F..%2Fx/spec.md":   "Resource not found",
		"ralph://units/..%2F../spec.md":       "Resource not found",
		"ralph://units/%2e%2e/spec.md":        "cannot name a unit",
		"ralph://units/archive/prd.json":      "cannot name a unit",
		"ralph://units/a%0Ab/prd.json":        "cannot name a unit",
		"file:///etc/passwd":                  "Resource not found",
		"ralph://units/feature-x/../../x/log": "Resource not found",
	} {
		if res, err := c.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v; want %q", uri, res, err, want)
		}
	}
}

// TestMCPResourceWithoutText reads the log of a run that has called no agent: contents
// that have neither a text nor a blob are no answer.
func TestMCPResourceWithoutText(t *testing.T) {
	s := unplanned(t, onestory)
	s.write("tasks.md", "- [?] which colour?\n")
	if out, code := s.run("--harness", "replay"); code != 1 {
		t.Fatalf("exit status %d\n%s", code, out)
	}
	res, err := newMCPClient(s).session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "ralph://units/feature-x/log"})
	if err != nil || res.Contents[0].Text != "\n" {
		t.Errorf("%+v, %v", res, err)
	}
}

// TestMCPListsResources lists what can be read of a unit that is not archived.
func TestMCPListsResources(t *testing.T) {
	s := newScratch(t, onestory)
	if out, code := s.run("--harness", "replay", "--no-archive"); code != 0 {
		t.Fatalf("exit status %d\n%s", code, out)
	}
	list, err := newMCPClient(s).session.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var uris []string
	for _, r := range list.Resources {
		uris = append(uris, r.URI)
	}
	want := []string{"ralph://units/feature-x/spec.md", "ralph://units/feature-x/prd.json", "ralph://units/feature-x/status.json", "ralph://units/feature-x/log"}
	if diff := cmp.Diff(want, uris); diff != "" {
		t.Error(diff)
	}
}

// TestMCPEnds: a client that goes away is no error, and one that speaks something
// else is answered.
func TestMCPEnds(t *testing.T) {
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

func TestMCPRefusesBadInput(t *testing.T) {
	s := newScratch(t, onestory)
	c := newMCPClient(s, "--allow-start")
	for _, tt := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"get_status", map[string]any{"unit": "nope"}, "there is no such unit: nope, neither here nor among the loops that have run elsewhere; list_loops tells which there are"},
		{"get_status", map[string]any{"unit": ".."}, `".." cannot name a unit`},
		{"get_status", map[string]any{"unit": "a\x1b[2J\nb"}, "cannot name a unit"},
		{"get_status", map[string]any{"unit": strings.Repeat("x", 3000)}, "the argument unit has 3000 bytes"},
		{"get_status", map[string]any{"worktree": "/etc"}, "there is no such unit in /etc"},
		{"get_status", map[string]any{"unti": "x"}, `the arguments are wrong: there is no argument ["unti"]`},
		{"get_status", map[string]any{"unit": 7}, `the arguments are wrong: unit: type: 7 has type "integer", want "string"`},
		{"get_history", map[string]any{"last": nil}, `the arguments are wrong: last: type: `},
		{"get_history", map[string]any{"last": 0}, "the argument last must be from 1 to 500, not 0"},
		{"list_loops", map[string]any{"last": 501}, "the argument last must be from 1 to 500, not 501"},
		{"validate", map[string]any{"worktree": filepath.Dir(s.repo)}, "there is no such unit in "},
		{"validate", map[string]any{"worktree": s.repo, "unit": "feature-y"}, "there is no such unit in "},
		{"get_log", nil, "there is no run of feature-x yet, and no log"},
		{"get_log", map[string]any{"lines": -1}, "the argument lines is less than 0"},
		{"get_log", map[string]any{"iteration": -1}, "the argument iteration is less than 1"},
		{"start_loop", map[string]any{"maxIterations": 0}, "the argument maxIterations must be at least 1, not 0"},
		{"start_loop", map[string]any{"unit": "feature-z"}, "there is no such unit: feature-z"},
	} {
		answer, refused := c.call(tt.tool, tt.args)
		if !strings.Contains(refused, tt.want) || strings.ContainsAny(refused, "\n\x1b") || len(refused) > 8000 {
			t.Errorf("%s %v: %q %s; want %q", tt.tool, tt.args, refused, answer, tt.want)
		}
	}
	if _, err := c.session.CallTool(t.Context(), &mcp.CallToolParams{Name: "rm"}); err == nil || !strings.Contains(err.Error(), `unknown tool "rm"`) {
		t.Errorf("an unknown tool: %v", err)
	}
}

// TestMCPStandardOutput: whatever there is to warn of, standard output carries
// the protocol alone.
func TestMCPStandardOutput(t *testing.T) {
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

// TestMCPLogIsBounded asks for a log of which a model could not take in a tenth.
func TestMCPLogIsBounded(t *testing.T) {
	s := newScratch(t, onestory)
	if out, code := s.run("--harness", "replay", "--no-archive"); code != 0 {
		t.Fatalf("exit status %d\n%s", code, out)
	}
	c := newMCPClient(s)
	s.write(".ralph/feature-x/logs/iteration-1.log", strings.Repeat("a line\n", 3<<20/2)+"the end\n")
	for _, tt := range []struct {
		args  map[string]any
		lines int
	}{{nil, 200}, {map[string]any{"lines": 7}, 7}, {map[string]any{"lines": 1 << 30}, mcpserver.MaxText / len("a line\n")}} {
		began := time.Now()
		answer := c.must("get_log", tt.args)
		log := answer.Get("log").String()
		if n := strings.Count(log, "\n") + 1; n != tt.lines || !strings.HasSuffix(log, "the end") || answer.Get("all").Bool() {
			t.Errorf("%v: %d lines in %s, ending with %q, all: %v", tt.args, n, time.Since(began), log[max(0, len(log)-20):], answer.Get("all"))
		}
	}
	log := filepath.Join(s.repo, ".ralph/feature-x/logs/iteration-1.log")
	if err := errors.Join(os.Remove(log), syscall.Mkfifo(log, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, refused := c.call("get_log", nil); refused != "the log of iteration 1 cannot be read: it is no plain file" {
		t.Errorf("a FIFO: %q", refused)
	}
}
