package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ralph/internal/fakeapi"
	"ralph/internal/journal"
)

// withClaude makes a scratch repository with the real Claude Code CLI as its agent, against
// a model API on loopback. It skips the test only if tests/agents/install has not installed
// the CLI.
func withClaude(t *testing.T, stories int, extra []string, sessions ...[]fakeapi.Reply) *scratch {
	t.Helper()
	binary, ok := fakeapi.ClaudeBinary()
	if !ok {
		if os.Getenv("CI") != "" {
			t.Fatal("no Claude Code CLI: tests/agents/install should have put it there")
		}
		t.Skip("no Claude Code CLI: run tests/agents/install, or name one in " + fakeapi.ClaudeVar)
	}
	server := httptest.NewServer(fakeapi.Sessions(sessions...))
	t.Cleanup(server.Close)
	s := newScratch(t, "turns: [{steps: [{say: unused}]}]")
	home := t.TempDir()
	s.env = append(fakeapi.Env(server.URL, home, extra...), "RALPH_HOME="+home+"/.ralph", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=tester", "GIT_AUTHOR_EMAIL=t@example.invalid", "GIT_COMMITTER_NAME=tester", "GIT_COMMITTER_EMAIL=t@example.invalid")
	config := filepath.Join(home, ".ralph", "config.yaml")
	if err := os.MkdirAll(filepath.Dir(config), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, fmt.Appendf(nil, "claude:\n  command: [%q]\n", binary), 0o600); err != nil {
		t.Fatal(err)
	}
	var spec, list []string
	for i := 1; i <= stories; i++ {
		spec = append(spec, fmt.Sprintf("### STORY-%03d: Step %d\n\n**Acceptance Criteria:**\n- [ ] Typecheck passes\n- [ ] Unit tests pass\n", i, i))
		list = append(list, fmt.Sprintf(`{"id": "STORY-%03d", "title": "Step %d", "acceptanceCriteria": ["Typecheck passes", "Unit tests pass"], "priority": %d, "passes": false, "notes": ""}`, i, i, i))
	}
	s.write(".ralph/feature-x/spec.md", "---\ncreated: 2026-01-02T03:04:05Z\n---\n# X\n\n## Problem Statement\n\nX.\n\n## Success Criteria\n\n- [ ] X\n\n## User Stories\n\n"+
		strings.Join(spec, "\n")+"\n## Out of Scope\n\n- Y\n")
	s.write(".ralph/feature-x/prd.json", `{"description": "X", "createdAt": "2026-01-02T03:04:05Z", "userStories": [`+strings.Join(list, ",\n")+"]}\n")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "the plan")
	return s
}

// run runs ralph with the harness claude to its end.
func (s *scratch) run(args ...string) (string, int) {
	s.t.Helper()
	cmd := s.command(s.bin, append([]string{"run", "--pause", "0"}, args...)...)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	timer := time.AfterFunc(2*patience, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait()
	return out.String(), cmd.ProcessState.ExitCode()
}

// story is a session in which the model writes a file, commits it and ticks
// the story.
func story(repo string, n int) []fakeapi.Reply {
	id := fmt.Sprintf("STORY-%03d", n)
	tick := fmt.Sprintf(`awk -v id=%s 'index($0, id) {sub(/"passes": false/, "\"passes\": true")} {print}' .ralph/feature-x/prd.json > prd.tmp && mv prd.tmp .ralph/feature-x/prd.json`, id)
	return []fakeapi.Reply{
		fakeapi.Write(filepath.Join(repo, fmt.Sprintf("step%d.txt", n)), "written by the model\n").Saying("I write the file."),
		fakeapi.Bash(fmt.Sprintf("git add -A && git commit -q -m 'feat: step %d' && git log --oneline | head -1", n)),
		fakeapi.Bash(tick),
		fakeapi.Text("Finished " + id + "."),
	}
}

// TestClaudeTakesAFeatureToDone is the main job with the real agent: three
// stories go from open to archived.
func TestClaudeTakesAFeatureToDone(t *testing.T) {
	t.Parallel()
	s := withClaude(t, 3, []string{"IS_SANDBOX=1"})
	api := fakeapi.Sessions(story(s.repo, 1), story(s.repo, 2), story(s.repo, 3))
	server := httptest.NewServer(api)
	defer server.Close()
	s.env = append(s.env, "ANTHROPIC_BASE_URL="+server.URL)

	out, code := s.run("--dangerously-skip-permissions")
	if code != 0 {
		t.Fatalf("exit status %d\n%s", code, out)
	}
	for _, want := range []string{"I write the file.", "● Write", "step2.txt", "iteration 3 · STORY-003 done · 1 commit", "done: 3 of 3 stories pass", "archived as"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q\n%s", want, out)
		}
	}
	log, err := s.command("git", "log", "--format=%s").Output()
	if err != nil || !strings.Contains(string(log), "feat: step 1\n") || !strings.Contains(string(log), "feat: step 3\n") {
		t.Errorf("git log: %v\n%s", err, log)
	}
	requests := api.Requests()
	if len(requests) == 0 || !fakeapi.Holds("STORY-001: Step 1")(requests[0]) {
		t.Error("the first request does not hold the open story")
	}
	history, err := s.command(s.bin, "history", "--json").Output()
	if err != nil || strings.Count(string(history), `"outcome": "ok"`) != 3 || strings.Contains(string(history), `"costUsd": null`) {
		t.Errorf("history: %v\n%s", err, history)
	}
}

func TestClaudeAtTheUsageLimit(t *testing.T) {
	t.Parallel()
	s := withClaude(t, 1, []string{fakeapi.OAuthToken}, []fakeapi.Reply{fakeapi.UsageLimit("five_hour", time.Now().Add(2*time.Hour))})
	out, code := s.run()
	if code != 2 || !strings.Contains(out, "usage limit is reached") || !strings.Contains(out, "resumes at") {
		t.Errorf("exit status %d\n%s", code, out)
	}
	s.endedWith("usage_limit", 0)
}

func TestClaudeWithoutALogin(t *testing.T) {
	t.Parallel()
	s := withClaude(t, 1, nil, []fakeapi.Reply{fakeapi.Unauthorized()})
	out, code := s.run()
	if code != 1 || !strings.Contains(out, "auth: ") || !strings.Contains(out, "log in with the agent itself") {
		t.Errorf("exit status %d\n%s", code, out)
	}
	s.endedWith("auth", 1)
}

func TestClaudeHangsUntilItsTimeLimit(t *testing.T) {
	t.Parallel()
	s := withClaude(t, 1, nil, []fakeapi.Reply{fakeapi.Hang("I think about it.")})
	out, code := s.run("--timeout", "8s", "--max-iterations", "1")
	if code != 1 || !strings.Contains(out, "timeout: the agent was ended after 8s") {
		t.Errorf("exit status %d\n%s", code, out)
	}
	s.nothingLeft()
}

func TestClaudeIsDeniedItsTools(t *testing.T) {
	t.Parallel()
	s := withClaude(t, 1, nil, []fakeapi.Reply{fakeapi.Bash("touch denied.txt"), fakeapi.Text("I may not.")})
	out, _ := s.run("--max-iterations", "1")
	if !strings.Contains(out, "was not permitted to use Bash") || !strings.Contains(out, "claude.allowed_tools") {
		t.Errorf("the denial was not shown\n%s", out)
	}
}

// endedWith holds the journal's last event and the number of its iterations
// against what they should be.
func (s *scratch) endedWith(reason string, iterations int) {
	s.t.Helper()
	if gotReason, n := s.end(); gotReason != reason || n != iterations {
		s.t.Errorf("the run ended with %s after %d iterations, want %s after %d", gotReason, n, reason, iterations)
	}
}

// end returns the reason on record for the end of the last run, and how many
// iterations the journal holds.
func (s *scratch) end() (reason string, iterations int) {
	for _, e := range s.events() {
		switch b := e.Body.(type) {
		case journal.IterationEnded:
			iterations++
		case journal.RunEnded:
			reason = string(b.Reason)
		}
	}
	return reason, iterations
}

// TestClaudeReviewsClaude: a second session gets the story and the change, refuses once, and
// the first agent hears why.
func TestClaudeReviewsClaude(t *testing.T) {
	t.Parallel()
	s := withClaude(t, 1, []string{"IS_SANDBOX=1"})
	file := filepath.Join(s.repo, "step1.txt")
	refuse := "I looked at it.\n```json\n" + `{"verdict": "refuse", "reasons": [
		{"criterion": "Unit tests pass", "reason": "step1.txt has no test"}]}` + "\n```"
	review := func(answer string) []fakeapi.Reply {
		return []fakeapi.Reply{fakeapi.Bash("echo x >" + file), fakeapi.Text(answer)}
	}
	again := []fakeapi.Reply{fakeapi.Bash(tick), fakeapi.Text("Finished.")}
	accept := `{"verdict": "accept", "reasons": []}`
	api := fakeapi.Sessions(story(s.repo, 1), review(refuse), again, review(accept))
	server := httptest.NewServer(api)
	defer server.Close()
	s.env = append(s.env, "ANTHROPIC_BASE_URL="+server.URL,
		"RALPH_REVIEW_HARNESS=claude", "RALPH_REVIEW_MODE=require")

	out, code := s.run("--dangerously-skip-permissions", "--no-archive")
	if code != 0 {
		t.Fatalf("exit status %d\n%s", code, out)
	}
	const why = "the review refused it: Unit tests pass: step1.txt has no test"
	wanted := []string{"not accepted: STORY-001: " + why, "accepts STORY-001", "done: 1 of 1"}
	for _, want := range wanted {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q\n%s", want, out)
		}
	}
	if text := s.read("step1.txt"); text != "written by the model\n" {
		t.Errorf("the reviewer changed the work: %q", text)
	}
	var asked, learned bool
	for _, r := range api.Requests() {
		question := fakeapi.Holds("You review the work of another coding agent")(r)
		asked = asked || question && fakeapi.Holds("+written by the model")(r)
		learned = learned || fakeapi.Holds(why)(r)
	}
	if !asked || !learned {
		t.Errorf("the reviewer was asked: %v, the agent knows why: %v", asked, learned)
	}
	for _, e := range s.events() {
		b, ok := e.Body.(journal.ReviewEnded)
		if ok && (b.Tokens.Total() == 0 || b.CostUSD == nil || b.Model == "") {
			t.Errorf("a review without its price: %+v", b)
		}
	}
}
