package loop

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/agent"
	"ralph/internal/calls"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/parking"
	"ralph/internal/plan"
	"ralph/internal/proc"
	"ralph/internal/ratelimit"
)

// TestMain lets the test binary be the guardian.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args[1:], "guardian") {
		if proc.Guard(nil) != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestWhatTheAgentDidIsOnRecord although the journal refused the end of its call for a
// moment: the call and the iteration come before the end of the run.
func TestWhatTheAgentDidIsOnRecord(t *testing.T) {
	l, _ := loopOf(t, t.TempDir(), "a")
	root := t.TempDir()
	path := filepath.Join(root, journal.FileName)
	w, err := journal.OpenWriter(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var recorded []string
	l.Recorder.Journal = w
	l.Recorder.Observe = func(e journal.Event) {
		recorded = append(recorded, e.Body.EventType())
		if _, ok := e.Body.(journal.AgentStarted); ok {
			rename(t, path, path+".away")
		}
	}
	bin := strings.TrimPrefix(l.Env[0], "PATH=")
	if err := os.WriteFile(filepath.Join(bin, "a"), []byte("#!/bin/sh\necho done\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	l.Repo, l.Plan, l.LogDir = &git.Repo{Root: root}, &plan.Prompt{Root: root, Text: "x"}, "logs"
	l.Limits = agent.Limits{Timeout: time.Minute, Idle: time.Minute}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l.Keeper = &proc.Keeper{Start: func() (*proc.Guardian, error) { return proc.StartGuardian([]string{exe, "guardian"}, t.Name()) }}
	t.Cleanup(l.Keeper.Close)
	if l.Inbox, err = journal.OpenInbox(root); err != nil {
		t.Fatal(err)
	}
	l.assemble()
	l.it, l.parker = &iteration{n: 1}, &parking.Parker{Recorder: l.Recorder}
	if err = l.call(t.Context()); err == nil {
		t.Fatal("the journal was away, and no error")
	}
	l.abandon(l.it, err)
	rename(t, path+".away", path)
	if err := l.Recorder.Record(journal.RunEnded{}); err != nil {
		t.Fatal(err)
	}
	want := []string{"attempt_started", "agent_started", "attempt_ended", "iteration_ended", "run_ended"}
	if diff := cmp.Diff(want, recorded); diff != "" {
		t.Errorf("journal (-want +got): %s", diff)
	}
}

// loopOf returns a loop with agents of these names, which all exist, and its recorded
// events.
func loopOf(t *testing.T, ledgers string, names ...string) (*Loop, *[]journal.Body) {
	t.Helper()
	l, events := recording(t)
	bin := t.TempDir()
	l.Env = []string{"PATH=" + bin}
	l.Ledger = ratelimit.Open(ledgers, names[0], 0).For(rand.Text())
	for _, name := range names {
		h := agent.Custom(name)
		h.Command = []string{name}
		l.Agents = append(l.Agents, calls.Caller{Harness: h})
		if err := os.WriteFile(filepath.Join(bin, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	l.OnLimit, l.MaxWait, l.LogDir = "wait", 24*time.Hour, "logs"
	l.assemble()
	return l, events
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}
