package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"gopkg.in/yaml.v3"

	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/run"
	"ralph/internal/testprogram"
)

// compiled is a schema of docs/.
func compiled(t *testing.T, schema string) *jsonschema.Schema {
	t.Helper()
	c, err := jsonschema.Compile(filepath.Join(schemaFolder, schema+".schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// fits checks a document with a schema of docs/.
func fits(t *testing.T, schema string, data []byte) {
	t.Helper()
	judge(t, compiled(t, schema), data)
}

// eachFits checks every line with a schema.
func eachFits(t *testing.T, schema string, lines []byte) {
	t.Helper()
	c, n := compiled(t, schema), 0
	for line := range bytes.Lines(lines) {
		judge(t, c, line)
		n++
	}
	if n == 0 {
		t.Errorf("there is nothing to hold against %s", schema)
	}
}

func judge(t *testing.T, schema *jsonschema.Schema, data []byte) {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if err := schema.Validate(v); err != nil {
		t.Errorf("%#v\n%s", err, data)
	}
}

// output runs ralph and returns its standard output, whatever its exit status.
func (s *scratch) output(args ...string) []byte {
	s.t.Helper()
	out, err := s.command(s.bin, args...).Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return out
}

// TestRealOutputsFitTheirSchemas runs the commands, and holds all that they write for
// programs against the schemas.
func TestRealOutputsFitTheirSchemas(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "turns:\n  - steps: [{sleep: 1ms}, {exit: 3}]\n  - steps: [{write: {path: one.txt, content: x}}, {git_commit: one}, {tick: STORY-001}, {tokens: {input: 5, output: 7}}, {cost: 0.5}]\n")
	s.write(".ralph/config.yaml", "harness: replay\nquality_checks:\n  tests: test ! -e two.txt\n")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "settings")
	for _, c := range []struct{ schema, args string }{
		{"validate", "validate --json"}, {"list", "list --json"}, {"history", "history --json"}, {"archive-list", "archive --list --json"},
	} {
		fits(t, c.schema, s.output(strings.Fields(c.args)...)) // before the first run
	}
	eachFits(t, "journal-event", s.output("run", "--json", "--no-archive", "--pause", "0"))
	folder := ".ralph/feature-x/"
	fits(t, "status", []byte(s.read(folder+"status.json")))
	fits(t, "loop-state", []byte(s.read(".claude/loop-state.json")))
	fits(t, "prd", []byte(s.read(folder+"prd.json")))
	eachFits(t, "journal-event", []byte(s.read(".git/ralph/feature-x/journal.jsonl")))
	for _, c := range []struct{ schema, args string }{
		{"status", "status --json"}, {"history", "history --json"}, {"list", "list --json"},
		{"verify", "verify --all --json"}, {"config-show", "config show --json"}, {"limits", "limits --json"}, {"report", "report --json"},
		{"why", "why --json"}, {"why", "why 1 --json"}, {"context", "context show --json"}, {"doctor", "doctor --json"}, {"doctor", "doctor --live --json"}, {"pr", "pr --json"},
	} {
		fits(t, c.schema, s.output(strings.Fields(c.args)...))
	}
	fits(t, "config", fromYAML(t, s.read(".ralph/config.yaml")))
	s.output("archive")
	if list := s.output("archive", "--list", "--json"); len(list) < 20 {
		t.Errorf("nothing is archived: %s", list)
	} else {
		fits(t, "archive-list", list)
	}

	testprogram.Write(t, filepath.Join(s.repo, "agent"), "#!/bin/sh\ncat >/dev/null\necho no\n")
	fits(t, "conformance", s.output("doctor", "--conformance", "--json", "--timeout", "5s", "./agent"))

	s.write("openspec/changes/login/proposal.md", "# Log in\n")
	s.write(".ralph/replay.yaml", "otherwise: [{promise: true}]\n")
	eachFits(t, "journal-event", s.output("run", "--change", "login", "--json"))
	fits(t, "change-state", []byte(s.read(".ralph/login/state.json")))
	fits(t, "status", s.output("status", "--change", "login", "--json"))
	fits(t, "validate", s.output("validate", "--change", "login", "--json"))
	fits(t, "start", s.output("start", "--change", "login", "--json", "--terminal", "none", "--harness", "replay"))
	s.unit = "login"
	var loop proc.ID
	for _, e := range s.events() {
		if b, ok := e.Body.(journal.RunStarted); ok {
			loop = proc.ID{PID: b.PID, Start: b.PIDStart}
		}
	}
	waitFor(t, "the end of the loop", func() bool { return !loop.Alive() })
	s.nothingLeft()
}

// TestEachFormatHasAVersionAndSamples: a schema says which version it is of, and what
// any version up to that one has written still fits it.
func TestEachFormatHasAVersionAndSamples(t *testing.T) {
	t.Parallel()
	schemas, err := filepath.Glob(filepath.Join(schemaFolder, "*.schema.json"))
	if err != nil || len(schemas) == 0 {
		t.Fatal(schemas, err)
	}
	for _, path := range schemas {
		name := strings.TrimSuffix(filepath.Base(path), ".schema.json")
		var schema struct{ Version int }
		if err := json.Unmarshal([]byte(readFile(t, path)), &schema); err != nil || schema.Version < 1 {
			t.Errorf("%s: version %d, %v", name, schema.Version, err)
		}
		for v := 1; v <= schema.Version; v++ {
			folder := fmt.Sprintf("testdata/formats/v%d", v)
			switch name {
			case "journal-event":
				eachFits(t, name, []byte(readFile(t, filepath.Join(folder, "journal.jsonl"))))
			case "config":
				fits(t, name, fromYAML(t, readFile(t, filepath.Join(folder, "config.yaml"))))
			case "change-state":
				fits(t, name, []byte(readFile(t, filepath.Join(folder, "state.json"))))
			default:
				fits(t, name, []byte(readFile(t, filepath.Join(folder, name+".json"))))
			}
		}
	}
}

// fromYAML is a document in YAML as JSON.
func fromYAML(t *testing.T, text string) []byte {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestFormatsOfVersion1: what programs read has not changed its meaning since, and what
// ralph itself reads of an older one it still understands.
func TestFormatsOfVersion1(t *testing.T) {
	t.Parallel()
	const samples = "testdata/formats/v1"
	sample := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(samples, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	s := newScratch(t, "otherwise: [{say: x}]\n")
	for from, to := range map[string]string{"prd.json": ".ralph/feature-x/prd.json", "spec.md": ".ralph/feature-x/spec.md",
		"config.yaml": ".ralph/config.yaml", "journal.jsonl": ".git/ralph/feature-x/journal.jsonl"} {
		s.write(to, string(sample(from)))
	}
	for _, c := range []struct {
		args string
		want []string
	}{
		{"status --json", []string{`"reason": "stories_complete"`, `"iteration": 2`, `"costUsd": 0.5`, `"output": 7`}},
		{"history --json", []string{`"exitCode": 3`, `"storiesPassed": [` + "\n      \"STORY-001\"", `"reason": "stories_complete"`}},
		{"config show --json", []string{`"key": "quality_checks.tests.command"`, `test ! -e two.txt`}},
		{"validate --json", []string{`"id": "sync",` + "\n      \"severity\": \"ok\"", `"ok": true`}},
		{"run --json", []string{`"reason":"stories_complete"`}},
	} {
		out := string(s.output(strings.Fields(c.args)...))
		for _, w := range c.want {
			if !strings.Contains(out, w) {
				t.Errorf("ralph %s lacks %s:\n%s", c.args, w, out)
			}
		}
	}
	// The state of the worktree tools is folded from the journal; theirs has not changed.
	var state run.State
	if _, err := journal.Scan(filepath.Join(samples, "journal.jsonl"), state.Apply); err != nil {
		t.Fatal(err)
	}
	if got, err := state.LoopState().JSON(); err != nil || string(got) != string(sample("loop-state.json")) {
		t.Errorf("the loop-state of the same journal is now\n%s", got)
	}
}

// TestLoopStateIsNeverTorn reads the state of a running loop a thousand times a second.
func TestLoopStateIsNeverTorn(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "otherwise: [{write: {path: a.txt, content: x}}, {git_commit: a}]\n")
	cmd, out := s.start("Iteration: 1/", "-n", "6", "--stall-threshold", "9")
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.finish(cmd, out)
	}()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	path := filepath.Join(s.repo, ".claude/loop-state.json")
	last, reads, schema := []byte(nil), 0, compiled(t, "loop-state")
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-tick.C:
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if reads++; !bytes.Equal(data, last) {
			judge(t, schema, data)
			last = data
		}
	}
	if !strings.Contains(string(last), `"status": "stuck"`) || !strings.Contains(string(last), `"current_iteration": 6`) {
		t.Errorf("after %d reads it is\n%s", reads, last)
	}
}
