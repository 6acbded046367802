package agent

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/stream"
)

// TestEveryFailureHasAHint: each kind of failure in the output of the real agents has a
// hint for the user.
func TestEveryFailureHasAHint(t *testing.T) {
	for _, c := range []struct {
		harness, sample string
		stderr          string
		exit            proc.Exit
		want            journal.Outcome
		says, hint      string
	}{
		{harness: "claude", sample: "claude-nokey.jsonl", want: journal.OutcomeAuth, says: "Not logged in", hint: "log in with the agent itself (claude)"},
		{harness: "claude", sample: "claude-credit.jsonl", want: journal.OutcomeAuth, says: "Credit balance is too low", hint: "waiting does not help"},
		{harness: "codex", sample: "codex-credit.jsonl", want: journal.OutcomeAuth, says: "Quota exceeded", hint: "waiting does not help"},
		{harness: "copilot", sample: "copilot-credit.jsonl", want: journal.OutcomeAuth, hint: "waiting does not help"},
		{harness: "claude", sample: "claude-toolong.jsonl", want: journal.OutcomeError, says: "Prompt is too long", hint: "split the story"},
		{harness: "codex", sample: "codex-toolong.jsonl", want: journal.OutcomeError, says: "ran out of room", hint: "split the story"},
		{harness: "opencode", sample: "opencode-toolong.jsonl", want: journal.OutcomeError, hint: "split the story"},
		{harness: "claude", sample: "claude-nomodel.jsonl", want: journal.OutcomeError, says: "selected model", hint: "claude.model"},
		{harness: "codex", sample: "codex-nomodel.jsonl", want: journal.OutcomeError, hint: "harnesses.codex.model"},
		{harness: "claude", sample: "claude-refusal.jsonl", want: journal.OutcomeError, says: "unable to respond", hint: "rephrase the story"},
		{harness: "gemini", sample: "gemini-usage.jsonl", want: journal.OutcomeUsageLimit, says: "daily quota on this model", hint: "limit of one model"},
		{harness: "gemini", exit: proc.Exit{Code: 41}, stderr: "Please set an Auth method in your /home/u/.gemini/settings.json or specify one of the following environment variables before running: GEMINI_API_KEY",
			want: journal.OutcomeAuth, says: "set an Auth method", hint: "(gemini)"},
		{harness: "copilot", exit: proc.Exit{Code: 1}, stderr: "Error: No authentication information found.\n\nTo authenticate, you can use any of the following methods:\n  • Run 'gh auth login' to authenticate with the GitHub CLI",
			want: journal.OutcomeAuth, says: "No authentication information found", hint: "(copilot)"},
		{harness: "claude", exit: proc.Exit{Code: -1, Signal: syscall.SIGKILL}, want: journal.OutcomeCrash, says: "killed", hint: "memory"},
	} {
		t.Run(c.harness+" "+c.hint, func(t *testing.T) {
			h, _ := Find(Builtin("ralph"), c.harness)
			var out []byte
			if c.sample != "" {
				out, c.exit = recorded(t, c.sample), proc.Exit{Code: 1}
			}
			o := outcomeOf(h, endItself, c.exit, read(t, h, out), c.stderr, Limits{}, time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC))
			if o.Kind != c.want || !strings.Contains(o.Message, c.says) || !strings.Contains(o.Hint, c.hint) {
				t.Errorf("%s: %q, hint %q; want %s: %q, hint %q", o.Kind, o.Message, o.Hint, c.want, c.says, c.hint)
			}
		})
	}
}

// TestTheAgentIsCalledAsAPersonDoes: by the word of the settings where its program is
// a wrapper, or serves several accounts.
func TestTheAgentIsCalledAsAPersonDoes(t *testing.T) {
	for want, h := range map[string]Harness{
		"claude":               {Name: "claude", Command: []string{"claude"}},
		"/opt/codex/bin/codex": {Name: "codex", Command: []string{"/opt/codex/bin/codex", "exec"}},
		"harness work":         {Name: "work", Command: []string{"claude"}},
		"harness mine":         {Name: "mine", Command: []string{"env", "KEY=secret", "npx", "my-agent"}},
	} {
		o := Outcome{Kind: journal.OutcomeAuth}
		if got := o.advice(h, stream.ClassAuth); !strings.Contains(got, "log in with the agent itself ("+want+")") {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestLimitOfAModel: a model's limit is not the account's.
func TestLimitOfAModel(t *testing.T) {
	now := time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC)
	claude, _ := Find(Builtin("ralph"), "claude")
	for text, ofModel := range map[string]bool{
		"You've hit your Opus limit · resets 11:45pm (UTC)": true, "You've hit your session limit · resets 11:45pm (UTC)": false,
	} {
		o := outcomeOf(claude, endItself, proc.Exit{Code: 1}, read(t, claude, []byte(text+"\n")), "", Limits{}, now)
		if o.Kind != journal.OutcomeUsageLimit || o.OfModel != ofModel || (o.Hint != "") != ofModel || !o.ResetsAt.Equal(now.Add(105*time.Minute)) {
			t.Errorf("%s: %s, of a model %v, resets %s, hint %q", text, o.Kind, o.OfModel, o.ResetsAt, o.Hint)
		}
	}
}
