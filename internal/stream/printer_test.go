package stream

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func printed(t *testing.T, opts PrinterOptions, events ...Event) string {
	t.Helper()
	var out bytes.Buffer
	p := NewPrinter(&out, opts)
	for _, e := range events {
		p.Event(e)
	}
	if out.Len() > 0 {
		t.Error("written before Flush")
	}
	if err := p.Flush(); err != nil {
		t.Error(err)
	}
	return out.String()
}

func TestPrinter(t *testing.T) {
	session := []Event{
		{Kind: KindStart, Model: "m1"},
		{Kind: KindText, Text: "I will\tlook.\nNow."},
		{Kind: KindTool, Tool: "Bash", Detail: "go test ./... \x1b[2J-run TestEverythingThatThereIs"},
		{Kind: KindToolResult, Text: "ok"},
		{Kind: KindToolResult, Text: "exit 1", Failed: true},
		{Kind: KindTool, Tool: "Read", Detail: "a.go", Sub: true},
		{Kind: KindRetry, Retry: &Retry{Attempt: 3, Max: 10, Delay: 4264 * time.Millisecond, Status: 529, Class: "overloaded"}},
		{Kind: KindLimit, Limit: &Limit{Utilization: 0.93, Window: "five_hour"}},
		{Kind: KindLimit, Limit: &Limit{Rejected: true, Utilization: -1, Window: "five_hour"}},
		{Kind: KindError, Text: "Overloaded"},
		{Kind: KindResult, Result: &Result{IsError: true, Error: "Overloaded"}},
		{Kind: KindResult, Result: &Result{
			Tokens: Tokens{Input: 24, Output: 84, CacheRead: 9}, CostUSD: 0.01332, HasCost: true, Turns: 2,
			Denied: []Denial{{Tool: "Bash", Detail: "rm x"}},
		}},
	}
	quiet := "I will\tlook.\nNow.\n" +
		"* Bash  go test ./... -run TestE...\n" +
		"  x exit 1\n" +
		"  * Read  a.go\n" +
		"waiting: provider overloaded, attempt 3 of 10, next in 4s\n" +
		"! usage limit reached: five hour\n" +
		"x Overloaded\n" +
		"session failed\n" +
		"! not permitted: Bash rm x\n" +
		"session ended: 24 tokens in, 84 out, cache 9 read, 0 written, $0.0133, 2 turns\n"
	if diff := cmp.Diff(quiet, printed(t, PrinterOptions{ASCII: true, Width: 35}, session...)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	verbose := printed(t, PrinterOptions{Verbose: true}, session...)
	for _, want := range []string{"model: m1\n", "● Bash  go test ./... -run TestEverythingThatThereIs\n", "  └ ok\n", "⚠ usage limit: five hour, 93% used\n", "  ✗ exit 1\n"} {
		if !strings.Contains(verbose, want) {
			t.Errorf("verbose output lacks %q:\n%s", want, verbose)
		}
	}
	if strings.Contains(verbose, "\x1b") {
		t.Error("colours without being asked for")
	}
}

// The option alone decides, whatever the environment says.
func TestPrinterColor(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	got := printed(t, PrinterOptions{Color: true}, Event{Kind: KindTool, Tool: "Bash", Detail: "ls"})
	if want := "\x1b[32m●\x1b[0m \x1b[1mBash\x1b[0m  ls\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestPrinterTellsWriteError(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
	p := NewPrinter(file, PrinterOptions{})
	p.Event(Event{Kind: KindText, Text: "x"})
	if err := p.Flush(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestSanitize(t *testing.T) {
	tests := []struct{ text, want string }{
		{"plain é 😀\n\ttext", "plain é 😀\n\ttext"},
		{"a\x1b[31;1mred\x1b[0m b", "ared b"},
		{"\x1b]0;title\x07x\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "xlink"},
		{"\x1b]52;c;never ends", "52;c;never ends"},
		{"\x1b]52;c;x\nnext\x07", "52;c;x\nnext"},
		{"\x1bPq#0\x1b\\x\x1b(Bx\x1bcx\x1b", "xxx"},
		{"\u009b2Jx\u009d0;t\u009cy\u0085z", "xyz"},
		{"bytes \x9b2J\xff", "bytes \uFFFD2J\uFFFD"},
		{"over\rwritten\r\nline\b\x00\x7f", "over\nwritten\nline"},
		{"a\u202eb\u2066c", "abc"},
		{"\x1b[", ""}, {"\x1b[1\ny", "\ny"}, {"\x1b\x1b[2Jx", "x"},
	}
	for _, tt := range tests {
		if got := Sanitize(tt.text); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

func FuzzSanitize(f *testing.F) {
	f.Add("a\x1b[31mb\x1b]0;t\x07\u009b2J\r\n\xff")
	f.Add("\x1b\x1b]\x1b[")
	f.Fuzz(func(t *testing.T, text string) {
		got := Sanitize(text)
		for _, r := range got {
			if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || isControl(r) {
				t.Fatalf("%q leaves %U in %q", text, r, got)
			}
		}
		if !utf8.ValidString(got) || Sanitize(got) != got {
			t.Errorf("%q: %q", text, got)
		}
	})
}

// A character of Chinese takes two columns: a tool's line stays one line.
func TestPrinterCutsByColumns(t *testing.T) {
	call := Event{Kind: KindTool, Tool: "Read", Detail: "文档/用户登录功能的说明/一.md"}
	if diff := cmp.Diff("● Read  文档/用户登录功…\n", printed(t, PrinterOptions{Width: 24}, call)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff("* Read  文档/用户登录...\n", printed(t, PrinterOptions{Width: 24, ASCII: true}, call)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
