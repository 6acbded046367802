package doctor

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ralph/internal/journal"
	"ralph/internal/preflight"
	"ralph/internal/proc"
)

// state returns the state directory of a unit, in its worktree. The unit's loop was running
// an hour ago.
func state(t *testing.T, loop proc.ID, token string, events ...journal.Body) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "feature-x")
	w, err := journal.OpenWriter(journal.Path(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	all := append([]journal.Body{journal.RunStarted{PID: loop.PID, PIDStart: loop.Start, Token: token, Worktree: filepath.Dir(dir)}}, events...)
	for _, b := range all {
		if _, err := w.Append("20260101-000000", time.Now().Add(-time.Hour), b); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// dead is the identity of a process that is no more.
func dead(t *testing.T) proc.ID {
	t.Helper()
	self, err := proc.Self()
	if err != nil {
		t.Fatal(err)
	}
	return proc.ID{PID: self.PID, Start: "long ago"}
}

func TestADeadRunIsExplained(t *testing.T) {
	token := t.Name() + "-token"
	stray := exec.Command("sleep", "600")
	stray.Env = append(os.Environ(), proc.TokenVar+"="+token)
	if err := stray.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stray.Process.Kill(); _ = stray.Wait() }()
	dir := state(t, dead(t), token, journal.IterationStarted{N: 1}, journal.IterationEnded{N: 1},
		journal.IterationStarted{N: 2, Story: &journal.Story{ID: "STORY-002"}}, journal.AttemptStarted{N: 2, LogFile: "logs/iteration-2.log"})

	log := filepath.Join(filepath.Dir(dir), "logs/iteration-2.log")
	wrote := time.Now().Add(-time.Minute).Truncate(time.Second)
	if err := errors.Join(os.Mkdir(filepath.Dir(log), 0o755), os.WriteFile(log, nil, 0o600), os.Chtimes(log, wrote, wrote)); err != nil {
		t.Fatal(err)
	}

	u := examine(dir)
	if !u.needsRepair() || u.Alive || u.Death == nil || u.Death.Iteration != 2 || !u.Death.AtWork {
		t.Fatalf("%+v, %+v", u, u.Death)
	}
	if !u.Death.At.Equal(wrote) {
		t.Errorf("it died at %v, and its agent's log was written at %v", u.Death.At, wrote)
	}
	text := strings.Join(u.Explain(time.Now()), "\n")
	for _, want := range []string{"died at about ", "in iteration 2 (STORY-002) while its agent was running", "logs/iteration-2.log", "still alive: sleep (pid "} {
		if !strings.Contains(text, want) {
			t.Errorf("the explanation lacks %q\n%s", want, text)
		}
	}
	expect(t, []preflight.Condition{u.condition(time.Now(), "repair it")}, "unit", "warn", "feature-x: a run died")
	if !(proc.ID{PID: u.Death.Alive[0].PID, Start: u.Death.Alive[0].Start}).Alive() {
		t.Error("a mere look has ended the process")
	}
}

func TestALiveLoopIsLeftAlone(t *testing.T) {
	self, err := proc.Self()
	if err != nil {
		t.Fatal(err)
	}
	dir := state(t, self, "x", journal.IterationStarted{N: 1}, journal.AttemptStarted{N: 1})
	post(t, dir, "stop")
	if u := examine(dir); u.needsRepair() || !u.Alive || u.Stale != nil {
		t.Errorf("%+v", u)
	}
}

func TestWhatIsLeftBehind(t *testing.T) {
	ended := []journal.Body{journal.RunEnded{Status: "completed"}}
	for _, c := range []struct {
		name    string
		arrange func(t *testing.T, dir string)
		ill     bool
		words   string
	}{
		{"nothing", func(*testing.T, string) {}, false, "nothing to clean up"},
		{"a torn line", func(t *testing.T, dir string) { appendTo(t, journal.Path(dir), `{"time":"2026-`) }, true, "ends with an incomplete line"},
		{"a broken line", func(t *testing.T, dir string) { appendTo(t, journal.Path(dir), "garbage\n") }, false, "lines that cannot be read"},
		{"requests", func(t *testing.T, dir string) { post(t, dir, "pause"); post(t, dir, "stop") }, true, "2 requests for a loop that is gone: pause, stop"},
		{"a new plan is for the next run", func(t *testing.T, dir string) { post(t, dir, "plan") }, false, "nothing to clean up"},
		{"half an archive", func(t *testing.T, dir string) { appendTo(t, filepath.Join(dir, "archiving.json"), "{}") }, true, "was interrupted"},
		{"a lock's file", func(t *testing.T, dir string) {
			appendTo(t, filepath.Join(dir, "lock"), `{"unit":"feature-x","pid":999999999,"pidStart":"x"}`)
		}, false, "the unit is not locked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := state(t, dead(t), "x", ended...)
			c.arrange(t, dir)
			u := examine(dir)
			text := u.condition(time.Now(), "repair it").Text(false, false)
			if u.needsRepair() != c.ill || u.Death != nil || !strings.Contains(text, c.words) {
				t.Errorf("%+v\n%s", u, text)
			}
		})
	}
}

func TestTimesThatHaveNotCome(t *testing.T) {
	now := time.Now()
	if c := checkClock(now, map[string]time.Time{"a": now.Add(time.Minute), "b": {}}); c.Severity != "ok" {
		t.Errorf("%+v", c)
	}
	c := checkClock(now, map[string]time.Time{"the journal of x": now.Add(3 * time.Hour), "b": now})
	if text := c.Text(false, false); c.Severity != "warn" || !strings.Contains(text, "the journal of x: 3h0m0s ahead") {
		t.Error(text)
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func post(t *testing.T, dir, kind string) {
	t.Helper()
	inbox, err := journal.OpenInbox(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := inbox.Post(time.Now(), journal.Request{Kind: journal.RequestKind(kind)}); err != nil {
		t.Fatal(err)
	}
}
