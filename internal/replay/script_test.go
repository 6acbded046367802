package replay

import (
	"strings"
	"testing"
)

func TestFaultsNameTheirLine(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, script, want string }{
		{"empty", "", "s.yaml:1: the script is empty"},
		{"no turns", "turns: []", "s.yaml:1: the script has no turns"},
		{"no YAML", "turns:\n - [", "s.yaml:"},
		{"unknown key", "turns: []\nturn: []", `s.yaml:2: unknown key "turn" (see docs/replay.md)`},
		{"unknown key of a turn", "turns:\n- storey: A\n  steps: []", `s.yaml:2: unknown key "storey"`},
		{"unknown step", "turns:\n- steps:\n  - sya: hi", `s.yaml:3: unknown step "sya"; the steps are say,`},
		{"two steps in one", "turns:\n- steps:\n  - say: hi\n    tick: A", `s.yaml:4: a step has one key: put "tick" into`},
		{"unknown key of a step", "turns:\n- steps:\n  - write: {path: a, text: b}", `s.yaml:3: unknown key "text"`},
		{"key twice", "turns:\n- steps:\n  - write:\n      path: a\n      path: b", `s.yaml:5: mapping key "path" already defined at line 4`},
		{"command as a string", "turns:\n- steps:\n  - run: git status", "s.yaml:3: a command is a list"},
		{"step is no mapping", "turns:\n- steps:\n  - hello", "s.yaml:3: unexpected value `hello`"},
		{"steps are no list", "turns:\n- steps: hello", "s.yaml:2: unexpected value `hello`"},
		{"bad duration", "otherwise:\n- sleep: 5", `s.yaml:2: "5" is no duration`},
		{"bad number", "otherwise:\n- exit: five", "s.yaml:2: unexpected value `five`"},
		{"status out of range", "otherwise:\n- exit: 256", "s.yaml:2: exit: an exit status is"},
		{"step set to false", "otherwise:\n- hang: false", "s.yaml:2: hang has no effect here"},
		{"iteration 0", "turns:\n- iteration: -1", "s.yaml:2: iteration and attempt count from 1"},
		{"signal that cannot be ignored", "otherwise:\n- ignore_signals: [KILL]", "s.yaml:2: ignore_signals: \"KILL\""},
		{"bad window", "otherwise:\n- limit: {window: monthly}", "s.yaml:2: limit: window"},
		{"bad status", "otherwise:\n- progress: {story: A, status: done}", "s.yaml:2: progress: status"},
		{"unknown key of a task", "otherwise:\n- tick_task: {task: a, file: b}", `s.yaml:2: unknown key "file"`},
		{"empty step", "otherwise:\n- {}", "s.yaml:2: empty step"},
		{"nothing to say", "otherwise:\n- say:", "s.yaml:2: say has no effect here"},
		{"no command", "otherwise:\n- spawn: {setsid: true}", "s.yaml:2: spawn: a command is needed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse("s.yaml", []byte(tt.script))
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("turns:\n- story: A\n  steps: [{say: hi}, {run: [ls], fail_ok: true}]\notherwise: [{exit: 1}]")
	f.Add("turns: &a\n- steps: [{tool: {name: x, input: {1: 2}}}]")
	f.Fuzz(func(t *testing.T, script string) {
		s, err := Parse("s", []byte(script))
		if err == nil && len(s.Turns) == 0 && s.Otherwise == nil {
			t.Error("a script without turns was accepted")
		}
		if err != nil && !strings.HasPrefix(err.Error(), "s:") {
			t.Errorf("no place in %q", err)
		}
	})
}

func TestWhichTurnIsPlayed(t *testing.T) {
	t.Parallel()
	const script = `
turns:
- {story: STORY-002, attempt: 2, steps: [{final: second story again}]}
- {story: STORY-002, steps: [{final: second story}]}
- {iteration: 7, steps: [{final: seventh}]}
- steps: [{final: one}]
- steps: [{final: two}]
`
	const otherwise = "otherwise: [{final: otherwise}]\n"
	tests := []struct {
		name, script string
		passed       string // a story ticked before
		env          []string
		want         string
	}{
		{"first", script, "", []string{"RALPH_ITERATION=1"}, "one"},
		{"second", script, "", []string{"RALPH_ITERATION=2"}, "two"},
		{"the last repeats", script, "", []string{"RALPH_ITERATION=5"}, "two"},
		{"by iteration", script, "", []string{"RALPH_ITERATION=7"}, "seventh"},
		{"otherwise", script + otherwise, "", []string{"RALPH_ITERATION=5"}, "otherwise"},
		{"by hand", script, "", nil, "one"},
		{"by hand, unit from the branch", script, "STORY-001", []string{"RALPH_UNIT="}, "second story"},
		{"by story", script, "STORY-001", []string{"RALPH_ITERATION=1"}, "second story"},
		{"by story and attempt", script, "STORY-001", []string{"RALPH_ATTEMPT=2"}, "second story again"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			if tt.passed != "" {
				p.turn("- tick: " + tt.passed)
			}
			s := p.play(tt.script, tt.env...)
			if got := s.result().Get("result").String(); got != tt.want {
				t.Errorf("played %q, want %q; %s", got, tt.want, s.stderr)
			}
		})
	}
}

func TestNoScriptAndNoTurn(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	s := p.play("turns: [{story: STORY-002, steps: []}]")
	if s.code != ExitScript || !strings.Contains(s.stderr, "no turn fits: open story STORY-001, iteration 1, attempt 1") {
		t.Errorf("exit %d, stderr %q", s.code, s.stderr)
	}
	cmd := p.command("")
	cmd.Args[2] = ""
	out, _ := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != ExitScript || !strings.Contains(string(out), "RALPH_REPLAY_SCRIPT") {
		t.Errorf("exit %d, output %q", cmd.ProcessState.ExitCode(), out)
	}
}
