package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The remote is down for longer than anybody is patient: the turn ends with trouble, and
// the next one on this host continues with what the first could not push.
func TestRemoteIsDownForTooLong(t *testing.T) {
	l := newLab(t)
	bare := l.remote(map[string]string{"feature/x": script("", atGate)})
	l.worker("a", "1")
	l.submit(bare, "feature/x", "--patience", "15s")
	l.until("the second call is made", func() bool { return len(l.calls()) == 2 })
	l.until("the first iteration is on the remote", func() bool {
		return strings.Contains(l.git(bare, "log", "--format=%s", "feature/x"), "feat: part 1")
	})
	if err := os.Rename(bare, bare+".away"); err != nil {
		t.Fatal(err)
	}
	l.open("gate")
	l.until("the feature waits", func() bool { return l.status("feature/x").State == "waiting" })
	if err := os.Rename(bare+".away", bare); err != nil {
		t.Fatal(err)
	}
	l.until("it is done", func() bool { return l.status("feature/x").State == "done" })
	l.wantDone(bare, "feature/x")
	if n := len(l.calls()); n != 3 {
		t.Errorf("%d calls, want 3: work was done twice", n)
	}
}

// An agent commits, and then its worker is killed. Another host does the iteration again;
// when the worker is back, the commit is on the remote, where it is in no one's way.
func TestCommitOfTheIterationInFlight(t *testing.T) {
	l := newLab(t)
	bare := l.remote(map[string]string{"feature/x": script("", `      - write: {path: early.txt, content: "x\n"}
      - git_commit: "wip: early"
`+atGate)})
	a := l.worker("a", "1")
	l.submit(bare, "feature/x")
	l.until("the agent has committed", func() bool {
		out, err := exec.Command("git", "-C", l.tree("a"), "log", "--format=%s").Output()
		return err == nil && strings.Contains(string(out), "wip: early")
	})
	early := l.git(l.tree("a"), "rev-parse", "HEAD")
	a.end(syscall.SIGKILL)
	l.open("gate")
	l.worker("b", "1")
	l.until("it is done", func() bool { return l.status("feature/x").State == "done" })
	l.worker("a", "1")
	l.until("the commit is kept", func() bool { return l.contains(bare, early, "refs/ralph/kept/") })
	if l.contains(bare, early, "refs/heads/") {
		t.Error("the commit of the killed worker is on the branch")
	}
	l.wantDone(bare, "feature/x")
}

// contains reports whether a commit is on the remote below a prefix.
func (l *lab) contains(bare, commit, prefix string) bool {
	out, err := exec.Command("git", "-C", bare, "for-each-ref", "--contains", commit, prefix).Output()
	return err == nil && len(out) > 0
}

// What opens the engine's door is the worker's alone.
func TestAgentsDoNotGetTheKeysOfTheEngine(t *testing.T) {
	l := newLab(t)
	bare := l.remote(map[string]string{"feature/x": script(`      - run: [sh, -c, 'env > "$LAB/env"']
`)})
	l.worker("a", "1")
	l.submit(bare, "feature/x", "--wait")
	env, err := os.ReadFile(filepath.Join(l.dir, "env"))
	if err != nil || !strings.Contains(string(env), "RALPH_LEDGER=") || strings.Contains(string(env), "TEMPORAL_") {
		t.Errorf("%v; an agent has\n%s", err, env)
	}
}
