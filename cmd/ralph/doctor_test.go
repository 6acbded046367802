package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ralph/internal/doctor"
	"ralph/internal/fakeapi"
	"ralph/internal/journal"
)

// doctor visits the doctor and returns what it said and the exit status.
func (s *scratch) doctor(args ...string) (string, int) {
	s.t.Helper()
	cmd := s.command(s.bin, append([]string{"doctor"}, args...)...)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	timer := time.AfterFunc(2*patience, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait()
	return out.String(), cmd.ProcessState.ExitCode()
}

// wants fails where the text lacks one of the words.
func (s *scratch) wants(text string, words ...string) {
	s.t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			s.t.Errorf("the output lacks %q\n%s", w, text)
		}
	}
}

// TestACommandThatHangsIsNoSilence: on a terminal it is said what the trial waits for.
func TestACommandThatHangsIsNoSilence(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "turns: []")
	p := s.onTTY(100, 20, s.bin, "doctor", "--timeout", "3m", "--conformance", "sh", "-c", "sleep 600")
	p.shows("asking it a question on standard input (at most 1m), 2s")
	p.press("\x03")
	if code := p.ends(); code != 130 {
		t.Errorf("exit status %d\n%s", code, p.text())
	}
}

// dieTogether kills ralph and its guardian in the same moment.
func (s *scratch) dieTogether(cmd *exec.Cmd, out io.Reader) {
	s.t.Helper()
	guardian := parentOf(s.t, s.agentID().PID)
	// Stopped, ralph cannot see its guardian die and clean up itself.
	for _, kill := range []struct {
		pid int
		sig syscall.Signal
	}{{cmd.Process.Pid, syscall.SIGSTOP}, {guardian, syscall.SIGKILL}, {cmd.Process.Pid, syscall.SIGKILL}} {
		if err := syscall.Kill(kill.pid, kill.sig); err != nil {
			s.t.Fatal(err)
		}
		if kill.sig == syscall.SIGSTOP { // its threads stop one by one
			waitFor(s.t, "ralph to be stopped", func() bool {
				state, err := exec.Command("ps", "-o", "state=", "-p", strconv.Itoa(kill.pid)).Output()
				return err == nil && strings.HasPrefix(strings.TrimSpace(string(state)), "T")
			})
		}
	}
	_, _ = s.finish(cmd, out)
}

// TestDoctorRepairsADeadRun kills ralph and its guardian while an agent is running that has
// broken the plan and started a process.
func TestDoctorRepairsADeadRun(t *testing.T) {
	t.Parallel()
	s := newScratch(t, `
turns:
  - steps:
      - spawn: {argv: [sleep, "600"], setsid: true}
      - write: {path: .ralph/feature-x/prd.json, content: "{}"}
      - say: working
      - hang: true
`)
	plan, err := os.ReadFile(filepath.Join(s.repo, ".ralph/feature-x/prd.json"))
	if err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "RALPH_SANDBOX=off") // what is in a room dies with it
	cmd, out := s.start("working")
	s.dieTogether(cmd, out)
	token := s.token()
	before := len(s.events())

	text, code := s.doctor("--harness", "replay", "--dry-run")
	s.wants(text, "feature-x: a run died:", "while its agent was running", "still alive: ", "sleep (pid ", "Repair it with 'ralph doctor'")
	if code != 0 || sleeping(t, token) != 1 || len(s.events()) != before {
		t.Errorf("exit status %d, %d processes, %d events of %d\n%s", code, sleeping(t, token), len(s.events()), before, text)
	}

	text, code = s.doctor("--harness", "replay")
	s.wants(text, "feature-x: repaired:", "prd.json (", "restored", "iteration 1 recorded as a crash, with 0 commits", "Continue with 'ralph run'.")
	if code != 0 || sleeping(t, token) != 0 {
		t.Errorf("exit status %d, %d processes\n%s", code, sleeping(t, token), text)
	}
	if got, err := os.ReadFile(filepath.Join(s.repo, ".ralph/feature-x/prd.json")); err != nil || string(got) != string(plan) {
		t.Errorf("the plan is %v\n%s", err, got)
	}
	s.endedWith("crashed", 1)
	after := len(s.events())
	if text, code = s.doctor("--harness", "replay"); code != 0 || len(s.events()) != after {
		t.Errorf("exit status %d, and the journal has grown\n%s", code, text)
	}
	s.wants(text, "1 unit of this worktree: nothing to clean up")
}

// TestDoctorLeavesALiveLoopAlone asks the loop to pause too: that is not stale.
func TestDoctorLeavesALiveLoopAlone(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	cmd, out := s.start("working")
	if text, err := s.command(s.bin, "pause").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	before := len(s.events())
	text, code := s.doctor("--harness", "replay")
	s.wants(text, "feature-x: a loop is running (pid ")
	if code != 0 || strings.Contains(text, "repaired") || len(s.events()) != before || !s.agentID().Alive() {
		t.Errorf("exit status %d\n%s", code, text)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if rest, code := s.finish(cmd, out); code != 143 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
	s.endedWith("stopped", 1)
}

// TestDoctorDropsRequestsThatNobodyWillTake finishes what else was left, too.
func TestDoctorDropsRequestsThatNobodyWillTake(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "turns: [{steps: [{say: nothing}]}]")
	if text, err := s.command(s.bin, "run", "--harness", "replay", "-n", "1").CombinedOutput(); err == nil {
		t.Fatalf("%s", text)
	}
	state := filepath.Join(s.repo, ".git/ralph/feature-x")
	inbox, err := journal.OpenInbox(state)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"stop", "context"} {
		if _, err := inbox.Post(time.Now(), journal.Request{Kind: journal.RequestKind(kind), Text: "for the next run"}); err != nil {
			t.Fatal(err)
		}
	}
	text, code := s.doctor("--harness", "replay")
	s.wants(text, "1 request for a loop that is gone: stop", "were removed")
	left, err := journal.Peek(state)
	if code != 0 || err != nil || len(left) != 1 || left[0].Request.Kind != "context" {
		t.Errorf("exit status %d, left %+v, %v\n%s", code, left, err, text)
	}
}

// TestDoctorWithTheRealClaude asks the real CLI for its version, and for a word.
func TestDoctorWithTheRealClaude(t *testing.T) {
	t.Parallel()
	s := withClaude(t, 1, nil, []fakeapi.Reply{fakeapi.Text("ready")})
	began := time.Now()
	text, code := s.doctor("--live")
	s.wants(text, "(Claude Code))", "Login of claude: the variable ANTHROPIC_API_KEY", "claude answered: ready (", " tokens, $")
	if code != 0 {
		t.Errorf("exit status %d\n%s", code, text)
	}
	text, code = s.doctor("--live", "--json")
	var report struct {
		OK   bool
		Live doctor.LiveReport
	}
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if l := report.Live; code != 0 || !report.OK || l.Reply != "ready" || l.Outcome != "ok" || l.Model == "" || l.Tokens.Output != fakeapi.OutputTokens || l.CostUSD == nil {
		t.Errorf("exit status %d, %+v", code, report)
	}
	calls, err := s.command(s.bin, "limits", "--json").Output()
	turned := time.Now().Truncate(time.Hour) != began.Truncate(time.Hour) // and the count started again
	if err != nil || !turned && !strings.Contains(string(calls), `"calls": 2,`) {
		t.Errorf("%v\n%s", err, calls)
	}
}

func TestDoctorWithTheRealClaudeInTrouble(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		extra []string
		reply fakeapi.Reply
		words []string
	}{
		{"no login", nil, fakeapi.Unauthorized(), []string{"claude did not answer: auth: ", "log in with the agent itself"}},
		{"usage limit", []string{fakeapi.OAuthToken}, fakeapi.UsageLimit("five_hour", time.Now().Add(2*time.Hour)), []string{"claude did not answer: usage limit: ", "It resets at "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := withClaude(t, 1, c.extra, []fakeapi.Reply{c.reply})
			text, code := s.doctor("--live")
			s.wants(text, c.words...)
			if code != 1 {
				t.Errorf("exit status %d\n%s", code, text)
			}
		})
	}
}

// TestDoctorIsInterrupted while an agent does not answer: no process is left.
func TestDoctorIsInterrupted(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "turns: []")
	s.write("../.home/config.yaml", "harnesses: {deaf: {command: [sleep, '600']}}\n")
	cmd := s.command(s.bin, "doctor", "--harness", "deaf", "--live")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := readUntil(t, out, "is asked for a word")
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if rest, code := s.finish(cmd, r); code != 130 {
		t.Errorf("exit status %d\n%s", code, rest)
	}
}

// TestDoctorPlaysNoScript in the repository of the user, only to see whether it would.
func TestDoctorPlaysNoScript(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "otherwise: [{write: {path: one.txt, content: x}}, {git_commit: one}]")
	text, code := s.doctor("--harness", "replay", "--live")
	s.wants(text, "✓ replay was not called: it plays a script")
	if _, err := os.Stat(filepath.Join(s.repo, "one.txt")); err == nil {
		t.Errorf("exit status %d: the script was played\n%s", code, text)
	}
}

// readUntil reads to the line that holds a text, and returns the rest.
func readUntil(t *testing.T, out io.Reader, text string) io.Reader {
	t.Helper()
	r := bufio.NewReader(out)
	for {
		line, err := r.ReadString('\n')
		if strings.Contains(line, text) {
			return r
		}
		if err != nil {
			t.Fatalf("the output ended before %q", text)
		}
	}
}
