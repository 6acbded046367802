package monitor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/stream"
)

var start = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func at(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }

func ptr[T any](v T) *T { return &v }

func event(seconds int, b journal.Body) journal.Event {
	return journal.Event{Time: at(seconds), Run: "r1", Body: b}
}

const logFile = ".ralph/feature-x/logs/iteration-2.log"

// working is a run in its second iteration, 200 seconds after its beginning.
func working() []journal.Event {
	return []journal.Event{
		event(0, journal.RunStarted{
			Schema: journal.SchemaVersion, Unit: "feature-x", Plan: "prd", Harness: "claude", Model: "opus", MaxIterations: 20, TimeoutSeconds: 900,
			StallThreshold: 3, SameError: 5, PID: 1, PIDStart: "1", Host: "box", RateLimit: 100, CallsUsed: 3,
			Stories: []journal.Story{{ID: "S-1", Title: "Log in"}, {ID: "S-2", Title: "Reset the password"}, {ID: "S-3", Title: "Log out"}},
		}),
		event(1, journal.IterationStarted{N: 1, Story: &journal.Story{ID: "S-1", Title: "Log in"}}),
		event(2, journal.AttemptStarted{N: 1, Attempt: 1, Harness: "claude", LogFile: ".ralph/feature-x/logs/iteration-1.log", CallsUsed: 4, CallsLimit: 100, CallsResetAt: ptr(at(1580))}),
		event(90, journal.AttemptEnded{N: 1, Attempt: 1, Outcome: "ok", Tokens: stream.Tokens{Input: 12000, Output: 3000}, CostUSD: ptr(0.25)}),
		event(95, journal.IterationEnded{N: 1, Outcome: "ok", Commits: []string{"c1"}, StoriesPassed: []string{"S-1"}, StoriesComplete: 1, StoriesTotal: 3,
			CurrentStory: &journal.Story{ID: "S-2", Title: "Reset the password"}, Progress: true, Tokens: stream.Tokens{Input: 12000, Output: 3000}, CostUSD: ptr(0.25)}),
		event(97, journal.IterationStarted{N: 2, Story: &journal.Story{ID: "S-2", Title: "Reset the password"}}),
		event(98, journal.AttemptStarted{N: 2, Attempt: 1, Harness: "claude", LogFile: logFile, CallsUsed: 5, CallsLimit: 100, CallsResetAt: ptr(at(1580))}),
	}
}

// options are for a dashboard without a terminal.
func options(t testing.TB) Options {
	t.Helper()
	dir := t.TempDir()
	return Options{
		Unit: "feature-x", Journal: filepath.Join(dir, journal.FileName), Root: dir, Host: "box", ASCII: true,
		Locate: func() string { return "" },
		Format: func(string) stream.Format { return stream.FormatClaude },
		Health: func(run.Status) Health { return Alive },
		Ask:    func(journal.Request) error { return nil },
	}
}

// modelOf has taken up these events.
func modelOf(t testing.TB, opts Options, events ...journal.Event) *model {
	t.Helper()
	m := newModel(opts)
	for _, e := range events {
		m.event(e)
	}
	m.catchUp()
	m.poll()
	m.gone = false // these events have no file
	return m
}

// said is a line of Claude Code's output.
func said(text string) string {
	data, _ := json.Marshal(map[string]any{"type": "assistant", "message": map[string]any{"id": "m1", "content": []any{map[string]any{"type": "text", "text": text}}}})
	return string(data) + "\n"
}

// called is a call of a tool.
func called(command string) string {
	data, _ := json.Marshal(map[string]any{"type": "assistant", "message": map[string]any{"id": "m2",
		"content": []any{map[string]any{"type": "tool_use", "id": "t1", "name": "Bash", "input": map[string]any{"command": command}}}}})
	return string(data) + "\n"
}

const answered = `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"fine"}]}}` + "\n"

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func appendFile(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(text)
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}
