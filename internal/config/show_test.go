package config

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v5"
	"gopkg.in/yaml.v3"

	"ralph"
)

func TestEntries(t *testing.T) {
	in := place(t, "quality_checks: {api: 'make test'}\nmodel: ''\nfallback: [codex, 'a b']\nharnesses:\n  mine: {command: [my-agent, --api-key, hunter2hunter2], env: {TOKEN: hunter2hunter2}}\n", "")
	in.Environ = append(in.Environ, "RALPH_NOTIFY_COMMAND=curl -H 'Authorization: token hunter2hunter2' https://me:hunter2hunter2@example.org")
	l := load(t, in)
	text := map[string]string{}
	for _, entry := range l.Entries() {
		text[entry.Key] = entry.Text() + " " + strings.TrimPrefix(entry.Origin, in.UserFile)
	}
	for key, want := range map[string]string{
		"defaults.max_iterations":    "20 default",
		"quality_checks.api.command": "make test :1",
		"model":                      `"" :2`,
		"fallback":                   `[codex, "a b"] :3`,
		"claude.command":             "[claude] default",
		"harnesses.mine.command":     "[my-agent, --api-key, (hidden)] :5",
		"harnesses.mine.env":         "map[TOKEN:(hidden)] :5",
		"usage_limit.max_wait_hours": "24 default",
		"completion.promise":         "<promise>COMPLETE</promise> default",
		"defaults.pause_seconds":     "2 default",
	} {
		if text[key] != want {
			t.Errorf("%s shows %s, want %s", key, text[key], want)
		}
	}
	out, err := json.Marshal(l.Entries())
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(out, []byte("hunter2")) {
		t.Errorf("a secret is shown: %s", out)
	}
}

func TestSplitWords(t *testing.T) {
	for text, want := range map[string]Command{
		"": nil, "claude": {"claude"}, "  a  b\tc ": {"a", "b", "c"}, `a "b c" 'd "e'`: {"a", "b c", `d "e`},
		`a\ b \"c`: {"a b", `"c`}, `''`: {""}, `a''b`: {"ab"}, `'\'`: {`\`}, "ü'ñ 'x": {"üñ x"},
	} {
		got, err := splitWords(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v %s", text, err, diff)
		}
	}
	for _, text := range []string{`"a`, `a'`, `a\`} {
		if got, err := splitWords(text); err == nil {
			t.Errorf("%q gives %q", text, got)
		}
	}
}

func TestSchemaAgreesWithLoad(t *testing.T) {
	text, err := Schema(ralph.ConfigExample)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.CompileString("config.json", string(text))
	if err != nil {
		t.Fatal(err)
	}
	var root struct {
		Properties map[string]struct{ Description string }
	}
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	if got := root.Properties["protected_branches"].Description; !strings.HasPrefix(got, "Branches that cause a warning") {
		t.Errorf("the description of protected_branches is %q", got)
	}
	files := []string{string(ralph.ConfigExample), "{}", "claude:\n", "defaults: {max_iterations: 0}", "defaults: {max_iterations: 1.5}",
		"defaults: {timeout_minutes: 0}", "defaults: {timeout_minutes: 0.5}", "no_such: 1", "tamper: x", "tamper: reject",
		"completion: {require_change: true}", "completion: {require_change: 1}", "claude: {command: [a, b]}", "claude: {command: a b}",
		"claude: opus", "fallback: x", "fallback: [x]", "quality_checks: {a: b}", "quality_checks: {a: {command: b, when: end}}",
		"quality_checks: {a: {command: b, when: x}}", "quality_checks: {a: {comand: b}}", "harnesses: {x: {command: x, env: {A: 1}}}",
		"keep_awake: maybe", "keep_awake: off", "model: 4", "model: {}", "defaults: []"}
	for _, file := range files {
		l := &Loaded{origins: map[string]Origin{}}
		errs := l.layer(&decoder{file: "f"}, []byte(file))
		if got := valid(t, schema, file); got != (len(errs) == 0) {
			t.Errorf("%.60q: valid by the schema is %v, but reading gives %v", file, got, errs)
		}
	}
}

func valid(t *testing.T, schema *jsonschema.Schema, file string) bool {
	t.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(file), &value); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(plain); err != nil {
		return false
	}
	return true
}
