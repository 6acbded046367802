package config

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph"
)

// Messages begin with the place, FILE standing for the user's file.
func TestErrors(t *testing.T) {
	tests := map[string]struct {
		text string
		want []string
	}{
		"misspelt":       {"defaults:\n  max_iteration: 5\n", []string{`FILE:2: unknown key "defaults.max_iteration" (did you mean max_iterations?)`}},
		"wrong section":  {"max_iterations: 5\n", []string{`FILE:1: unknown key "max_iterations" (did you mean defaults.max_iterations?)`}},
		"unknown":        {"xyzzy: 5\n", []string{`FILE:1: unknown key "xyzzy"`}},
		"text for int":   {"defaults: {max_iterations: many}\n", []string{`FILE:1: defaults.max_iterations: want a whole number, got the text "many"`}},
		"quoted int":     {"defaults: {max_iterations: \"20\"}\n", []string{`FILE:1: defaults.max_iterations: want a whole number, got the text "20"`}},
		"fraction":       {"defaults: {max_iterations: 1.5}\n", []string{`FILE:1: defaults.max_iterations: want a whole number, got 1.5`}},
		"zero":           {"defaults:\n  max_iterations: 0\n  timeout_minutes: 0\n", []string{`FILE:2: defaults.max_iterations: 0 is too small, the least is 1`, `FILE:3: defaults.timeout_minutes: 0 is too small, it must be more than 0`}},
		"negative":       {"defaults: {rate_limit_per_hour: -1}\n", []string{`FILE:1: defaults.rate_limit_per_hour: -1 is too small, the least is 0`}},
		"not a number":   {"defaults: {timeout_minutes: .nan}\n", []string{`FILE:1: defaults.timeout_minutes: want a number of minutes, got .nan`}},
		"infinite":       {"usage_limit: {max_wait_hours: .inf}\n", []string{`FILE:1: usage_limit.max_wait_hours: want a number of hours, got .inf`}},
		"too long":       {"defaults: {pause_seconds: 1e300}\n", []string{`FILE:1: defaults.pause_seconds: 1e300 is more than a year`}},
		"unit in a file": {"defaults: {timeout_minutes: 90s}\n", []string{`FILE:1: defaults.timeout_minutes: want a number of minutes, got the text "90s"`}},
		"enum":           {"tamper: panic\n", []string{`FILE:1: tamper: "panic" is not one of warn, reject`}},
		"bool":           {"keep_awake: maybe\n", []string{`FILE:1: keep_awake: want true or false, got the text "maybe"`}},
		"scalar section": {"claude: opus\n", []string{`FILE:1: claude: want keys and values, got the text "opus"`}},
		"list section":   {"- a\n", []string{`FILE:1: want keys and values, got a list`}},
		"list wanted":    {"fallback: codex\n", []string{`FILE:1: fallback: want a list, got the text "codex"`}},
		"list in list":   {"fallback:\n  - a\n  - [b]\n", []string{`FILE:2: fallback: want a list of texts, but it has a list in line 3`}},
		"map for text":   {"model: {a: b}\n", []string{`FILE:1: model: want a text, got keys and values`}},
		"empty promise":  {"completion: {promise: \" \"}\n", []string{`FILE:1: completion.promise: must not be empty`}},
		"empty command":  {"claude: {command: []}\n", []string{`FILE:1: claude.command: must not be empty`}},
		"quotation mark": {"claude: {command: \"a 'b\"}\n", []string{`FILE:1: claude.command: a quotation mark is not closed`}},
		"twice":          {"tamper: warn\ntamper: reject\n", []string{`FILE:2: tamper: is already set in line 1`}},
		"regexp":         {"harnesses: {x: {command: x, limit_patterns: ['(']}}\n", []string{"FILE:1: harnesses.x.limit_patterns: \"(\" is not a regular expression: error parsing regexp: missing closing ): `(`"}},
		"in a group":     {"quality_checks:\n  a:\n    comand: x\n    when: never\n", []string{`FILE:3: unknown key "quality_checks.a.comand" (did you mean command?)`, `FILE:4: quality_checks.a.when: "never" is not one of claim, every, end`}},
		"no command":     {"quality_checks:\n  a:\n    when: end\n", []string{`FILE:3: quality_checks.a: has no command`}},
		"empty check":    {"quality_checks: {a: }\n", []string{`FILE:1: quality_checks.a: has no value`}},
		"relative trust": {"trusted_projects: [a/b]\n", []string{`FILE:1: trusted_projects: "a/b" is not an absolute path`}},
		"strength":       {"proof:\n  strength: 0.8\n  budget_minutes: 0\n", []string{`FILE:2: proof.strength: needs time for its runs: set proof.budget_minutes above 0, or strength to 0`}},
		"too strong":     {"proof: {strength: 80}\n", []string{`FILE:1: proof.strength: 80 is too large, the most is 1`}},
		"broken pattern": {"proof: {tests: ['a[']}\n", []string{`FILE:1: proof.tests: "a[" is not a pattern of paths`}},
		"no YAML":        {"a: b\n\tc: d\n", []string{`FILE:2: this is not YAML: found a tab character that violates indentation`}},
		"two documents":  {"tamper: warn\n---\ntamper: warn\n", []string{`FILE:2: a second document, settings have one`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			in := place(t, test.text, "")
			_, err := Load(in)
			if err == nil {
				t.Fatal("no error")
			}
			got := strings.Split(strings.ReplaceAll(err.Error(), in.UserFile, "FILE"), "\n")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestErrorsOfAllLayersAtOnce(t *testing.T) {
	in := place(t, "tamper: x\n", "model: [1]\n")
	in.Environ = append(in.Environ, "RALPH_MAX_ITERATIONS=many", "RALPH_NOTIFY_DESKTOP=maybe")
	in.Flags = []Override{{"defaults.timeout_minutes", "--timeout", "-5"}, {"default.timeout", "--other", "1"}}
	_, err := Load(in)
	want := []string{
		in.UserFile + `:1: tamper: "x" is not one of warn, reject`,
		in.ProjectFile + `:1: model: want a text, got a list`,
		`RALPH_MAX_ITERATIONS: defaults.max_iterations: want a whole number, got the text "many"`,
		`RALPH_NOTIFY_DESKTOP: notify.desktop: want true or false, got the text "maybe"`,
		`--timeout: defaults.timeout_minutes: -5 is too small, it must be more than 0`,
		`--other: unknown key default.timeout`,
	}
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Error(diff)
	}
}

func TestFilesThatAreNoSettings(t *testing.T) {
	dir := t.TempDir()
	fifo, big := filepath.Join(dir, "fifo"), filepath.Join(dir, "big")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(big, []byte(strings.Repeat("#\n", 1<<19+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{dir, fifo, big, filepath.Join(big, "below")} {
		if _, err := Load(Input{Example: ralph.ConfigExample, UserFile: file}); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: error %v does not name the file", file, err)
		}
	}
	if _, err := Load(Input{Example: ralph.ConfigExample, UserFile: filepath.Join(dir, "none"), ProjectFile: filepath.Join(dir, "no", "ne")}); err != nil {
		t.Errorf("missing files: %v", err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(string(ralph.ConfigExample))
	f.Add("a: &x {b: *x}\nharnesses: &h {y: *h}\n")
	f.Add("quality_checks: {a: b, c: {command: [d]}}\n? [x]\n: y\n")
	f.Fuzz(func(t *testing.T, text string) {
		l := &Loaded{origins: map[string]Origin{}}
		errs := l.layer(&decoder{file: "f"}, []byte(text))
		for _, err := range errs {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("error without a place: %v", err)
			}
		}
		l.Entries()
	})
}
