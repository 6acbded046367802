package stream

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// facts is what each recorded session must be read as.
type facts struct {
	Format                Format
	Terminal, Failed      bool
	Final                 string // the last line of the final message, "-" without one
	Tokens                Tokens
	Estimated             bool
	Class                 Class
	ErrorClass            string
	Status                int
	Retries               int
	Broken                int
	Plain                 bool
	RejectedUntil, Window string
}

var (
	claudeOnce  = Tokens{Input: 12, Output: 42, CacheRead: 6789, CacheWrite: 345}
	claudeTwice = claudeOnce.Add(claudeOnce)
	claudeThree = claudeTwice.Add(claudeOnce)
	plainOnce   = Tokens{Input: 12, Output: 42, CacheRead: 6789}
	plainTwice  = plainOnce.Add(plainOnce)
)

const promise = "<promise>COMPLETE</promise>"

// samples is the table of recorded sessions; a file that is not in it fails the test.
var samples = map[string]facts{
	"claude-401-text.jsonl":         {Format: FormatClaude, Final: "Invalid API key · Fix external API key", Class: ClassAuth, Broken: 1, Plain: true},
	"claude-429-text.jsonl":         {Format: FormatClaude, Final: "API Error: Request rejected (429) · This request would exceed your organization's rate limit of 10,000 input tokens per minute.", Class: ClassTransient, Broken: 1, Plain: true},
	"claude-529-text.jsonl":         {Format: FormatText, Final: "API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:8787).", Class: ClassTransient},
	"claude-credit-text.jsonl":      {Format: FormatText, Final: "Credit balance is too low", Class: ClassBilling},
	"claude-nokey-text.jsonl":       {Format: FormatText, Final: "Not logged in · Please run /login", Class: ClassAuth},
	"claude-oauth-usage-text.jsonl": {Format: FormatText, Final: "You've hit your session limit · resets 4am (UTC)", Class: ClassUsageLimit},
	"claude-text-mode.jsonl":        {Format: FormatText, Final: "Hello from the fake API.", Class: ClassOther},
	"claude-badflag.stderr":         {Format: FormatClaude, Final: "error: unknown option '--no-such-flag'", Class: ClassOther, Broken: 1, Plain: true},
	"claude-noverbose.stderr":       {Format: FormatClaude, Final: "Error: When using --print, --output-format=stream-json requires --verbose", Class: ClassOther, Broken: 1, Plain: true},

	"claude-401.jsonl":                 claudeFailed(ClassAuth, "authentication_failed", 401, 1),
	"claude-429.jsonl":                 claudeFailed(ClassTransient, "rate_limit", 429, 1),
	"claude-429-default-retries.jsonl": claudeFailed(ClassTransient, "rate_limit", 429, 10),
	"claude-500.jsonl":                 claudeFailed(ClassTransient, "server_error", 500, 1),
	"claude-529-default-retries.jsonl": claudeFailed(ClassTransient, "server_error", 529, 10),
	"claude-credit.jsonl":              claudeFailed(ClassBilling, "billing_error", 400, 0),
	"claude-cut2.jsonl":                claudeFailed(ClassTransient, "server_error", 0, 1),
	"claude-miderror2.jsonl":           claudeFailed(ClassTransient, "server_error", 529, 1),
	"claude-nokey.jsonl":               claudeFailed(ClassAuth, "authentication_failed", 0, 0),
	"claude-nomodel.jsonl":             claudeFailed(ClassModel, "model_not_found", 404, 0),
	"claude-oauth-401.jsonl":           claudeFailed(ClassAuth, "authentication_failed", 401, 1),
	"claude-oauth-429.jsonl":           claudeFailed(ClassTransient, "rate_limit", 429, 0),
	"claude-oauth-529.jsonl":           claudeFailed(ClassTransient, "server_error", 529, 1),
	"claude-toolong.jsonl":             claudeFailed(ClassContext, "invalid_request", 400, 0),
	"claude-drop-nofb.jsonl":           claudeFailed(ClassTransient, "server_error", 0, 0),
	"claude-maxtokens.jsonl":           with(claudeFailed(ClassOther, "max_output_tokens", 0, 0), func(f *facts) { f.Tokens = claudeTwice.Add(claudeTwice) }),
	"claude-refusal.jsonl":             with(claudeFailed(ClassRefusal, "invalid_request", 0, 0), func(f *facts) { f.Tokens = claudeOnce }),
	"claude-budget.jsonl":              with(claudeFailed(ClassOther, "", 0, 0), func(f *facts) { f.Tokens = claudeThree }),
	"claude-max-turns.jsonl":           with(claudeFailed(ClassOther, "", 0, 0), func(f *facts) { f.Tokens = claudeThree }),
	"claude-oauth-usage.jsonl": with(claudeFailed(ClassUsageLimit, "rate_limit", 429, 0), func(f *facts) {
		f.RejectedUntil, f.Window = "2026-11-21T04:00:00Z", "five_hour"
	}),
	"claude-oauth-usage7d.jsonl": with(claudeFailed(ClassUsageLimit, "rate_limit", 429, 0), func(f *facts) {
		f.RejectedUntil, f.Window = "2026-11-21T04:00:00Z", "seven_day"
	}),

	"claude-atfile.jsonl":     succeeded(FormatClaude, "Hello from the fake API.", claudeOnce),
	"claude-bgsleep.jsonl":    succeeded(FormatClaude, "Left children behind.", claudeTwice),
	"claude-commit.jsonl":     succeeded(FormatClaude, promise, claudeTwice),
	"claude-empty.jsonl":      succeeded(FormatClaude, "", claudeTwice),
	"claude-fail.jsonl":       succeeded(FormatClaude, "It failed.", claudeTwice),
	"claude-flaky-n-1.jsonl":  with(succeeded(FormatClaude, "Hello from the fake API.", claudeOnce), func(f *facts) { f.Retries = 1 }),
	"claude-limittext.jsonl":  succeeded(FormatClaude, "Claude AI usage limit reached|1795300000", claudeOnce),
	"claude-oauth-text.jsonl": succeeded(FormatClaude, "Hello from the fake API.", claudeOnce),
	"claude-oauth-warn.jsonl": succeeded(FormatClaude, "Hello from the fake API.", claudeOnce),
	"claude-open-stdin.jsonl": succeeded(FormatClaude, "Hello from the fake API.", claudeOnce),
	"claude-partial.jsonl":    succeeded(FormatClaude, "Hello from the fake API.", claudeOnce),
	"claude-text.jsonl":       succeeded(FormatClaude, "Hello from the fake API.", claudeOnce),
	"claude-write.jsonl":      succeeded(FormatClaude, "Done writing.", claudeThree),

	"claude-hang-plain.jsonl": {Format: FormatClaude, Final: "-"},
	"sig-claude-hang-sigint-pid.jsonl": with(claudeFailed(ClassOther, "", 0, 0), func(f *facts) {
		f.Tokens, f.Estimated = Tokens{Input: 12, Output: 6, CacheRead: 6789, CacheWrite: 345}, true
	}),
	"sig-claude-sleep-sigint-pid.jsonl":    with(claudeFailed(ClassOther, "", 0, 0), func(f *facts) { f.Tokens = claudeOnce }),
	"sig-claude-sleep-sigterm-group.jsonl": {Format: FormatClaude, Final: "-", Tokens: Tokens{Input: 12, Output: 15, CacheRead: 6789, CacheWrite: 345}, Estimated: true},
	"sig-claude-sleep-sigterm-pid.jsonl":   {Format: FormatClaude, Final: "-", Tokens: Tokens{Input: 12, Output: 15, CacheRead: 6789, CacheWrite: 345}, Estimated: true},

	"codex-401.jsonl":                   {Format: FormatCodex, Terminal: true, Failed: true, Final: "-", Class: ClassAuth, Status: 401, Retries: 1},
	"codex-429.jsonl":                   {Format: FormatCodex, Terminal: true, Failed: true, Final: "-", Class: ClassTransient, Status: 429, Retries: 1},
	"codex-500.jsonl":                   {Format: FormatCodex, Terminal: true, Failed: true, Final: "-", Class: ClassTransient, Retries: 1},
	"codex-529.jsonl":                   {Format: FormatCodex, Terminal: true, Failed: true, Final: "-", Class: ClassTransient},
	"codex-commit.jsonl":                succeeded(FormatCodex, promise, Tokens{Input: 24, Output: 84, CacheRead: 13578}),
	"codex-credit.jsonl":                {Format: FormatCodex, Terminal: true, Failed: true, Final: "-", Class: ClassBilling},
	"codex-drop.jsonl":                  {Format: FormatCodex, Terminal: true, Failed: true, Final: "-", Class: ClassTransient, Retries: 1},
	"codex-nomodel.jsonl":               {Format: FormatCodex, Terminal: true, Failed: true, Final: "-", Class: ClassModel, Status: 404, Retries: 1},
	"codex-text.jsonl":                  succeeded(FormatCodex, "Hello from the fake API.", plainOnce),
	"codex-text-mode.jsonl":             {Format: FormatCodex, Final: promise, Class: ClassOther, Broken: 2, Plain: true},
	"codex-toolong.jsonl":               {Format: FormatCodex, Terminal: true, Failed: true, Final: "-", Class: ClassContext},
	"codex-usage.jsonl":                 {Format: FormatCodex, Terminal: true, Failed: true, Final: "-", Class: ClassUsageLimit},
	"sig-codex-sleep-sigterm-pid.jsonl": {Format: FormatCodex, Final: "-"},

	"opencode-401.jsonl":                   {Format: FormatOpenCode, Terminal: true, Failed: true, Final: "-", Class: ClassAuth, ErrorClass: "APIError", Status: 401},
	"opencode-429.jsonl":                   {Format: FormatOpenCode, Terminal: true, Failed: true, Final: "-", Class: ClassTransient, ErrorClass: "APIError", Status: 429},
	"opencode-529.jsonl":                   {Format: FormatOpenCode, Terminal: true, Failed: true, Final: "-", Class: ClassTransient, ErrorClass: "APIError", Status: 503},
	"opencode-commit.jsonl":                succeeded(FormatOpenCode, promise, plainTwice),
	"opencode-drop.jsonl":                  {Format: FormatOpenCode, Terminal: true, Failed: true, Final: "-", Class: ClassTransient, ErrorClass: "APIError"},
	"opencode-text.jsonl":                  succeeded(FormatOpenCode, "Hello from the fake API.", plainOnce),
	"opencode-text-mode.jsonl":             {Format: FormatOpenCode, Final: "Hello from the fake API.", Class: ClassOther, Broken: 1, Plain: true},
	"opencode-toolong.jsonl":               {Format: FormatOpenCode, Terminal: true, Failed: true, Final: "-", Class: ClassContext, ErrorClass: "ContextOverflowError"},
	"opencode-usage.jsonl":                 {Format: FormatOpenCode, Terminal: true, Failed: true, Final: "-", Class: ClassUsageLimit, ErrorClass: "APIError", Status: 429, RejectedUntil: "2026-11-21T04:00:00Z"},
	"sig-opencode-sleep-sigterm-pid.jsonl": {Format: FormatOpenCode, Final: "-"},

	"gemini-401.jsonl":                   {Format: FormatGemini, Terminal: true, Failed: true, Final: "-", Class: ClassAuth, ErrorClass: "unknown", Status: 401},
	"gemini-429.jsonl":                   {Format: FormatGemini, Final: "-"},
	"gemini-commit.jsonl":                succeeded(FormatGemini, promise, Tokens{Input: 36, Output: 126, CacheRead: 20367}),
	"gemini-text.jsonl":                  succeeded(FormatGemini, "Hello from the fake API.", plainTwice),
	"gemini-text-mode.jsonl":             {Format: FormatGemini, Final: promise, Class: ClassOther, Broken: 3, Plain: true},
	"gemini-usage.jsonl":                 {Format: FormatGemini, Terminal: true, Failed: true, Final: "-", Class: ClassUsageLimit, ErrorClass: "unknown"},
	"sig-gemini-sleep-sigterm-pid.jsonl": {Format: FormatGemini, Final: "-"},

	"copilot-401.jsonl":                   {Format: FormatCopilot, Terminal: true, Failed: true, Final: "-", Class: ClassAuth, ErrorClass: "authentication", Status: 401, Retries: 2},
	"copilot-commit.jsonl":                succeeded(FormatCopilot, promise, Tokens{}),
	"copilot-credit.jsonl":                {Format: FormatCopilot, Terminal: true, Failed: true, Final: "-", Class: ClassBilling, ErrorClass: "rate_limit", Status: 429, Retries: 5},
	"copilot-text.jsonl":                  succeeded(FormatCopilot, "Hello from the fake API.", Tokens{}),
	"copilot-usage.jsonl":                 {Format: FormatCopilot, Terminal: true, Failed: true, Final: "-", Class: ClassOther, ErrorClass: "rate_limit", Status: 429, Retries: 5, RejectedUntil: "2026-11-21T05:00:00Z"},
	"sig-copilot-sleep-sigterm-pid.jsonl": {Format: FormatCopilot, Final: "-"},
}

func claudeFailed(class Class, word string, status, retries int) facts {
	return facts{Format: FormatClaude, Terminal: true, Failed: true, Final: "-", Class: class, ErrorClass: word, Status: status, Retries: retries}
}

func succeeded(f Format, final string, tokens Tokens) facts {
	return facts{Format: f, Terminal: true, Final: final, Tokens: tokens}
}

func with(f facts, change func(*facts)) facts {
	change(&f)
	return f
}

// read hands the bytes to a reader in pieces of that size.
func read(format Format, data []byte, piece int, emit func(Event)) Summary {
	r := NewReader(format, emit)
	for len(data) > 0 {
		n := min(piece, len(data))
		r.Write(data[:n])
		data = data[n:]
	}
	r.Close()
	return r.Summary()
}

func TestSamples(t *testing.T) {
	files, err := filepath.Glob("testdata/*-*.*")
	if err != nil || len(files) < len(samples) {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, ok := samples[filepath.Base(file)]
			if !ok {
				t.Fatal("not in the table of samples")
			}
			sum := read(want.Format, data, len(data), nil)
			if diff := cmp.Diff(want, factsOf(want.Format, sum)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(sum, read(want.Format, data, 7, nil)); diff != "" {
				t.Errorf("in pieces of 7 bytes (-whole +pieces)\n%s", diff)
			}
		})
	}
}

func factsOf(format Format, sum Summary) facts {
	f := facts{
		Format: format, Terminal: sum.Terminal, Failed: sum.Result.IsError, Tokens: sum.Tokens, Estimated: sum.Estimated,
		ErrorClass: sum.ErrorClass, Status: sum.Status, Retries: sum.Retries, Broken: sum.Broken, Plain: sum.Plain, Final: "-",
	}
	carrier := sum.LastError
	if sum.HasFinal {
		lines := strings.Split(strings.TrimSuffix(sum.Final, "\n"), "\n")
		f.Final = lines[len(lines)-1]
	}
	if sum.Plain || format == FormatText {
		carrier = sum.Final
	}
	f.Class = Classify(format, carrier, time.Date(2026, 11, 21, 2, 0, 0, 0, time.UTC)).Class
	if sum.Rejected != nil {
		f.RejectedUntil, f.Window = sum.Rejected.ResetsAt.Format(time.RFC3339), sum.Rejected.Window
	}
	return f
}
