package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

var quick = []string{"--harness", "replay", "--pause", "0", "--silence", "4s"}

func (l *lab) submit(args ...string) string {
	l.t.Helper()
	return l.fleet(append(append([]string{"submit"}, quick...), args...)...)
}

func (l *lab) open(gate string) { l.write(gate, "") }

func TestFeaturesOnTwoWorkers(t *testing.T) {
	l := newLab(t)
	scripts := map[string]string{}
	for i := range 4 {
		scripts[fmt.Sprintf("feature/f%d", i)] = script()
	}
	bare := l.remote(scripts)
	l.worker("a", "2")
	l.worker("b", "2")
	out := l.submit(bare, "--all", "--wait")
	for branch := range scripts {
		l.wantDone(bare, branch)
		if !strings.Contains(out, "/"+branch+": done") {
			t.Errorf("%s is not said to be done:\n%s", branch, out)
		}
		if f := l.status(branch); f.State != "done" || f.Standing.Turn != 1 || f.Standing.Last.Progress.Spent.Calls != 3 {
			t.Errorf("%+v", f)
		}
	}
	if total, _ := l.ledger(); total != len(l.calls()) || total != 12 {
		t.Errorf("the ledger has %d calls, the agents made %d, want 12", total, len(l.calls()))
	}
	if logs := l.fleet("logs", "feature/f1"); !strings.Contains(logs, "iteration 3 ended: ok, 3/3 done, passed STORY-003") {
		t.Errorf("logs:\n%s", logs)
	}
	if left, _ := filepath.Glob(filepath.Join(l.dir, "ws-*", "trees", "*", "*")); len(left) > 0 {
		t.Errorf("worktrees are left: %v", left)
	}
}

// A worker is killed in the middle of the second iteration: nothing of it lives on,
// and another one continues from the end of the first.
func TestKilledWorker(t *testing.T) {
	l := newLab(t)
	bare := l.remote(map[string]string{"feature/x": script("", atGate)})
	a := l.worker("a", "1")
	l.submit(bare, "feature/x", "-n", "5")
	l.until("the second call is made", func() bool { return len(l.calls()) == 2 })
	a.end(syscall.SIGKILL)
	l.until("nothing of the killed worker lives", func() bool { return len(l.processes()) == 0 })
	l.open("gate")
	l.worker("b", "1")
	l.until("it is done", func() bool { return l.status("feature/x").State == "done" })
	l.wantDone(bare, "feature/x")
	f := l.status("feature/x")
	if f.Standing.Lost != 1 || f.Standing.Last.Host != "b" || f.Standing.Last.Progress.Spent.Iterations != 3 {
		t.Errorf("%+v", f)
	}
	if total, _ := l.ledger(); total != len(l.calls()) || total != 4 {
		t.Errorf("the ledger has %d calls, the agents made %d, want 4", total, len(l.calls()))
	}
	// The call of the killed worker is in no journal.
	if out := l.fleet("report"); !strings.Contains(out, "1 of 1 features are done, 3 of 3 stories; 3 iterations, ") || !strings.Contains(out, " 3 calls on record") ||
		!strings.Contains(out, "1 host fell silent") || !strings.Contains(out, "4 in all") {
		t.Errorf("report says\n%s", out)
	}
}

// The worker that was killed starts again on its own workspace.
func TestKilledWorkerComesBack(t *testing.T) {
	l := newLab(t)
	bare := l.remote(map[string]string{"feature/x": script("", atGate)})
	a := l.worker("a", "1")
	l.submit(bare, "feature/x")
	l.until("the second call is made", func() bool { return len(l.calls()) == 2 })
	a.end(syscall.SIGKILL)
	l.open("gate")
	l.worker("a", "1")
	l.until("it is done", func() bool { return l.status("feature/x").State == "done" })
	l.wantDone(bare, "feature/x")
}

// The rows of the circuit breaker and the iterations continue where the last host was.
func TestBreakerIsCarriedOver(t *testing.T) {
	l := newLab(t)
	idle := "turns:\n  - iteration: 3\n    steps:\n" + noteCall + atGate + "      - final: nothing\n" +
		"otherwise:\n" + strings.ReplaceAll(noteCall, "      ", "  ") + "  - final: nothing\n"
	bare := l.remote(map[string]string{"feature/x": idle})
	a := l.worker("a", "1")
	l.submit(bare, "feature/x", "--stall-threshold", "4")
	l.until("the third call is made", func() bool { return len(l.calls()) == 3 })
	l.until("the row is on the remote", func() bool {
		return strings.Contains(l.git(bare, "show", "refs/ralph/fleet/feature/x:state.json"), `"noProgress": 2`)
	})
	a.end(syscall.SIGKILL)
	l.open("gate")
	l.worker("b", "1")
	l.until("it has failed", func() bool { return l.status("feature/x").State == "failed" })
	f := l.status("feature/x")
	if f.Standing.Reason != "no_progress" || f.Standing.Last.Progress.Spent.Iterations != 4 || len(l.calls()) != 5 {
		t.Errorf("%d calls, %+v", len(l.calls()), f)
	}
}

func TestDrainedWorkerHandsBack(t *testing.T) {
	l := newLab(t)
	bare := l.remote(map[string]string{"feature/x": script("", atGate)})
	a := l.worker("a", "1")
	l.submit(bare, "feature/x", "--silence", "1m")
	l.until("the second call is made", func() bool { return len(l.calls()) == 2 })
	a.end(syscall.SIGTERM)
	l.open("gate")
	l.worker("b", "1")
	// Who follows it sees all of it, over both hosts and once each, until it is finished.
	logs := l.fleet("logs", "-f", "feature/x")
	for _, once := range []string{"STORY-001 Part 1", "ended: ok, 3/3 done", "feature/x: done"} {
		if strings.Count(logs, once) != 1 {
			t.Errorf("%q is not there once:\n%s", once, logs)
		}
	}
	l.wantDone(bare, "feature/x")
	if f := l.status("feature/x"); f.State != "done" || f.Standing.Lost != 0 || f.Standing.Turn != 2 {
		t.Errorf("%+v", f)
	}
}

func TestPauseResumeStop(t *testing.T) {
	l := newLab(t)
	bare := l.remote(map[string]string{"feature/x": script("", atGate, ""), "feature/y": script(atGate)})
	l.worker("a", "2")
	l.submit(bare, "feature/x")
	l.until("the second call is made", func() bool { return len(l.calls()) == 2 })
	l.fleet("pause", "feature/x")
	l.until("the host knows", func() bool { return l.status("feature/x").State == "stopping" })
	if len(l.processes()) == 0 {
		t.Error("a pause ends the iteration at work")
	}
	l.submit(bare, "feature/y")
	l.until("the other feature is at work", func() bool { return len(l.calls()) == 3 })
	if out := l.fleet("stop", "feature/y"); !strings.Contains(out, "stopped by the user") {
		t.Errorf("stop says %s", out)
	}
	l.open("gate")
	l.until("it is paused", func() bool { return l.status("feature/x").State == "paused" })
	if n := len(l.calls()); n != 3 {
		t.Errorf("%d calls, want 3", n)
	}
	if out := l.fleet("list", "--active"); !strings.Contains(out, "feature/x") || strings.Contains(out, "feature/y") {
		t.Errorf("list --active says\n%s", out)
	}
	l.fleet("resume", "--all")
	l.until("it is done", func() bool { return l.status("feature/x").State == "done" })
	l.wantDone(bare, "feature/x")
	if f := l.status("feature/y"); f.State != "stopped" {
		t.Errorf("%+v", f)
	}
	l.submit(bare, "feature/y", "--wait") // another submission continues with it
	l.wantDone(bare, "feature/y")
	if f := l.status("feature/x"); f.Standing.Last.Progress.Spent.Iterations != 3 {
		t.Errorf("%+v", f)
	}
}
