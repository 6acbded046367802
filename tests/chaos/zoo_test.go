package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// flood is how much the flooding animal prints; RALPH_CHAOS_FLOOD=1000000000 is the long form.
const flood = "100000000"

// mostMemory bounds ralph's resident memory, in KB, whatever an agent prints.
const mostMemory = 100 << 10

// What an agent prints first and last, as commands of a shell.
const (
	sessionStart = `echo '{"type":"system","subtype":"init","session_id":"s"}'`
	sessionEnd   = `echo '{"type":"result","subtype":"success","is_error":false,"result":"x","usage":{"input_tokens":1,"output_tokens":1}}'`
)

// zoo are agents that are hard to end or to read. Each is one turn; what it comes
// to is the outcome of its iteration.
var zoo = []struct {
	name    string
	steps   string // of a replay script
	agent   string // a shell line in its place, which gets only its prompt
	outcome string // none where there is no iteration
	limit   string // --timeout, where only that ends it
}{
	{name: "deaf", agent: "trap '' INT TERM HUP; sleep 600", outcome: "timeout", limit: "1s"},
	{name: "deaf with deaf children", outcome: "timeout", limit: "1s",
		steps: `[{ignore_signals: [INT, TERM, HUP]}, {spawn: {argv: [sh, -c, "trap '' INT TERM HUP; sleep 600 & sleep 600 & wait"], setsid: true}}, {hang: true}]`},
	{name: "children in its group, in a session, of nobody", outcome: "ok",
		steps: "[{spawn: {argv: [sleep, '600']}}, {spawn: {argv: [sleep, '600'], setsid: true}}, {spawn: {argv: [sleep, '600'], setsid: true, double_fork: true}}]"},
	{name: "a child with another environment", outcome: "ok",
		steps: "[{spawn: {argv: [env, -i, sleep, '600'], setsid: true, double_fork: true}}]"},
	{name: "a child holds the output", steps: "[{spawn: {argv: [sleep, '600'], setsid: true, hold_stdout: true}}]", outcome: "ok"},
	{name: "gone in a millisecond", agent: "exit 0", outcome: "error"},
	{name: "silent", agent: "exec sleep 600", outcome: "timeout", limit: "1s"},
	{name: "hangs in a line", agent: `printf '{"type":"assis'; exec sleep 600`, outcome: "timeout", limit: "1s"},
	{name: "hangs behind its result", outcome: "ok",
		agent: sessionStart + "; " + sessionEnd + "; exec sleep 600"},
	{name: "stopped", agent: "kill -STOP $$; sleep 600", outcome: "timeout", limit: "1s"},
	{name: "flooding", outcome: "ok", agent: sessionStart +
		`; yes '{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"'$(head -c 20000 /dev/zero | tr '\\0' x)'"}]}}' | head -c $FLOOD; echo; ` + sessionEnd},
	{name: "garbage", agent: sessionStart + "; head -c 1000000 /dev/urandom", outcome: "error"},
	{name: "two hundred children", outcome: "ok",
		steps: `[{run: [sh, -c, "i=0; while [ $i -lt 200 ]; do sleep 600 & i=$((i+1)); done"]}]`},
	{name: "children that flee", outcome: "ok",
		steps: "[{" + comet + "}]"},
	{name: "children that become daemons while they are ended", outcome: "timeout", limit: "1s",
		steps: `[{spawn: {argv: [sh, -c, "trap 'env -i sh -c \"sleep 600 & sleep 600 &\"; exit' TERM INT HUP; while :; do sleep 0.01; done"]}}, {hang: true}]`},
}

// TestZoo: whatever the agent is, its iteration is on record once, with the right
// outcome, and nothing of it is alive afterwards.
func TestZoo(t *testing.T) {
	bin := ralph(t)
	for _, animal := range zoo {
		t.Run(animal.name, func(t *testing.T) {
			t.Parallel()
			s := scratchFor(t, bin, stories[0])
			size := flood
			if long := os.Getenv("RALPH_CHAOS_FLOOD"); long != "" {
				size = long
			}
			write(t, filepath.Join(s.dir, "replay.yaml"), "turns:\n  - steps: "+cmp.Or(animal.steps, "[]")+"\n")
			args := append(s.argv(), "-n", "1")
			if animal.agent != "" {
				write(t, filepath.Join(s.home, "config.yaml"), fmt.Sprintf(
					"harness: animal\nharnesses: {animal: {command: [sh, -c, %q], output: claude}}\n", strings.ReplaceAll(animal.agent, "$FLOOD", size)))
			}
			if animal.limit != "" {
				args = append(args, "--timeout", animal.limit)
			}
			e, _ := s.play(t.Context(), args, attack{})
			if e.code != 1 {
				t.Errorf("ralph ended with %d: %s", e.code, tail(e.output))
			}
			if runtime.GOOS == "linux" && e.memory > mostMemory {
				t.Errorf("ralph had %d MB", e.memory>>10)
			}
			if left := s.alive(); len(left) > 0 {
				t.Errorf("alive when ralph had ended: %s", names(left))
			}
			s.auditComets(s.comets())
			events, _ := s.events()
			var outcomes []string
			for _, e := range events {
				if e.Type == "iteration_ended" {
					outcomes = append(outcomes, e.Outcome)
				}
			}
			if len(outcomes) != 1 || outcomes[0] != animal.outcome {
				t.Errorf("the record has the outcomes %q, want %q", outcomes, animal.outcome)
			}
			s.report(t)
		})
	}
}

// TestSecondAndThirdSignal: anyone who presses Ctrl-C again while ralph is stopping
// neither orphans the agent nor loses the record.
func TestSecondAndThirdSignal(t *testing.T) {
	s := scratchFor(t, ralph(t), stories[0])
	write(t, filepath.Join(s.dir, "replay.yaml"), "turns:\n  - steps: [{ignore_signals: [INT, TERM, HUP]}, {spawn: {argv: [sleep, '600'], setsid: true}}, {hang: true}]\n")
	a := attack{line: 4, blows: []blow{{0, ralphItself, syscall.SIGINT}, {20 * time.Millisecond, ralphItself, syscall.SIGINT}, {20 * time.Millisecond, ralphItself, syscall.SIGTERM}}}
	e, _ := s.play(t.Context(), s.argv(), a)
	if e.code != 130 {
		t.Errorf("ralph ended with %d: %s", e.code, tail(e.output))
	}
	if left := s.alive(); len(left) > 0 {
		t.Errorf("alive when ralph had ended: %s", names(left))
	}
	events, _ := s.events()
	if n := len(events); n < 2 || events[n-1].Reason != "interrupted" || events[n-2].Outcome != "interrupted" {
		t.Errorf("the record ends with %+v", events[max(n-2, 0):])
	}
	s.report(t)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
