package stream

import (
	"os"
	"testing"
	"time"

	"gopkg.in/yaml.v3"
)

// failures are what agents printed, with their sources.
func failures(t *testing.T) []recordedFailure {
	t.Helper()
	data, err := os.ReadFile("testdata/failures.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var list []recordedFailure
	if err := yaml.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

type recordedFailure struct {
	Agent, Source, Text string
	Class               Class
	Resets              time.Time
	Model               bool
}

func TestClassify(t *testing.T) {
	now := time.Date(2026, 8, 8, 12, 0, 0, 0, time.UTC)
	for _, want := range failures(t) {
		format := Format(want.Agent)
		if NewReader(format, nil).dialect == nil && format != FormatText || want.Source == "" {
			t.Errorf("%s: agent %q, source %q", want.Text, want.Agent, want.Source)
		}
		got := Classify(format, want.Text, now)
		if got.Class != want.Class || got.Model != want.Model || !got.ResetsAt.Equal(want.Resets) {
			t.Errorf("%v: %s\n got %v %v model=%v\nwant %v %v model=%v", format, want.Text,
				got.Class, got.ResetsAt, got.Model, want.Class, want.Resets, want.Model)
		}
	}
	if got := Classify(FormatClaude, " \n", now); got != (Failure{}) {
		t.Errorf("no text: %+v", got)
	}
}

// TestClassifyOutput: what an agent prints may quote anything. Only a line that starts
// as an agent's own words is one.
func TestClassifyOutput(t *testing.T) {
	now := time.Date(2026, 8, 8, 12, 0, 0, 0, time.UTC)
	for _, text := range []string{
		"2 tests failed: users that are not logged in", "main.cpp:3:5: error: call of overloaded 'f(int)' is ambiguous",
		"FAIL TestLogin: want unauthorized, got ok", "error: expected status 429, got 200", "I added a rate limit of 10 per minute",
		"the page says: You've hit your session limit", "test 'timeout of the cache' failed", "see authentication.md",
		`replay.yaml:3: unknown step "sya"; the steps are say, overloaded, auth_error`,
	} {
		if got := ClassifyOutput(FormatText, "working\n"+text+"\n", now); got.Class != ClassOther {
			t.Errorf("%s: %v", text, got.Class)
		}
	}
	for _, f := range failures(t) {
		if got := ClassifyOutput(Format(f.Agent), "working\nError: "+f.Text+"\nbye\n", now); got.Class != f.Class {
			t.Errorf("%s: %v, want %s", f.Text, got.Class, f.Class)
		}
	}
}

func TestClassOf(t *testing.T) {
	tests := []struct {
		word   string
		status int
		want   Class
	}{
		{"", 0, ClassNone}, {"unknown", 0, ClassNone}, {"invalid_request", 400, ClassNone}, {"rate_limit", 429, ClassTransient},
		{"APIError", 503, ClassTransient}, {"", 401, ClassAuth}, {"billing_error", 400, ClassBilling}, {"", 402, ClassBilling},
		{"server_error", 0, ClassTransient}, {"server_error", 404, ClassModel}, {"ContextOverflowError", 0, ClassContext},
	}
	for _, tt := range tests {
		if got := ClassOf(tt.word, tt.status); got != tt.want {
			t.Errorf("%s %d: %v, want %v", tt.word, tt.status, got, tt.want)
		}
	}
}
