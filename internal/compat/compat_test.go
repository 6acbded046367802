package compat

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTranslate(t *testing.T) {
	for _, c := range []struct{ line, want, ignored string }{
		{"ralph-hybrid run -n 30 -t 20 -v", "run --max-iterations 30 --timeout 20 --verbose", ""},
		{"ralph-hybrid run --profile=budget -m opus", "run --model opus", "--profile: ralph has no profiles; name a model with --model"},
		{"ralph-hybrid run -n30", "run --max-iterations 30", ""},
		{"ralph-hybrid run -vn 3 -vt=5", "run --verbose --max-iterations 3 --verbose --timeout 5", ""},
		{"ralph-hybrid archive -y --help", "archive --help", ""},
		{"ralph-hybrid -h", "--help", ""},
		{"wt-loop start --max 3 -- -fix --max", "start --max 3 -- -fix --max", ""},
		{"ralph-hybrid kill", "stop", ""},
		{"ralph-hybrid restore 20260101-000000-x", "archive --restore 20260101-000000-x", ""},
		{"ralph-hybrid", "--help", ""},
		{"wt-loop start task --max 10 --done tasks --fullscreen", "start task --max 10 --done tasks --fullscreen", ""},
		{"wt-loop start task --done openspec --change x", "start task --change x", "--done: the change and the quality checks decide what done means"},
		{"wt-loop start task --permission-mode auto-accept", "start task --dangerously-skip-permissions", ""},
		{"wt-loop start task --permission-mode plan", "start task", "--permission-mode: only auto-accept has an equivalent; use claude.allowed_tools"},
		{"wt-loop start task --capacity-limit 80", "start task --max-account 80", ""},
		{"ito ralph text --error-threshold 3", "run text", "--error-threshold: done is decided by checks and open tasks"},
		{"ito ralph text --change 2-1 --timeout 15m --yolo", "run text --change 2-1 --idle-timeout 15m --allow-all", ""},
	} {
		words := strings.Fields(c.line)
		got, err := Translate(words[0], words[1:])
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if diff := cmp.Diff(c.want, strings.Join(got.Args, " ")); diff != "" {
			t.Errorf("%s:\n%s", c.line, diff)
		}
		if diff := cmp.Diff(c.ignored, strings.Join(got.Ignored, "\n")); diff != "" {
			t.Errorf("%s: ignored:\n%s", c.line, diff)
		}
	}
}

func TestTranslateRefuses(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"other run", `unknown tool "other"; known are: ralph-hybrid, wt-loop, ito`},
		{"ralph-hybrid init", "ralph-hybrid init: ralph needs no init"},
		{"ralph-hybrid dance", `ralph-hybrid has no command "dance" that ralph knows`},
		{"ralph-hybrid run --success-criteria true", "--success-criteria: write the command to .ralph/config.yaml"},
		{"ralph-hybrid run --nope", "ralph knows no equivalent of --nope; see: ralph run --help"},
		{"ralph-hybrid run -n", "-n needs a value"},
		{"ralph-hybrid run -vx", "ralph knows no equivalent of -x;"},
		{"ralph-hybrid run -vn", "-n needs a value"},
		{"ralph-hybrid status x", `takes no argument "x"`},
		{"ralph-hybrid run --dangerously-skip-permissions=false", "--dangerously-skip-permissions takes no value"},
		{"ito ralph --add-context mind", "use: ralph context add TEXT --change ID"},
	} {
		words := strings.Fields(c.line)
		if _, err := Translate(words[0], words[1:]); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.line, err, c.want)
		}
	}
}
