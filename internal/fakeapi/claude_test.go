package fakeapi_test

import (
	"bytes"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"ralph/internal/fakeapi"
)

// claude is a session of the real CLI on its way.
type claude struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
}

// newClaude prepares a session against api in dir, with a prompt on its standard input.
func newClaude(t *testing.T, api *fakeapi.API, dir string, extra ...string) *claude {
	t.Helper()
	if testing.Short() {
		t.Skip("starts the real CLI")
	}
	binary, ok := fakeapi.ClaudeBinary()
	if !ok {
		if os.Getenv("CI") != "" {
			t.Fatal("no Claude Code CLI: tests/agents/install should have put it there")
		}
		t.Skip("no Claude Code CLI: run tests/agents/install, or name one in " + fakeapi.ClaudeVar)
	}
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	c := &claude{Cmd: exec.Command(binary, "-p", "--output-format", "stream-json", "--verbose",
		"--dangerously-skip-permissions")}
	c.Dir, c.Env = dir, fakeapi.Env(server.URL, t.TempDir(), extra...)
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader("the prompt"), &c.stdout, &c.stderr
	t.Cleanup(func() {
		if c.Process != nil && c.ProcessState == nil {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	})
	return c
}

// end waits for the session and returns its exit status and its result line.
func (c *claude) end(t *testing.T) (int, gjson.Result) {
	t.Helper()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	result := c.last()
	if result.Get("type").String() != "result" {
		t.Fatalf("no result\nstdout: %s\nstderr: %s", c.stdout.String(), c.stderr.String())
	}
	return c.ProcessState.ExitCode(), result
}

// last returns the last line of the output.
func (c *claude) last() gjson.Result {
	lines := strings.Split(strings.TrimSpace(c.stdout.String()), "\n")
	return gjson.Parse(lines[len(lines)-1])
}

func TestClaudeSays(t *testing.T) {
	t.Parallel()
	api := fakeapi.New(fakeapi.Text("Hello.\n<promise>COMPLETE</promise>"))
	code, result := newClaude(t, api, t.TempDir()).end(t)
	if code != 0 || result.Get("result").String() != "Hello.\n<promise>COMPLETE</promise>" {
		t.Errorf("exit %d, result %s", code, result)
	}
	if got := result.Get("usage.output_tokens").Int(); got != fakeapi.OutputTokens {
		t.Errorf("%d output tokens, want %d", got, fakeapi.OutputTokens)
	}
	if r := api.Requests(); len(r) != 1 || !r[0].Stream || !fakeapi.Holds("the prompt")(r[0]) {
		t.Errorf("%d requests", len(r))
	}
}

func TestClaudeWritesAndCommits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	api := fakeapi.New(
		fakeapi.Write(filepath.Join(dir, "hello.txt"), "hello\n").Saying("I write the file."),
		fakeapi.Bash("git add -A && git commit -q -m 'feat: hello'"),
		fakeapi.Text("Committed."),
	)
	code, result := newClaude(t, api, dir).end(t)
	if code != 0 || result.Get("is_error").Bool() || result.Get("num_turns").Int() != 3 {
		t.Errorf("exit %d, result %s", code, result)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "hello.txt")); string(data) != "hello\n" {
		t.Errorf("hello.txt: %q, %v", data, err)
	}
	out, err := exec.Command("git", "-C", dir, "log", "--format=%s by %an").Output()
	if string(out) != "feat: hello by Test\n" {
		t.Errorf("log: %q, %v", out, err)
	}
}

// What the provider refuses ends a session with 1, and the result says why.
func TestClaudeIsRefused(t *testing.T) {
	t.Parallel()
	resets := time.Now().Add(2 * time.Hour).Truncate(time.Second)
	tests := []struct {
		name     string
		reply    fakeapi.Reply
		extra    []string
		status   int64
		requests int
		stream   string // part of the output
	}{
		{"usage limit", fakeapi.UsageLimit("five_hour", resets), []string{fakeapi.OAuthToken}, 429, 1,
			`"rateLimitType":"five_hour"`},
		{"bad key", fakeapi.Unauthorized(), nil, 401, 2, "Invalid API key"},
		{"overload", fakeapi.Overloaded(), nil, 529, 2, `"error":"overloaded"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			api := fakeapi.New(tt.reply)
			c := newClaude(t, api, t.TempDir(), tt.extra...)
			code, result := c.end(t)
			if code != 1 || !result.Get("is_error").Bool() || result.Get("api_error_status").Int() != tt.status {
				t.Errorf("exit %d, result %s", code, result)
			}
			if !strings.Contains(c.stdout.String(), tt.stream) {
				t.Errorf("no %s in %s", tt.stream, c.stdout.String())
			}
			if got := len(api.Requests()); got != tt.requests {
				t.Errorf("%d requests, want %d", got, tt.requests)
			}
		})
	}
}

// After a broken stream the CLI asks again without one, and continues.
func TestClaudeRecoversFromABrokenStream(t *testing.T) {
	t.Parallel()
	api := fakeapi.New(fakeapi.Fail(), fakeapi.Text("Here again."))
	code, result := newClaude(t, api, t.TempDir()).end(t)
	if code != 0 || result.Get("result").String() != "Here again." {
		t.Errorf("exit %d, result %s", code, result)
	}
}

func TestClaudeGivesUpOnBrokenConnections(t *testing.T) {
	t.Parallel()
	api := fakeapi.New(fakeapi.Drop("Half of it."))
	code, result := newClaude(t, api, t.TempDir()).end(t)
	if code != 1 || !result.Get("is_error").Bool() || !strings.HasPrefix(result.Get("result").String(), "API Error: ") {
		t.Errorf("exit %d, result %s", code, result)
	}
}

// An interrupted session ends, and does not report success. Its result line is not
// certain: the CLI may exit before it has written one.
func TestClaudeIsInterruptedWhileTheStreamHangs(t *testing.T) {
	t.Parallel()
	c := newClaude(t, fakeapi.New(fakeapi.Hang("Let me think.")), t.TempDir())
	seen := &watcher{to: &c.stdout, want: "Let me think.", seen: make(chan struct{})}
	c.Stdout = seen
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	<-seen.seen
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	result := c.last()
	wrong := result.Get("terminal_reason").String() != "aborted_streaming" || !result.Get("is_error").Bool()
	if result.Get("type").String() == "result" && wrong {
		t.Errorf("exit %d, result %s", c.ProcessState.ExitCode(), result)
	}
}

// watcher closes seen once what it was given holds want.
type watcher struct {
	to   *bytes.Buffer // not embedded: its ReadFrom would go round Write
	want string
	seen chan struct{}
	done bool
}

func (w *watcher) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if !w.done && bytes.Contains(w.to.Bytes(), []byte(w.want)) {
		w.done = true
		close(w.seen)
	}
	return n, err
}

// Two sessions play two scripts, and a rule goes before them.
func TestClaudeSessions(t *testing.T) {
	t.Parallel()
	api := fakeapi.Sessions([]fakeapi.Reply{fakeapi.Text("first")}, []fakeapi.Reply{fakeapi.Text("second")})
	for _, want := range []string{"first", "second", "second"} {
		if _, result := newClaude(t, api, t.TempDir()).end(t); result.Get("result").String() != want {
			t.Errorf("result %s, want %s", result, want)
		}
	}
	api.When(fakeapi.Holds("the prompt"), fakeapi.Text("by rule"))
	if _, result := newClaude(t, api, t.TempDir()).end(t); result.Get("result").String() != "by rule" {
		t.Errorf("result %s", result)
	}
	if r := api.Requests(); r[len(r)-1].Session != 3 {
		t.Errorf("session %d, want 3", r[len(r)-1].Session)
	}
}
