package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ralph/internal/agent"
	"ralph/internal/fakeapi"
	"ralph/internal/journal"
	"ralph/internal/ratelimit"
	"ralph/internal/words"
)

// TestCodexTakesOverFromClaude: the first of two real agents is at its account's limit. The
// other finishes the story, with its own prompt and count of calls. A loop that starts then
// does not call the first one.
func TestCodexTakesOverFromClaude(t *testing.T) {
	t.Parallel()
	claude, ok := fakeapi.ClaudeBinary()
	if !ok {
		t.Skip("no Claude Code CLI: run tests/agents/install")
	}
	resets := time.Now().Add(3 * time.Hour).Truncate(time.Second)
	limited := fakeapi.New(fakeapi.UsageLimit("five_hour", resets))
	server := httptest.NewServer(limited)
	t.Cleanup(server.Close)
	codex := fakeapi.Agents()[0]
	answers := fakeapi.New(fakeapi.Bash(tick), fakeapi.Text("Finished."))
	s := withAgent(t, codex, answers)
	home := agent.Getenv(s.env, "RALPH_HOME")
	s.env = append(fakeapi.Env(server.URL, filepath.Dir(home), fakeapi.OAuthToken), s.env...)
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), fmt.Appendf(nil, "claude: {command: [%q]}\nfallback: [codex]\n", claude), 0o600); err != nil {
		t.Fatal(err)
	}
	s.write("notes.md", "what the agents should know\n")
	s.write(".ralph/feature-x/prompt.md", "Read @notes.md first.\n")

	out, code := s.run("--dangerously-skip-permissions", "--no-archive")
	if code != 0 || !strings.Contains(out, "codex takes over from claude: usage limit until "+words.Local(resets)) {
		t.Fatalf("exit status %d\n%s\n%s", code, out, s.log())
	}
	if !anyHolds(answers.Requests(), "Content of `notes.md`") {
		t.Error("the prompt was not made anew for an agent that expands no references")
	}
	for name, want := range map[string]int{"claude": 1, "codex": 1} {
		calls := 0
		for _, e := range s.events() {
			if b, ok := e.Body.(journal.AttemptStarted); ok && b.Harness == name {
				calls++
			}
		}
		until, _, err := ratelimit.Open(filepath.Join(home, "ratelimit"), name, 0).LimitedUntil(time.Now())
		if err != nil || calls != want || until.Equal(resets) != (name == "claude") {
			t.Errorf("%s: %d calls, limited until %s, %v", name, calls, until, err)
		}
	}

	before := len(limited.Requests())
	s.write(".ralph/feature-x/prd.json", strings.Replace(s.read(".ralph/feature-x/prd.json"), `"passes": true`, `"passes": false`, 1))
	if out, code := s.run("--dangerously-skip-permissions", "--no-archive", "--max-iterations", "1"); !strings.Contains(out, "codex takes over from claude") {
		t.Errorf("exit status %d\n%s", code, out)
	}
	if after := len(limited.Requests()); after != before {
		t.Errorf("the limited agent was called again: %d requests, then %d", before, after)
	}
}
