// Package templates_test tests the texts below templates/: that the
// examples agree with each other, and that the demo's script does what it says.
package templates_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/prd"
	"ralph/internal/replay"
	"ralph/internal/spec"
)

const templates = "../../templates/"

// Each prd.json is what its spec.md gives, byte for byte.
func TestPlansAgreeWithTheirSpecs(t *testing.T) {
	for _, pair := range [][2]string{
		{"spec.md.example", "prd.json.example"},
		{"demo/.ralph/feature-greeting/spec.md", "demo/.ralph/feature-greeting/prd.json"},
	} {
		pair[0], pair[1] = templates+pair[0], templates+pair[1]
		s, findings, err := spec.Load(pair[0])
		if err != nil || len(findings) > 0 {
			t.Fatalf("%s: %v %v", pair[0], findings, err)
		}
		want, _, err := spec.Generate(s, nil, spec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(pair[1], ".example") {
			want.SetSchema("../prd.schema.json") // as 'ralph prd' does after 'ralph setup'
		}
		if os.Getenv("UPDATE_TEMPLATES") != "" {
			if err := want.Save(pair[1]); err != nil {
				t.Fatal(err)
			}
		}
		got, warnings, err := prd.Load(pair[1])
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%s: %v %v", pair[1], warnings, err)
		}
		if diff := cmp.Diff(string(want.Bytes()), string(got.Bytes())); diff != "" {
			t.Errorf("%s differs from what %s gives; run with UPDATE_TEMPLATES=1 (-want +got):\n%s", pair[1], pair[0], diff)
		}
	}
}

// Only these placeholders are filled in by the loop.
func TestPlaceholders(t *testing.T) {
	for _, name := range []string{"prompt.md", "prompt-tdd.md"} {
		data, err := os.ReadFile(templates + name)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer("{{promise}}", "", "{{folder}}", "", "{{unit}}", "").Replace(string(data))
		if strings.Contains(text, "{{") {
			t.Errorf("%s holds an unknown placeholder", name)
		}
		if n := strings.Count(string(data), "\n{{promise}}\n"); n != 1 {
			t.Errorf("%s shows the promise on a line of its own %d times", name, n)
		}
		if strings.Contains(string(data), "<promise>") {
			t.Errorf("%s spells the promise out: it may be another one", name)
		}
	}
}

// The demo is played without the loop, in four sessions. The second promises too early and
// changes no story.
func TestDemoScript(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(templates+"demo")); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, ".ralph/feature-greeting")
	env := append(os.Environ(), "RALPH_UNIT=feature-greeting", "HOME="+dir, "GIT_CONFIG_GLOBAL=/dev/null")
	run := func(argv ...string) string {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", argv, err, out)
		}
		return string(out)
	}
	run("git", "init", "-q", "-b", "feature/greeting")
	run("sh", "check.sh") // the baseline is green
	for n, want := range []struct {
		passing  int
		promised bool
	}{{1, false}, {1, true}, {2, false}, {3, true}} {
		var out, stderr bytes.Buffer
		code := replay.Run(context.Background(), replay.Input{
			Dir:   dir,
			Env:   append(env, "RALPH_ITERATION="+strconv.Itoa(n+1)),
			Stdin: strings.NewReader("STORY-001 STORY-002 STORY-003"), Stdout: &out, Stderr: &stderr,
		})
		if code != 0 {
			t.Fatalf("iteration %d: exit %d: %s", n+1, code, stderr.String())
		}
		plan, _, err := prd.Load(filepath.Join(folder, "prd.json"))
		if err != nil {
			t.Fatal(err)
		}
		passing, _ := plan.Counts()
		promised := strings.Contains(out.String(), "<promise>COMPLETE</promise>")
		if passing != want.passing || promised != want.promised {
			t.Errorf("iteration %d: %d stories pass, promised %v; want %v", n+1, passing, promised, want)
		}
	}
	if got := strings.Count(run("git", "log", "--format=%s"), "feat:"); got != 3 {
		t.Errorf("%d commits, want 3", got)
	}
	run("sh", "check.sh")
	if got := run("sh", "greet.sh", "--lang", "fr", "Ada"); got != "Bonjour, Ada !\n" {
		t.Errorf("greeting %q", got)
	}
}
