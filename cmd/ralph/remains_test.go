package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCommandsEndWhatADeadRunLeft: a command that ends or replaces a loop must not report
// that there is nothing while children of its agent are running.
func TestCommandsEndWhatADeadRunLeft(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"stop":       {[]string{"stop"}, "the last run of feature-x was cut off: ralph itself died"},
		"stop --all": {[]string{"stop", "--all"}, "the last run of feature-x was cut off: ralph itself died"},
		"archive":    {[]string{"archive"}, "the last run was cut off: ralph itself died"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScratch(t, polite)
			cmd, out := s.start("working")
			token := s.token()
			s.dieTogether(cmd, out)
			if sleeping(t, token) == 0 {
				t.Fatal("nothing was left to end")
			}
			text, err := s.command(s.bin, c.args...).CombinedOutput()
			if err != nil || !strings.Contains(string(text), c.says) || strings.Contains(string(text), "nothing to stop") {
				t.Errorf("%v: %s", err, text)
			}
			if n := sleeping(t, token); n > 0 {
				t.Errorf("%d processes are alive", n)
			}
			if c.args[0] == "archive" {
				return // the journal went along
			}
			s.endedWith("crashed", 1)
			if text, err := s.command(s.bin, c.args...).CombinedOutput(); err != nil || !strings.Contains(string(text), "nothing to stop") {
				t.Errorf("once more: %v: %s", err, text)
			}
		})
	}
}

// TestRunOnAnotherBranchEndsWhatADeadRunLeft, and leaves the plan of that run where
// git has put it.
func TestRunOnAnotherBranchEndsWhatADeadRunLeft(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	s.git("checkout", "-q", "-b", "feature/y")
	s.git("mv", ".ralph/feature-x", ".ralph/feature-y")
	s.git("commit", "-q", "-m", "another plan")
	s.git("checkout", "-q", "feature/x")
	cmd, out := s.start("working")
	token := s.token()
	s.dieTogether(cmd, out)
	s.git("checkout", "-q", "feature/y")
	if sleeping(t, token) == 0 {
		t.Fatal("nothing was left to end")
	}
	s.write(".ralph/replay.yaml", "otherwise: [{say: nothing}]\n")
	text, _ := s.command(s.bin, "run", "--harness", "replay", "--pause", "0", "-n", "1").CombinedOutput()
	if !strings.Contains(string(text), "the last run of feature-x was cut off: ralph itself died") {
		t.Errorf("it does not say what happened: %s", text)
	}
	if n := sleeping(t, token); n > 0 {
		t.Errorf("%d processes are alive", n)
	}
	s.endedWith("crashed", 1)
	if _, err := os.Stat(filepath.Join(s.repo, ".ralph/feature-x/prd.json")); err == nil {
		t.Error("the plan of the other branch is back, where git does not want it")
	}
}

// TestDoctorBringsStatusFilesInLine where a run died between its end in the journal
// and the last writing of its status files.
func TestDoctorBringsStatusFilesInLine(t *testing.T) {
	t.Parallel()
	s := newScratch(t, finishes)
	s.runToEnd("--no-archive")
	s.write(".ralph/feature-x/status.json", `{"status": "running"}`)
	text, _ := s.doctor("--harness", "replay", "--dry-run")
	s.wants(text, "feature-x: an earlier run left something to clean up", "the status files do not show the end")
	text, code := s.doctor("--harness", "replay")
	s.wants(text, "feature-x: repaired:", "repaired: the status files agree with the journal")
	status, err := os.ReadFile(filepath.Join(s.repo, ".ralph/feature-x/status.json"))
	if err != nil || code != 0 || !strings.Contains(string(status), `"status": "completed"`) {
		t.Errorf("exit status %d, %v: %s", code, err, status)
	}
	text, _ = s.doctor("--harness", "replay")
	s.wants(text, "1 unit of this worktree: nothing to clean up")
}

// TestARunThatDiedBeforeItsFirstLine has made the journal, and is no run.
func TestARunThatDiedBeforeItsFirstLine(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"empty": "", "torn": `{"time":"2026-01-02T03:04:05Z","ty`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScratch(t, finishes)
			s.runToEnd("--no-archive") // so that the unit is on the list
			s.write(".git/ralph/feature-x/journal.jsonl", text)
			for command, want := range map[string]string{"status": "no run of feature-x yet; start one with 'ralph run'\n", "history": "no run of feature-x yet; start one with 'ralph run'\n", "list": "no loops\n", "stop": "no loop is running on feature-x: nothing to stop\n"} {
				out, err := s.command(s.bin, strings.Fields(command)...).Output()
				if err != nil || !strings.HasPrefix(string(out), want) {
					t.Errorf("%s: %v: %q, want %q", command, err, out, want)
				}
			}
			s.write(".ralph/feature-x/prd.json", strings.Replace(s.read(".ralph/feature-x/prd.json"), `"passes": true`, `"passes": false`, 1))
			s.runToEnd("--no-archive")
		})
	}
}

// TestStartEndsWhatADeadRunLeft before the new loop runs.
func TestStartEndsWhatADeadRunLeft(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	cmd, out := s.start("working")
	token := s.token()
	s.dieTogether(cmd, out)
	if sleeping(t, token) == 0 {
		t.Fatal("nothing was left to end")
	}
	if text, code := s.background("--terminal", "none"); code != 0 {
		t.Fatalf("exit status %d\n%s", code, text)
	}
	if n := sleeping(t, token); n > 0 {
		t.Errorf("%d processes are alive", n)
	}
	if s.token() == token {
		t.Error("no new run has started")
	}
}

// TestCommandsThatLookWriteNothing, of a run that died neither.
func TestCommandsThatLookWriteNothing(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	cmd, out := s.start("working")
	token := s.token()
	s.dieTogether(cmd, out)
	before := s.files()
	for _, args := range [][]string{{"status"}, {"status", "--json"}, {"list"}, {"history"}, {"logs"}, {"why"}, {"report"}, {"limits"},
		{"archive", "--list"}, {"config", "show"}, {"context", "show"}, {"doctor", "--dry-run"}, {"validate"}, {"run", "--dry-run", "--harness", "replay"}} {
		text, err := s.command(s.bin, args...).CombinedOutput()
		if diff := cmp.Diff(before, s.files()); diff != "" {
			t.Fatalf("%v wrote (-before +after): %s\n%v: %s", args, diff, err, text)
		}
	}
	if sleeping(t, token) == 0 {
		t.Error("a command that only looks has ended something")
	}
	if text, err := s.command(s.bin, "stop").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, text)
	}
}

// files is every file below the scratch's folder, with its size and time.
func (s *scratch) files() map[string]string {
	found := map[string]string{}
	_ = filepath.WalkDir(filepath.Dir(s.repo), func(path string, d fs.DirEntry, err error) error {
		if info, e := d.Info(); err == nil && e == nil {
			found[path] = fmt.Sprint(info.Mode(), info.Size(), info.ModTime())
		}
		return nil
	})
	return found
}
