package main

import (
	"strings"
	"testing"
)

const steps = `
turns:
  - iteration: 1
    steps:
      - say: the first
      - run: [sh, -c, "while ! test -e ../go; do sleep 0.05; done"]
  - iteration: 2
    steps:
      - save_prompt: prompt.txt
      - write: {path: one.txt, content: "1\n"}
      - git_commit: one
      - tick: STORY-001
`

// TestPauseResumeAndContext steers a loop from another process: it pauses after the current
// iteration, resumes on request, and adds the context to its prompt.
func TestPauseResumeAndContext(t *testing.T) {
	t.Parallel()
	s := newScratch(t, steps)
	cmd, out := s.start("the first", "--no-archive")
	for _, args := range [][]string{{"context", "add", "mind the gap"}, {"pause"}} {
		if msg, err := s.command(s.bin, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, msg)
		}
	}
	asked, err := s.command(s.bin, "status").Output()
	if err != nil || !strings.Contains(string(asked), "it pauses after this iteration") {
		t.Errorf("status: %v\n%s", err, asked)
	}
	s.write("../go", "")
	for {
		line, err := out.ReadString('\n')
		if err != nil {
			t.Fatal("ralph ended instead of pausing")
		}
		if strings.Contains(line, "waiting (paused)") {
			break
		}
	}
	status, err := s.command(s.bin, "status").Output()
	if err != nil || !strings.Contains(string(status), "Paused, WAITING") {
		t.Errorf("status: %v\n%s", err, status)
	}
	if msg, err := s.command(s.bin, "resume").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	rest, code := s.finish(cmd, out)
	if code != 0 || !strings.Contains(rest, "done: ") {
		t.Errorf("exit status %d\n%s", code, rest)
	}
	prompt, err := s.command("cat", "prompt.txt").Output()
	if err != nil || !strings.Contains(string(prompt), "mind the gap") {
		t.Errorf("the prompt lacks what the person said: %v\n%s", err, prompt)
	}
}
