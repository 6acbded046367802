package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
)

// unplanned is a scratch repository on a branch that has no feature folder.
func unplanned(t *testing.T, script string) *scratch {
	s := newScratch(t, script)
	s.git("mv", ".ralph/feature-x", ".ralph/other")
	s.write(".ralph/config.yaml", "harness: replay\n")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "no plan")
	s.env = append(s.env, "TERM=xterm-256color", "LANG=C.UTF-8")
	return s
}

// TestStartForm fills in the form as a user would.
func TestStartForm(t *testing.T) {
	t.Parallel()
	s := unplanned(t, polite)
	s.write("docs/tasks.md", "- [ ] one\n")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "tasks")
	p := s.onTTY(100, 30, s.bin, "start", "--terminal", "none")
	p.shows("tasks.md found  yes (docs/tasks.md)")
	p.press("--do it")
	p.press("\r\x1b[C") // Enter; to the right
	p.shows("Loop won't auto-stop. Use 'ralph stop' to end.")
	p.press("\r\x157\r")  // iterations: Ctrl-U empties the field
	p.press("\x154\r")    // stall threshold
	p.press("\x1530\r\r") // timeout; the harness is that of the settings
	p.press("big\r")      // the model, and the end
	p.shows("is running without a terminal")
	if code := p.ends(); code != 0 {
		t.Fatalf("exit status %d\n%s", code, p.text())
	}
	b, _ := s.events()[0].Body.(journal.RunStarted)
	got := []any{b.Task, b.Plan, b.MaxIterations, b.StallThreshold, b.TimeoutSeconds, b.Harness, b.Model}
	if diff := cmp.Diff([]any{"--do it", journal.PlanKind("prompt"), 7, 4, 1800.0, "replay", "big"}, got); diff != "" {
		t.Errorf("the run (-want +got):\n%s", diff)
	}
	if out, err := s.command(s.bin, "stop").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	s.nothingLeft()
}

// TestStartFormLeft: a cancelled form starts nothing, and no form is shown where ralph must
// not ask.
func TestStartFormLeft(t *testing.T) {
	t.Parallel()
	s := unplanned(t, polite)
	for _, key := range []string{"\x1b", "\x03"} {
		p := s.onTTY(80, 24, s.bin, "start")
		p.shows("tasks.md found  no")
		p.press(key)
		if code := p.ends(); code != 130 {
			t.Errorf("exit status %d\n%s", code, p.text())
		}
		p.shows("nothing was started")
	}
	p := s.onTTY(80, 24, s.bin, "start", "--no-interactive")
	if code := p.ends(); code != 1 {
		t.Errorf("exit status %d\n%s", code, p.text())
	}
	if out, code := s.from(s.repo, "start"); code != 1 {
		t.Errorf("without a terminal: exit status %d\n%s", code, out)
	}
	if _, err := os.Stat(filepath.Join(s.repo, ".git/ralph/feature-x", journal.FileName)); err == nil {
		t.Error("a run was started")
	}
}
