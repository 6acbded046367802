package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph"
)

// place makes an Input of a user's and a project's file in new directories.
func place(t testing.TB, user, project string) Input {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in := Input{
		Example:     ralph.ConfigExample,
		UserFile:    filepath.Join(dir, "home", "config.yaml"),
		ProjectFile: filepath.Join(dir, "project", ".ralph", "config.yaml"),
		ProjectRoot: filepath.Join(dir, "project"),
		Environ:     []string{"HOME=" + dir},
	}
	for file, content := range map[string]string{in.UserFile: user, in.ProjectFile: project} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

func load(t testing.TB, in Input) *Loaded {
	t.Helper()
	l, err := Load(in)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestExampleIsTheDefault compares the built-in values with the documented ones.
func TestExampleIsTheDefault(t *testing.T) {
	got := load(t, Input{Example: ralph.ConfigExample})
	want := Settings{
		Defaults:       Defaults{MaxIterations: 20, MinIterations: 1, TimeoutMinutes: 15, RateLimitPerHour: 100, PauseSeconds: 2, TransientSeconds: 1},
		CircuitBreaker: CircuitBreaker{NoProgressThreshold: 3, SameErrorThreshold: 5},
		Completion:     Completion{Promise: "<promise>COMPLETE</promise>", RequireChange: "auto"},
		CheckEnv:       CheckEnv{Drop: []string{}, Keep: []string{}},
		Proof: Proof{Mode: "auto", Notes: true, OldTests: "warn", NewTests: "warn", BudgetMinutes: 2, Tests: []string{}, Locked: []string{},
			Prepare: []string{}, Borrow: []string{}}, OnStuck: "stop", Tamper: "warn",
		Sandbox:           Sandbox{Mode: "auto", Read: []string{}, Write: []string{}},
		ProtectedBranches: []string{"main", "master", "develop"},
		Review:            Review{When: "claim", Mode: "warn", MaxPerStory: 2, TimeoutMinutes: 10},
		Harness:           "claude", Escalate: []string{}, Fallback: []string{},
		Claude:     Claude{Command: Command{"claude"}, AllowedTools: "Write,Bash(git *),Read"},
		UsageLimit: UsageLimit{Action: "ask", AskTimeoutSeconds: 30, MaxWaitHours: 24},
		KeepAwake:  true, Notify: Notify{Desktop: true}, Hooks: Hooks{TimeoutSeconds: 60}, Start: Start{Terminal: "auto"},
		TrustedProjects: []string{},
	}
	if diff := cmp.Diff(want, got.Settings); diff != "" {
		t.Error(diff)
	}
	for _, k := range keys() {
		if _, set := got.origins[k.path]; !set {
			t.Errorf("the example has no %s", k.path)
		}
		if !got.IsDefault(k.path) || got.Origin(k.path).String() != "default" {
			t.Errorf("%s comes from %s", k.path, got.Origin(k.path))
		}
	}
}

// TestCommentedGroupsWork takes the comment signs away from the example's groups.
func TestCommentedGroupsWork(t *testing.T) {
	var lines []string
	in := false
	for line := range strings.SplitSeq(string(ralph.ConfigExample), "\n") {
		text := strings.TrimPrefix(line, "# ")
		in = in && strings.HasPrefix(line, "#") || text == "quality_checks:" || text == "harnesses:"
		if in && text != line {
			line = text
		}
		lines = append(lines, line)
	}
	l := load(t, Input{Example: []byte(strings.Join(lines, "\n"))})
	if len(l.Settings.QualityChecks) != 2 || len(l.Settings.Harnesses) != 2 {
		t.Errorf("checks %+v, harnesses %+v", l.Settings.QualityChecks, l.Settings.Harnesses)
	}
}

func TestStrongerLayersWin(t *testing.T) {
	in := place(t, "defaults: {max_iterations: 1, timeout_minutes: 1, pause_seconds: 1, rate_limit_per_hour: 1}\n",
		"defaults:\n  timeout_minutes: 2\n  pause_seconds: 2.5\n  rate_limit_per_hour: 2\n")
	in.Environ = append(in.Environ, "RALPH_PAUSE_SECONDS=3", "RALPH_RATE_LIMIT_PER_HOUR=3", "RALPH_HARNESS=codex",
		"RALPH_MODEL=gpt", "RALPH_MAX_ITERATIONS=", "RALPH_UNIT=x", "RALPH_HOME=/nowhere", "RALPH_NO_SUCH_KEY=1")
	in.Flags = []Override{{"defaults.rate_limit_per_hour", "--rate-limit", "4"}, {"defaults.idle_timeout_minutes", "--idle-timeout", "90s"}}
	l := load(t, in)
	want := Defaults{MaxIterations: 1, MinIterations: 1, TimeoutMinutes: 2, PauseSeconds: 3, RateLimitPerHour: 4, IdleTimeoutMinutes: 1.5, TransientSeconds: 1}
	if diff := cmp.Diff(want, l.Settings.Defaults); diff != "" {
		t.Error(diff)
	}
	for key, origin := range map[string]string{
		"defaults.max_iterations": in.UserFile + ":1", "defaults.timeout_minutes": in.ProjectFile + ":2",
		"defaults.pause_seconds": "RALPH_PAUSE_SECONDS", "defaults.rate_limit_per_hour": "--rate-limit",
		"defaults.transient_seconds": "default", "harness": "RALPH_HARNESS",
	} {
		if got := l.Origin(key).String(); got != origin {
			t.Errorf("%s comes from %s, want %s", key, got, origin)
		}
	}
	if l.Settings.ModelOf("codex") != "gpt" || l.Settings.ModelOf("claude") != "" {
		t.Errorf("models: %q, %q", l.Settings.ModelOf("codex"), l.Settings.ModelOf("claude"))
	}
	if got := l.Settings.Defaults.IdleTimeoutMinutes.Duration(); got != 90*time.Second {
		t.Errorf("idle timeout is %s", got)
	}
}

func TestVariableNames(t *testing.T) {
	names := envNames()
	for key, want := range map[string]string{
		"model": "RALPH_MODEL", "claude.model": "RALPH_CLAUDE_MODEL", "claude.command": "RALPH_CLAUDE_COMMAND",
		"notify.command": "RALPH_NOTIFY_COMMAND", "harness": "RALPH_HARNESS", "proof.mode": "RALPH_PROOF_MODE", "trusted_projects": "",
		"circuit_breaker.no_progress_threshold": "RALPH_NO_PROGRESS_THRESHOLD",
	} {
		if names[key] != want {
			t.Errorf("%s has %q, want %q", key, names[key], want)
		}
	}
	used := map[string]string{}
	for key, name := range names {
		if other, twice := used[name]; twice {
			t.Errorf("%s and %s share %s", key, other, name)
		}
		used[name] = key
	}
	// Variables that have a meaning of their own must not be a key's.
	for _, name := range []string{"RALPH_HOME", "RALPH_UNIT", "RALPH_ITERATION", "RALPH_ATTEMPT", "RALPH_RUN_TOKEN", "RALPH_VERSION"} {
		if key := used[name]; key != "" {
			t.Errorf("%s is the variable of %s", name, key)
		}
	}
}

// TestNearMisses: a variable that looks like a setting is named, and any other is left alone.
func TestNearMisses(t *testing.T) {
	for name, meant := range map[string]string{
		"RALPH_RATE_LIMIT": "RALPH_RATE_LIMIT_PER_HOUR", "RALPH_TIMEOUT": "RALPH_TIMEOUT_MINUTES",
		"RALPH_MAX_TOKENS": "RALPH_BUDGET_MAX_TOKENS", "RALPH_PROOF_MOD": "RALPH_PROOF_MODE",
		"RALPH_MAX_ITERATION": "RALPH_MAX_ITERATIONS",
		"RALPH_MODE":          "", "RALPH_ACTION": "", "RALPH_DROP": "", "RALPH_COMMAND": "",
		"RALPH_HOME": "", "RALPH_UNIT": "", "RALPH_ITERATION": "", "RALPH_ATTEMPT": "",
		"RALPH_RUN_TOKEN": "", "RALPH_REPLAY_SCRIPT": "", "RALPH_SANDBOX": "", "RALPH_PAGER": "",
		"RALPH_VERBOSE": "", "RALPH_LEDGER": "", "RALPH_CONFORMANCE": "", "RALPH_PROMISE": "",
		"PROOF_MOD": "",
	} {
		in := place(t, "", "")
		in.Environ = append(in.Environ, name+"=off")
		l := load(t, in)
		want := ""
		if meant != "" {
			want = name + " is not a setting and is ignored; did you mean " + meant + "?"
		}
		if got := strings.Join(l.Warnings, ", "); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestGroupsAreMerged(t *testing.T) {
	l := load(t, place(t, "quality_checks: {lint: make lint, test: make test}\nharnesses: {mine: 'my-agent --x \"a b\"'}\n",
		"quality_checks:\n  test: {command: go test ./..., when: every, timeout_minutes: 0.5}\n  lint:\n    accept_baseline: yes\n  z: z\n"))
	want := []QualityCheck{
		{Name: "lint", Command: "make lint", When: "claim", AcceptBaseline: true},
		{Name: "test", Command: "go test ./...", When: "every", TimeoutMinutes: 0.5},
		{Name: "z", Command: "z", When: "claim"},
	}
	if diff := cmp.Diff(want, l.Settings.QualityChecks); diff != "" {
		t.Error(diff)
	}
	mine := l.Settings.Harnesses
	if diff := cmp.Diff([]Harness{{Name: "mine", Command: Command{"my-agent", "--x", "a b"}}}, mine); diff != "" {
		t.Error(diff)
	}
}

func TestEmptyValuesAreNotSet(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "---\n", "defaults:\n", "defaults:\n  max_iterations:\nclaude: ~\n", "\ufeffharness: claude\n", "harness: claude\r\n"} {
		l := load(t, place(t, text, ""))
		if l.Settings.Defaults.MaxIterations != 20 || l.Settings.Harness != "claude" {
			t.Errorf("%q changes %+v", text, l.Settings)
		}
	}
}

func TestDefaultsOfAPlanReplaceBuiltInOnesOnly(t *testing.T) {
	in := place(t, "defaults: {timeout_minutes: 20}", "")
	l := load(t, in)
	got, err := l.WithDefaults(map[string]string{
		"defaults.max_iterations": "10", "defaults.timeout_minutes": "45", "circuit_breaker.no_progress_threshold": "2",
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := got.Settings.Defaults; d.MaxIterations != 10 || d.TimeoutMinutes != 20 || got.Settings.CircuitBreaker.NoProgressThreshold != 2 {
		t.Errorf("settings are %+v", got.Settings)
	}
	if !got.IsDefault("defaults.max_iterations") || l.Settings.Defaults.MaxIterations != 20 {
		t.Error("the origin, or the original, has changed")
	}
	if _, err := l.WithDefaults(map[string]string{"no.key": "1"}); err == nil {
		t.Error("a key that does not exist was set")
	}
}

func TestEveryBoundIsANumber(t *testing.T) {
	for _, k := range keys() {
		for _, tag := range []string{"min", "above"} {
			if bound, ok := k.field.Tag.Lookup(tag); ok && bound != "0" && atof(bound) == 0 {
				t.Errorf("%s: bound %q", k.path, bound)
			}
		}
		if k.field.Type.Kind() == reflect.Slice && k.field.Type.Elem().Kind() != reflect.String {
			t.Errorf("%s: no flag or variable can set a %s", k.path, k.field.Type)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	in := place(b, "defaults: {max_iterations: 3}\n", "quality_checks: {test: go test ./...}\n")
	in.Environ = append(in.Environ, os.Environ()...)
	for b.Loop() {
		load(b, in)
	}
}
