package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ralph/internal/journal"
)

// proving is a scratch repository with a check that passes before the work. Later the check
// creates the file started and waits until it is ended. The temporary directory has only
// clean worktrees.
func proving(t *testing.T) (s *scratch, started, temp string) {
	t.Helper()
	s = newScratch(t, "turns:\n  - steps:\n      - write: {path: one.txt, content: x}\n      - git_commit: one\n      - tick: STORY-001\n")
	temp = filepath.Join(filepath.Dir(s.repo), "temp")
	started = filepath.Join(filepath.Dir(s.repo), "started")
	if err := os.Mkdir(temp, 0o755); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "TMPDIR="+temp, "RALPH_SANDBOX_WRITE="+filepath.Dir(started)) // the check's trace is outside of its room
	s.write(".ralph/config.yaml", "quality_checks:\n  unit: 'test ! -e one.txt || test -e "+started+" || { touch "+started+"; sleep 600 & sleep 600; }'\n")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "settings")
	return s, started, temp
}

func exists(path string) func() bool {
	return func() bool { _, err := os.Stat(path); return err == nil }
}

// noCleanTree wants neither a folder of a clean worktree nor git's knowledge of it.
func (s *scratch) noCleanTree(temp string) {
	s.t.Helper()
	files, err := os.ReadDir(temp)
	if err != nil || len(files) > 0 {
		s.t.Errorf("the temporary directory holds %v, %v", files, err)
	}
	records, err := filepath.Glob(filepath.Join(s.repo, ".git/ralph/feature-x/ralph-proof-*"))
	if err != nil || len(records) > 0 {
		s.t.Errorf("records %v, %v", records, err)
	}
	if out, err := s.command("git", "worktree", "list", "--porcelain").Output(); err != nil || strings.Count(string(out), "worktree ") != 1 {
		s.t.Errorf("%v: %s", err, out)
	}
}

// proved is the number of receipts in the journal by mode, and the last of them.
func (s *scratch) proved() (modes map[string]int, last journal.StoryProved) {
	modes = map[string]int{}
	for _, e := range s.events() {
		if b, ok := e.Body.(journal.StoryProved); ok {
			last = b
			modes[string(b.Mode)]++
		}
	}
	return modes, last
}

// TestProofIsCutOff ends ralph in the middle of a proof, in each way there is. Nothing is
// accepted unproved, nothing is left; the next run proves what the last one did not.
func TestProofIsCutOff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		end  func(t *testing.T, s *scratch, cmd *exec.Cmd)
		exit int
		late bool // only the next run cleans up
	}{
		{"Ctrl-C", func(t *testing.T, _ *scratch, cmd *exec.Cmd) { send(t, cmd.Process.Pid, syscall.SIGINT) }, 130, false},
		{"kill", func(t *testing.T, s *scratch, cmd *exec.Cmd) {
			watcher := childOf(t, cmd.Process.Pid)
			send(t, cmd.Process.Pid, syscall.SIGKILL)
			waitFor(t, "the guardian's end", func() bool { return syscall.Kill(watcher, 0) != nil })
		}, -1, false},
		{"kill both", func(t *testing.T, s *scratch, cmd *exec.Cmd) {
			send(t, cmd.Process.Pid, syscall.SIGSTOP) // else it sees its guardian die
			send(t, childOf(t, cmd.Process.Pid), syscall.SIGKILL)
			send(t, cmd.Process.Pid, syscall.SIGKILL)
		}, -1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, started, temp := proving(t)
			cmd, out := s.start("Iteration: 1/20")
			waitFor(t, "the check", exists(started))
			c.end(t, s, cmd)
			if rest, code := s.finish(cmd, out); code != c.exit {
				t.Errorf("exit status %d, want %d\n%s", code, c.exit, rest)
			}
			if modes, _ := s.proved(); len(modes) > 0 {
				t.Errorf("proved: %v", modes)
			}
			if !c.late {
				s.noCleanTree(temp)
				s.nothingLeft()
			}

			s.write(".ralph/replay.yaml", "turns: [{steps: [{say: nothing}]}]\n")
			cmd, out = s.start("STORY-001: proved in a clean worktree", "--no-archive")
			if rest, code := s.finish(cmd, out); code != 0 || !strings.Contains(rest, "the plan was done already") {
				t.Errorf("exit status %d\n%s", code, rest)
			}
			if modes, last := s.proved(); modes["clean"] != 1 || last.N != 0 || last.Harness != "" || !last.Noted {
				t.Errorf("receipts %v, %+v", modes, last)
			}
			s.noCleanTree(temp)
			s.nothingLeft()
		})
	}
}

// TestVerifyIsCutOff does the same to ralph verify, which has no journal.
func TestVerifyIsCutOff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sig  syscall.Signal
		exit int
	}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 143}, {syscall.SIGKILL, -1}} {
		t.Run(c.sig.String(), func(t *testing.T) {
			t.Parallel()
			s, started, temp := proving(t)
			s.write("one.txt", "x")
			s.write(".ralph/feature-x/prd.json", strings.Replace(s.read(".ralph/feature-x/prd.json"), `"passes": false`, `"passes": true`, 1))
			s.git("add", "-A")
			s.git("commit", "-q", "-m", "one")
			cmd := s.command(s.bin, "verify")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			waitFor(t, "the check", exists(started))
			watcher := childOf(t, cmd.Process.Pid)
			send(t, cmd.Process.Pid, c.sig)
			if _, code := s.finish(cmd, strings.NewReader("")); code != c.exit {
				t.Errorf("exit status %d, want %d", code, c.exit)
			}
			waitFor(t, "the guardian's end", func() bool { return syscall.Kill(watcher, 0) != nil })
			s.noCleanTree(temp)
		})
	}
}

func (s *scratch) read(name string) string {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.repo, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

func send(t *testing.T, pid int, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, sig); err != nil {
		t.Fatal(err)
	}
}

// childOf is the only child of a process that works under a guardian: the guardian.
func childOf(t *testing.T, pid int) int {
	t.Helper()
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if ids := strings.Fields(line); len(ids) == 2 && ids[1] == strconv.Itoa(pid) {
			child, err := strconv.Atoi(ids[0])
			if err != nil {
				t.Fatal(err)
			}
			return child
		}
	}
	t.Fatalf("process %d has no child", pid)
	return 0
}
