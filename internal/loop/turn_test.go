package loop

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/agent"
	"ralph/internal/calls"
	"ralph/internal/git"
	"ralph/internal/journal"
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
	l.assemble()

	it := &iteration{n: 1}
	if _, err = l.turn(t.Context(), it); err == nil {
		t.Fatal("the journal was away, and no error")
	}
	l.abandon(it, err)
	rename(t, path+".away", path)
	if err := l.record(journal.RunEnded{}); err != nil {
		t.Fatal(err)
	}
	want := []string{"attempt_started", "agent_started", "attempt_ended", "iteration_ended", "run_ended"}
	if diff := cmp.Diff(want, recorded); diff != "" {
		t.Errorf("journal (-want +got): %s", diff)
	}
}

// loopOf is a loop with agents of these names, all of which are there, and what it
// has recorded.
func loopOf(t *testing.T, ledgers string, names ...string) (*Loop, *[]journal.Body) {
	t.Helper()
	l, told := recording(t)
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
	return l, told
}

func pick(t *testing.T, l *Loop) calls.Block {
	t.Helper()
	b, err := l.team.Pick(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// refuse is what becomes of a call that meets a limit.
func refuse(t *testing.T, l *Loop, reset time.Time) {
	t.Helper()
	o := agent.Outcome{Kind: journal.OutcomeUsageLimit, Message: "no more", ResetsAt: reset}
	if err := l.team.Refused(t.Context(), o); err != nil {
		t.Fatal(err)
	}
}

// TestALimitThatDoesNotEnd is waited for no longer than the settings allow, also
// where nobody tells when it ends and each wait is short.
func TestALimitThatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := loopOf(t, t.TempDir(), "a")
		l.MaxWait = time.Minute
		refuse(t, l, time.Time{})
		if end, err := l.atLimit(t.Context(), pick(t, l)); err != nil || end == nil || !strings.Contains(end.Hint, "nobody told when it ends") {
			t.Fatalf("%+v, %v", end, err)
		}
		l.MaxWait = 6 * time.Hour
		began := time.Now()
		var end *End
		for tries := 0; end == nil && tries < 50; tries++ {
			refuse(t, l, time.Time{})
			var err error
			if end, err = l.atLimit(t.Context(), pick(t, l)); err != nil {
				t.Fatal(err)
			}
		}
		took := time.Since(began)
		if end == nil || end.Reason != journal.ReasonUsageLimit || took < 5*time.Hour || took > 6*time.Hour+time.Hour/2 {
			t.Errorf("the run ended with %+v after %s", end, took)
		}
	})
}

// TestAStandstillIsOfTheRun: two agents that are refused in turn are not waited for
// twice as long as one; who is let in ends it.
func TestAStandstillIsOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := loopOf(t, t.TempDir(), "a", "b")
		l.MaxWait = 15 * time.Minute
		began := time.Now()
		var end *End
		for tries := 0; end == nil && tries < 50; tries++ {
			b := pick(t, l)
			if !b.Blocked() {
				refuse(t, l, time.Now().Add(4*time.Minute))
				continue
			}
			var err error
			if end, err = l.atLimit(t.Context(), b); err != nil {
				t.Fatal(err)
			}
		}
		took := time.Since(began)
		if end == nil || took < 10*time.Minute || took > 15*time.Minute || !strings.Contains(end.Hint, "max_wait_hours allows 0.25 h") {
			t.Errorf("the run ended with %+v after %s", end, took)
		}
	})
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}
