package agent

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/stream"
)

// read plays a recorded stream through a harness's reader.
func read(t *testing.T, h Harness, data []byte) stream.Summary {
	t.Helper()
	r := stream.NewReader(h.Output, nil)
	_, _ = r.Write(data)
	r.Close()
	return r.Summary()
}

func recorded(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "stream", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestRecordedOutcomes checks the outcomes of recorded output of the real agents.
func TestRecordedOutcomes(t *testing.T) {
	now := time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		harness, sample string
		exit            int
		want            journal.Outcome
		says            string
		resets          time.Time
	}{
		{harness: "claude", sample: "claude-write.jsonl", want: journal.OutcomeOK},
		{harness: "claude", sample: "claude-commit.jsonl", want: journal.OutcomeOK},
		{harness: "claude", sample: "claude-fail.jsonl", want: journal.OutcomeOK}, // a tool failed, the session did not
		{harness: "claude", sample: "claude-limittext.jsonl", want: journal.OutcomeOK},
		{harness: "claude", sample: "claude-oauth-warn.jsonl", want: journal.OutcomeOK},
		{harness: "claude", sample: "claude-oauth-usage.jsonl", exit: 1, want: journal.OutcomeUsageLimit, says: "session limit", resets: time.Unix(1795233600, 0)},
		{harness: "claude", sample: "claude-oauth-usage7d.jsonl", exit: 1, want: journal.OutcomeUsageLimit, says: "weekly limit"},
		{harness: "claude", sample: "claude-oauth-429.jsonl", exit: 1, want: journal.OutcomeTransient, says: "temporarily limiting"},
		{harness: "claude", sample: "claude-429.jsonl", exit: 1, want: journal.OutcomeTransient, says: "429"},
		{harness: "claude", sample: "claude-500.jsonl", exit: 1, want: journal.OutcomeTransient},
		{harness: "claude", sample: "claude-529-default-retries.jsonl", exit: 1, want: journal.OutcomeTransient, says: "Overloaded"},
		{harness: "claude", sample: "claude-401.jsonl", exit: 1, want: journal.OutcomeAuth, says: "Invalid API key"},
		{harness: "claude", sample: "claude-nokey.jsonl", exit: 1, want: journal.OutcomeAuth, says: "Not logged in"},
		{harness: "claude", sample: "claude-credit.jsonl", exit: 1, want: journal.OutcomeAuth, says: "Credit balance"},
		{harness: "claude", sample: "claude-toolong.jsonl", exit: 1, want: journal.OutcomeError, says: "Prompt is too long"},
		{harness: "claude", sample: "claude-nomodel.jsonl", exit: 1, want: journal.OutcomeError, says: "model"},
		{harness: "claude", sample: "claude-max-turns.jsonl", exit: 1, want: journal.OutcomeError},
		{harness: "claude", sample: "claude-hang-plain.jsonl", exit: -1, want: journal.OutcomeCrash},
		{harness: "codex", sample: "codex-commit.jsonl", want: journal.OutcomeOK},
		{harness: "codex", sample: "codex-usage.jsonl", exit: 1, want: journal.OutcomeUsageLimit, says: "usage limit"},
		{harness: "codex", sample: "codex-401.jsonl", exit: 1, want: journal.OutcomeAuth},
		{harness: "codex", sample: "codex-529.jsonl", exit: 1, want: journal.OutcomeTransient},
		{harness: "opencode", sample: "opencode-commit.jsonl", want: journal.OutcomeOK},
		{harness: "opencode", sample: "opencode-401.jsonl", exit: 1, want: journal.OutcomeAuth},
		{harness: "gemini", sample: "gemini-commit.jsonl", want: journal.OutcomeOK},
		{harness: "copilot", sample: "copilot-commit.jsonl", want: journal.OutcomeOK},
	} {
		t.Run(c.sample, func(t *testing.T) {
			h, ok := Find(Builtin("ralph"), c.harness)
			if !ok {
				t.Fatal("no such harness")
			}
			exit := proc.Exit{Code: c.exit}
			if c.exit < 0 {
				exit.Signal = syscall.SIGTERM
			}
			o := outcomeOf(h, endItself, exit, read(t, h, recorded(t, c.sample)), "", Limits{}, now)
			if o.Kind != c.want {
				t.Fatalf("outcome is %s (%s), want %s", o.Kind, o.Message, c.want)
			}
			if !strings.Contains(o.Message, c.says) {
				t.Errorf("message is %q, want %q in it", o.Message, c.says)
			}
			if !c.resets.IsZero() && !o.ResetsAt.Equal(c.resets) {
				t.Errorf("resets at %s, want %s", o.ResetsAt, c.resets)
			}
			if c.want == journal.OutcomeAuth && o.Hint == "" {
				t.Error("an outcome that a person must mend has no hint")
			}
		})
	}
}

// TestCreditWithAnAllowance: without credit the user must act, unless the stream has the
// time at which the account's own allowance starts again.
func TestCreditWithAnAllowance(t *testing.T) {
	claude, _ := Find(Builtin("ralph"), "claude")
	now := time.Date(2026, 11, 21, 2, 0, 0, 0, time.UTC)
	const limited = `{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"You're out of usage credits · add some"}` + "\n"
	for _, c := range []struct {
		name, event string
		want        journal.Outcome
	}{
		{"the allowance is used up too", `{"status":"rejected","rateLimitType":"five_hour","resetsAt":1795233600}`, journal.OutcomeUsageLimit},
		{"its reset is over", `{"status":"rejected","rateLimitType":"five_hour","resetsAt":1795000000}`, journal.OutcomeAuth},
		{"nothing says so", `{"status":"allowed"}`, journal.OutcomeAuth},
	} {
		t.Run(c.name, func(t *testing.T) {
			events := `{"type":"rate_limit_event","rate_limit_info":` + c.event + "}\n" + limited
			o := outcomeOf(claude, endItself, proc.Exit{Code: 1}, read(t, claude, []byte(events)), "", Limits{}, now)
			if o.Kind != c.want || o.ResetsAt.IsZero() == (c.want == journal.OutcomeUsageLimit) || o.Hint == "" && c.want == journal.OutcomeAuth {
				t.Errorf("outcome is %s (%s; %s), resets at %s", o.Kind, o.Message, o.Hint, o.ResetsAt)
			}
		})
	}
}

// TestCutStreamIsNoSuccess cuts a good session at every line: only the whole of
// it may count as one.
func TestCutStreamIsNoSuccess(t *testing.T) {
	h, _ := Find(Builtin("ralph"), "claude")
	data := recorded(t, "claude-commit.jsonl")
	for i, b := range data[:len(data)-1] {
		if b != '\n' {
			continue
		}
		for _, cut := range [][]byte{data[:i+1], data[:i]} {
			if o := outcomeOf(h, endItself, proc.Exit{}, read(t, h, cut), "", Limits{}, time.Now()); o.Kind == journal.OutcomeOK || o.HasFinal {
				t.Errorf("cut at byte %d: %s, final %v", len(cut), o.Kind, o.HasFinal)
			}
		}
	}
}

func TestJudgeWithoutAStream(t *testing.T) {
	claude, _ := Find(Builtin("ralph"), "claude")
	mine := Custom("mine")
	mine.Limits = []string{`(?i)come back (tomorrow|later)`}
	mine.Errors = []string{`^fatal:`}
	for _, c := range []struct {
		name    string
		harness Harness
		why     end
		exit    proc.Exit
		out     string
		stderr  string
		want    journal.Outcome
		says    string
	}{
		{"plain text and exit 0", claude, endItself, proc.Exit{}, "All done.\n", "", journal.OutcomeOK, ""},
		{"plain text and exit 1", claude, endItself, proc.Exit{Code: 1}, "Something broke\n", "", journal.OutcomeError, "Something broke"},
		{"plain text limit", claude, endItself, proc.Exit{Code: 1}, "You've hit your session limit · resets 4am (UTC)\n", "", journal.OutcomeUsageLimit, "session limit"},
		{"plain text limit with advice after it", claude, endItself, proc.Exit{Code: 1}, "You've hit your session limit · resets 4am (UTC)\nSee /usage.\n", "", journal.OutcomeUsageLimit, "session limit"},
		{"tests of logins that fail", mine, endItself, proc.Exit{Code: 1}, "2 tests failed: users that are not logged in\n", "", journal.OutcomeError, "2 tests failed"},
		{"a compiler's overloads", mine, endItself, proc.Exit{Code: 1}, "", "a.cpp:3:5: error: call of overloaded 'f(int)' is ambiguous", journal.OutcomeError, "overloaded"},
		{"the error comes before the advice", mine, endItself, proc.Exit{Code: 1}, "Error: no such model\nTry another one.\n", "", journal.OutcomeError, "Error: no such model"},
		{"stderr tells why", claude, endItself, proc.Exit{Code: 1}, "", "error: unknown option '--no-such-flag'", journal.OutcomeError, "unknown option"},
		{"an exception above its stack", claude, endItself, proc.Exit{Code: 1}, "", "Cannot extract: Error: ENOENT: no such file {\n  errno: -2\n}", journal.OutcomeError, "ENOENT: no such file"},
		{"an event that cannot be read", claude, endItself, proc.Exit{}, `{"type":"result","is_error":fal` + "\n", "", journal.OutcomeError, "broke off"},
		{"an event of another protocol", claude, endItself, proc.Exit{}, `{"kind":"result","ok":true}` + "\n", "", journal.OutcomeError, "broke off"},
		{"plain text that quotes JSON", claude, endItself, proc.Exit{}, "I changed this:\n" + `{"name": "x"}` + "\n", "", journal.OutcomeOK, ""},
		{"nothing at all", claude, endItself, proc.Exit{}, "", "", journal.OutcomeError, "printed nothing"},
		{"nothing, exit 3", claude, endItself, proc.Exit{Code: 3}, "", "", journal.OutcomeError, "exit status 3"},
		{"killed", claude, endItself, proc.Exit{Code: -1, Signal: syscall.SIGKILL}, "", "", journal.OutcomeCrash, "killed"},
		{"timed out", claude, endTimeout, proc.Exit{Code: 143}, "", "", journal.OutcomeTimeout, "15m"},
		{"asked to stop", claude, endAsked, proc.Exit{Code: -1, Signal: syscall.SIGINT}, "", "", journal.OutcomeInterrupted, ""},
		{"pattern of the settings", mine, endItself, proc.Exit{Code: 1}, "quota: come back later\n", "", journal.OutcomeUsageLimit, "come back later"},
		{"text harness, exit 0, limit only mentioned", mine, endItself, proc.Exit{}, "I wrote 'come back later' to the file\n", "", journal.OutcomeOK, ""},
		{"output that the settings call a failure", mine, endItself, proc.Exit{}, "Reading\nfatal: no such key\nbye\n", "", journal.OutcomeError, "fatal: no such key"},
		{"the same on a later line of standard error", mine, endItself, proc.Exit{}, "", "warning: slow\nfatal: no such key", journal.OutcomeError, "fatal: no such key"},
		{"the same within a line", mine, endItself, proc.Exit{}, "it said fatal: no\n", "", journal.OutcomeOK, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := outcomeOf(c.harness, c.why, c.exit, read(t, c.harness, []byte(c.out)), c.stderr, Limits{Timeout: 15 * time.Minute}, time.Now())
			if o.Kind != c.want || !strings.Contains(o.Message, c.says) {
				t.Errorf("outcome is %s (%q), want %s with %q", o.Kind, o.Message, c.want, c.says)
			}
		})
	}
}
