package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
)

const twoSessions = `
turns:
  - iteration: 1
    steps:
      - say: the first session
      - run: [sh, -c, "while ! test -e ../go; do sleep 0.05; done"]
      - say: its end
  - iteration: 2
    steps:
      - say: the second session
      - run: [sh, -c, "while ! test -e ../end; do sleep 0.05; done"]
      - write: {path: one.txt, content: "1\n"}
      - git_commit: one
      - tick: STORY-001
`

// reading is a command with output that is read line by line.
type reading struct {
	t    *testing.T
	cmd  *exec.Cmd
	out  *bufio.Reader
	errs bytes.Buffer
	seen strings.Builder
}

func (s *scratch) reading(args ...string) *reading {
	s.t.Helper()
	r := &reading{t: s.t, cmd: s.command(s.bin, args...)}
	r.cmd.Stderr = &r.errs
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	r.out = bufio.NewReader(out)
	return r
}

// until reads on until a line holds the text.
func (r *reading) until(text string) {
	r.t.Helper()
	for {
		line, err := r.out.ReadString('\n')
		r.seen.WriteString(line)
		if strings.Contains(line, text) {
			return
		}
		if err != nil {
			r.t.Fatalf("no %q, but the end (%v):\n%s%s", text, err, r.seen.String(), r.errs.String())
		}
	}
}

// end reads the rest and returns the exit status.
func (r *reading) end() int {
	r.t.Helper()
	rest, _ := io.ReadAll(r.out)
	r.seen.Write(rest)
	var exit *exec.ExitError
	switch err := r.cmd.Wait(); {
	case errors.As(err, &exit):
		return exit.ExitCode()
	case err != nil:
		r.t.Fatal(err)
	}
	return 0
}

// TestLogsFollow follows a run from one iteration to the next and to its end,
// which archives it.
func TestLogsFollow(t *testing.T) {
	t.Parallel()
	s := newScratch(t, twoSessions)
	cmd, out := s.start("the first session")
	readable, raw, last := s.reading("logs", "-f"), s.reading("logs", "-f", "--raw"), s.reading("logs", "-f", "-n", "0")
	interrupted := s.reading("logs", "--follow")
	readable.until("Iteration: 1/20")
	readable.until("the first session")
	raw.until("the first session")
	interrupted.until("the first session")
	if err := interrupted.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := interrupted.end(); code != 130 || interrupted.errs.Len() > 0 {
		t.Errorf("Ctrl-C: exit status %d, %q", code, interrupted.errs.String())
	}

	s.write("../go", "")
	for _, r := range []*reading{readable, raw, last} {
		r.until("its end")
		r.until("the second session")
	}
	s.write("../end", "")
	if rest, code := s.finish(cmd, out); code != 0 {
		t.Fatalf("exit status %d\n%s", code, rest)
	}
	for name, r := range map[string]*reading{"readable": readable, "raw": raw, "last": last} {
		if code := r.end(); code != 0 || r.errs.Len() > 0 {
			t.Errorf("%s: exit status %d, %q", name, code, r.errs.String())
		}
	}
	if text := readable.seen.String(); !strings.Contains(text, "Iteration: 2/20") || !strings.Contains(text, "STORY-001 done") {
		t.Errorf("the readable log lacks what the screen shows:\n%s", text)
	}
	if text := readable.seen.String(); !strings.HasSuffix(text, "\n✓ done: 1 of 1 stories pass\n") {
		t.Errorf("the readable log does not say how the run ended:\n%s", text)
	}
	if text := last.seen.String(); strings.Contains(text, "the first session") {
		t.Errorf("-n 0 shows what was there before:\n%s", text)
	}

	logs, err := filepath.Glob(filepath.Join(s.repo, ".ralph/archive/*/logs/iteration-*.log"))
	if err != nil || len(logs) != 2 {
		t.Fatalf("the logs of the archive are %q, %v", logs, err)
	}
	var want bytes.Buffer
	for _, path := range logs {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want.Write(data)
	}
	if diff := cmp.Diff(want.String(), raw.seen.String()); diff != "" {
		t.Errorf("--raw is not what the agent printed: %s", diff)
	}

	// It is over: what was shown is shown again, and that is all.
	again := s.reading("logs", "-f", "-n", "3", "feature/x")
	if code := again.end(); code != 0 || !strings.Contains(again.seen.String(), "session ended") || strings.Count(again.seen.String(), "\n") != 3 {
		t.Errorf("exit status %d:\n%s%s", code, again.seen.String(), again.errs.String())
	}
}

// TestLogsFollowADeadLoop: no process is left to end the run in the journal, but the
// follower ends.
func TestLogsFollowADeadLoop(t *testing.T) {
	t.Parallel()
	s := newScratch(t, twoSessions)
	w, err := journal.OpenWriter(filepath.Join(s.repo, ".git/ralph/feature-x/journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, b := range []journal.Body{
		journal.RunStarted{Schema: journal.SchemaVersion, Unit: "feature-x", Plan: "prd", MaxIterations: 5, PID: 1 << 30, PIDStart: "1"},
		journal.IterationStarted{N: 1},
		journal.AttemptStarted{N: 1, Attempt: 1, Harness: "claude", LogFile: ".ralph/feature-x/logs/iteration-1.log"},
	} {
		if _, err := w.Append("20260102-030405", time.Now(), b); err != nil {
			t.Fatal(err)
		}
	}
	s.write(".ralph/feature-x/logs/iteration-1.log", hostileLog)
	r := s.reading("logs", "-f")
	if code := r.end(); code != 0 || !strings.Contains(r.errs.String(), "ralph died before it could end this run") {
		t.Errorf("exit status %d, %q", code, r.errs.String())
	}
	if text := r.seen.String(); strings.ContainsAny(text, "\x1b\x07\r") || !strings.Contains(text, "still here") || len(text) > 1<<20 {
		t.Errorf("%d bytes of output: %.300q", len(text), text)
	}
}

// hostileLog is a session with what no terminal should see: control sequences,
// bytes that are no UTF-8, a line of 10 MB.
var hostileLog = "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"\x1b]2;gone\x07\\u001b[2Jred \xff\\r\"}]}}\n" +
	`{"type":"user","message":{"content":[{"type":"tool_result","content":"` + strings.Repeat("x", 10<<20) + `"}]}}` + "\n" +
	"plain \x1b[31mwords\n" +
	`{"type":"assistant","message":{"content":[{"type":"text","text":"still here"}]}}` + "\n"
