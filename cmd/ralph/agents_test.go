package main

import (
	"bufio"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/fakeapi"
	"ralph/internal/journal"
	"ralph/internal/room"
	"ralph/internal/stream"
)

// withAgent makes a scratch repository with a real agent, found in the PATH as a user's
// would be, against a model API on loopback.
func withAgent(t *testing.T, a fakeapi.Agent, api *fakeapi.API) *scratch {
	t.Helper()
	if a.More && os.Getenv(fakeapi.MoreVar) == "" {
		t.Skip("'make test-agents' drives this agent")
	}
	binary, ok := a.Binary()
	if !ok {
		if os.Getenv("CI") != "" {
			t.Fatalf("no %s: tests/agents/install should have put it there", a.Name)
		}
		t.Skipf("no %s: run tests/agents/install", a.Name)
	}
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	s := newScratch(t, "turns: [{steps: [{say: unused}]}]")
	home, bin := t.TempDir(), t.TempDir()
	env, err := a.Env(server.URL, home)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(binary, filepath.Join(bin, a.Name)); err != nil {
		t.Fatal(err)
	}
	s.env = append(env, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "RALPH_HOME="+home+"/.ralph",
		"RALPH_NOTIFY_DESKTOP=false", "RALPH_KEEP_AWAKE=false", "GORACE=atexit_sleep_ms=0")
	return s
}

// tick is what an agent does to finish the story of a scratch repository.
const tick = `echo done > step.txt && git add step.txt && git commit -q -m 'feat: step' && ` +
	`sed 's/"passes": false/"passes": true/' .ralph/feature-x/prd.json > prd.tmp && mv prd.tmp .ralph/feature-x/prd.json`

// TestAgentsFinishAStory: each real agent says something, runs a command that commits,
// reports its tokens, and reviews the work in a second session.
func TestAgentsFinishAStory(t *testing.T) {
	t.Parallel()
	for _, a := range fakeapi.Agents() {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			api := fakeapi.New(fakeapi.Bash(tick).Saying("I take the first step."), fakeapi.Text("Finished.\n<promise>COMPLETE</promise>"))
			question := fakeapi.Holds("You review the work of another coding agent")
			api.When(question, fakeapi.Text(`It does. {"verdict": "accept", "reasons": []}`))
			s := withAgent(t, a, api)
			s.env = append(s.env, "RALPH_REVIEW_HARNESS="+a.Name, "RALPH_REVIEW_MODEL="+a.Model,
				"RALPH_REVIEW_MODE=require")
			out, code := s.run(agentArgs(a, "--dangerously-skip-permissions", "--no-archive")...)
			if code != 0 {
				t.Fatalf("exit status %d\n%s\n%s", code, out, s.log())
			}
			for _, want := range []string{"I take the first step.", "iteration 1 · STORY-001 done · 1 commit", "Finished.",
				"accepts STORY-001"} {
				if !strings.Contains(out, want) {
					t.Errorf("the output lacks %q\n%s", want, out)
				}
			}
			e := s.lastAttempt()
			if e.Outcome != "ok" || !e.Promised || e.Session == "" || e.BrokenLines > 0 {
				t.Errorf("the call: %+v", e)
			}
			want := stream.Tokens{Input: 2 * fakeapi.InputTokens, Output: 2 * fakeapi.OutputTokens, CacheRead: 2 * fakeapi.CacheReadTokens}
			if diff := cmp.Diff(want, e.Tokens); diff != "" || e.TokensEstimated != (a.Name == "copilot") {
				t.Error(diff, e.TokensEstimated)
			}
			if requests := api.Requests(); len(requests) == 0 || !anyHolds(requests, "STORY-001: One") {
				t.Error("no request holds the open story")
			}
		})
	}
}

// TestCodexCommitsInItsSandbox: without the permission to do everything it may write
// in the worktree only, and the history has to be part of that.
func TestCodexCommitsInItsSandbox(t *testing.T) {
	t.Parallel()
	s := withAgent(t, fakeapi.Agents()[0], fakeapi.New())
	probe := s.command("env", "codex", "sandbox", "--", "true")
	if out, err := probe.CombinedOutput(); err != nil {
		t.Skipf("Codex's own sandbox cannot work on this machine: %s", sandboxTrouble.Find(out))
	}
	codexCommits(t, "RALPH_SANDBOX=off")
}

// In ralph's room Codex's own sandbox is off, and commits are made in both worktrees too.
func TestCodexCommitsInARoom(t *testing.T) {
	t.Parallel()
	if _, err := room.Find(t.Context()); err != nil {
		t.Skipf("no rooms here: %v", err)
	}
	codexCommits(t, "RALPH_SANDBOX=require")
}

func codexCommits(t *testing.T, mode string) {
	codex := fakeapi.Agents()[0]
	s := withAgent(t, codex, fakeapi.New(fakeapi.Bash(tick), fakeapi.Text("Finished.")))
	s.env = append(s.env, mode)
	s.git("worktree", "add", "-q", "-b", "feature/y", "../other")
	var silent []string // runs without a commit
	for _, where := range []*scratch{s, {t: t, bin: s.bin, repo: filepath.Join(filepath.Dir(s.repo), "other"), env: s.env}} {
		if where != s {
			where.git("mv", ".ralph/feature-x", ".ralph/feature-y")
			where.git("commit", "-q", "-m", "a plan of its own")
		}
		out, code := where.run(agentArgs(codex, "--no-archive", "--max-iterations", "1")...)
		if trouble := sandboxTrouble.FindString(where.log() + out); trouble != "" {
			t.Skipf("Codex's own sandbox cannot work on this machine: %s", trouble)
		}
		if !strings.Contains(out, "1 commit") {
			silent = append(silent, fmt.Sprintf("exit status %d\n%s", code, out))
		}
	}
	for _, out := range silent {
		t.Error(out)
	}
}

// sandboxTrouble is what Codex prints where the system does not let it make its sandbox.
// A sandbox that works and forbids a commit prints something else.
var sandboxTrouble = regexp.MustCompile(`(?i)(?:error building bubblewrap|bwrap: |codex-linux-sandbox: |no permissions to create (?:a )?new namespace)[^"\\\n]*`)

// TestAgentsAreRefused: what each real agent makes of its provider's refusals, and
// ralph of that.
func TestAgentsAreRefused(t *testing.T) {
	t.Parallel()
	resets := time.Now().Add(3 * time.Hour).Truncate(time.Minute)
	for _, c := range []struct {
		name    string
		reply   fakeapi.Reply
		outcome journal.Outcome
		code    int
	}{
		{"usage limit", fakeapi.UsageLimit("five_hour", resets), "usage_limit", 2},
		{"bad key", fakeapi.Unauthorized(), "auth", 1},
		{"overload", fakeapi.Overloaded(), "transient", 143},
		{"dropped stream", fakeapi.Drop("Half of it."), "transient", 143},
	} {
		for _, a := range fakeapi.Agents() {
			t.Run(a.Name+" "+c.name, func(t *testing.T) {
				t.Parallel()
				s := withAgent(t, a, fakeapi.New(c.reply))
				out, code := s.untilRefused(agentArgs(a, "--dangerously-skip-permissions", "--on-limit", "exit")...)
				e := s.lastAttempt()
				if code != c.code || e.Outcome != c.outcome {
					t.Errorf("exit status %d, outcome %s (%s), want %d, %s\n%s\n%s", code, e.Outcome, e.Message, c.code, c.outcome, out, s.log())
				}
				t.Logf("%s: %s; resets %v, %.0fs", e.Outcome, e.Message, e.ResetsAt, e.DurationSeconds)
			})
		}
	}
}

// agentArgs are the flags that choose the agent.
func agentArgs(a fakeapi.Agent, more ...string) []string {
	args := append([]string{"--harness", a.Name}, more...)
	if a.Model != "" {
		args = append(args, "--model", a.Model)
	}
	return args
}

// untilRefused runs ralph to its end, or stops it when it waits to try again.
func (s *scratch) untilRefused(args ...string) (string, int) {
	s.t.Helper()
	cmd := s.command(s.bin, append([]string{"run", "--pause", "0"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	timer := time.AfterFunc(5*patience, func() { _ = cmd.Process.Kill() }) // some agents try for minutes
	defer timer.Stop()
	var seen strings.Builder
	r := bufio.NewReader(out)
	for {
		line, err := r.ReadString('\n')
		seen.WriteString(line)
		if strings.Contains(line, "(transient)") {
			_ = cmd.Process.Signal(syscall.SIGTERM)
		}
		if err != nil {
			break
		}
	}
	_ = cmd.Wait()
	return seen.String(), cmd.ProcessState.ExitCode()
}

// lastAttempt is the end of the last call on record.
func (s *scratch) lastAttempt() (last journal.AttemptEnded) {
	for _, e := range s.events() {
		if b, ok := e.Body.(journal.AttemptEnded); ok {
			last = b
		}
	}
	return last
}

// log is what the agent printed in the first iteration.
func (s *scratch) log() string {
	text, _ := os.ReadFile(filepath.Join(s.repo, ".ralph/feature-x/logs/iteration-1.log"))
	return string(text)
}

func anyHolds(requests []fakeapi.Request, text string) bool {
	return slices.ContainsFunc(requests, fakeapi.Holds(text))
}
