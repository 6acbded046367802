package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// from calls ralph in another directory.
func (s *scratch) from(dir string, args ...string) (string, int) {
	s.t.Helper()
	cmd := s.command(s.bin, args...)
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}

// TestStopOfALoopThatDied ends what it left, and records it, from anywhere.
func TestStopOfALoopThatDied(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	cmd, _ := s.start("working")
	agent := s.agentID()
	s.killBoth(cmd.Process)
	_ = cmd.Wait()
	away := t.TempDir()
	if out, code := s.from(away, "list"); code != 0 || !strings.Contains(out, "failed, DEAD") || strings.Contains(out, "LIVE") {
		t.Errorf("exit status %d\n%s", code, out)
	}
	if out, _ := s.from(away, "pause", "feature/x"); !strings.Contains(out, "no loop is running on feature-x: nothing to pause") {
		t.Errorf("pause says %s", out)
	}
	out, code := s.from(away, "stop", "feature/x")
	if code != 0 || !strings.Contains(out, "the last run of feature-x was cut off: ") {
		t.Errorf("exit status %d\n%s", code, out)
	}
	if agent.Alive() {
		t.Error("its agent is alive")
	}
	s.nothingLeft()
	if got := reason(t, s.events()); got != "crashed" {
		t.Errorf("the run ended as %s", got)
	}
	if out, code := s.from(away, "stop", "--all"); code != 0 || out != "no loop is running: nothing to stop\n" {
		t.Errorf("exit status %d\n%s", code, out)
	}
}

// TestANameInTwoPlaces acts on neither of two loops of one name, on that of the
// worktree that it is called in, and on the one that is left.
func TestANameInTwoPlaces(t *testing.T) {
	t.Parallel()
	s, twin := newScratch(t, polite), newScratch(t, polite)
	for i, kv := range twin.env {
		if strings.HasPrefix(kv, "RALPH_HOME=") {
			twin.env[i] = "RALPH_HOME=" + filepath.Join(filepath.Dir(s.repo), ".home")
		}
	}
	cmd1, out1 := s.start("working")
	cmd2, out2 := twin.start("working")
	away := t.TempDir()
	for _, word := range []string{"stop", "pause", "resume"} {
		out, code := s.from(away, word, "feature-x")
		if code != 1 || !strings.Contains(out, "feature-x is running in 2 worktrees: ") || !strings.Contains(out, s.repo) || !strings.Contains(out, twin.repo) {
			t.Errorf("%s: exit status %d\n%s", word, code, out)
		}
	}
	if out, code := s.from(s.repo, "stop", "feature-x"); code != 0 || !strings.Contains(out, "feature-x has stopped") {
		t.Errorf("exit status %d\n%s", code, out)
	}
	s.finish(cmd1, out1)
	if out, code := s.from(s.repo, "stop", "feature-x"); code != 0 || out != "no loop is running on feature-x: nothing to stop\n  a loop is running in "+twin.repo+"\n" {
		t.Errorf("exit status %d\n%s", code, out)
	}
	if out, code := s.from(away, "pause", "feature/x"); code != 0 || !strings.Contains(out, "feature-x pauses after") {
		t.Errorf("exit status %d\n%s", code, out)
	}
	if out, code := s.from(away, "stop", "feature/x"); code != 0 || !strings.Contains(out, "feature-x has stopped") {
		t.Errorf("exit status %d\n%s", code, out)
	}
	twin.finish(cmd2, out2)
	if out, code := s.from(away, "stop", "nothing"); code != 1 || !strings.Contains(out, "there is no such unit: nothing,") {
		t.Errorf("exit status %d\n%s", code, out)
	}
}
