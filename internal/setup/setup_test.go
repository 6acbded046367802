package setup

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"ralph"
	"ralph/internal/preflight"
	"ralph/internal/spec"
)

var commands = []string{planCommand, prdCommand}

// TestSlashCommandsInEveryForm reads each file as its agent would.
func TestSlashCommandsInEveryForm(t *testing.T) {
	for _, name := range commands {
		c, err := load(ralph.Templates, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range Agents() {
			if a.folder == "" {
				continue
			}
			t.Run(a.path(name), func(t *testing.T) {
				text := a.content(c)
				if !sealed(text) || sealed(text+"one more line\n") || sealed(strings.Replace(text, "a", "b", 1)) {
					t.Error("the seal does not show an edit")
				}
				var front map[string]string
				if a.Name == "gemini" {
					front = readTOML(t, text)
				} else {
					front = readFrontMatter(t, text)
				}
				if c.description == "" || !strings.HasPrefix(front["description"], c.description) {
					t.Errorf("description = %q", front["description"])
				}
				if !strings.Contains(front["prompt"], "ralph validate") {
					t.Errorf("the prompt is cut off:\n%s", front["prompt"])
				}
			})
		}
	}
}

func readFrontMatter(t *testing.T, text string) map[string]string {
	t.Helper()
	parts := strings.SplitN(text, "---\n", 3)
	front := map[string]string{}
	if err := yaml.Unmarshal([]byte(parts[1]), &front); err != nil || parts[0] != "" {
		t.Fatalf("the front matter cannot be read: %v", err)
	}
	front["prompt"] = parts[2]
	return front
}

// readTOML reads the little of TOML that is used.
func readTOML(t *testing.T, text string) map[string]string {
	t.Helper()
	m := regexp.MustCompile(`(?s)\A# .*?\ndescription = '([^'\n]*)'\nprompt = '''\n(.*)'''\n\z`).FindStringSubmatch(text)
	if m == nil || strings.Contains(m[2], "'''") {
		t.Fatalf("no TOML:\n%s", text)
	}
	return map[string]string{"description": m[1], "prompt": m[2]}
}

// TestSlashCommandsHoldNothingThatAnAgentExpands: a command that is inserted, a
// file that is included, or an argument by number would be gone from the text.
func TestSlashCommandsHoldNothingThatAnAgentExpands(t *testing.T) {
	magic := regexp.MustCompile("!`|!\\{|@|\\$[0-9]|\\{\\{")
	for _, name := range commands {
		c, err := load(ralph.Templates, name)
		if err != nil {
			t.Fatal(err)
		}
		if found := magic.FindString(c.body); found != "" {
			t.Errorf("%s holds %q", name, found)
		}
		if n := strings.Count(c.body, "$ARGUMENTS"); n != 1 {
			t.Errorf("%s has $ARGUMENTS %d times, not once", name, n)
		}
	}
}

// TestTheFormOfThePlanCommand fills in the form of /ralph-plan: the plan has not even a warning.
func TestTheFormOfThePlanCommand(t *testing.T) {
	c, err := load(ralph.Templates, planCommand)
	if err != nil {
		t.Fatal(err)
	}
	_, form, _ := strings.Cut(c.body, "```markdown\n")
	form, _, found := strings.Cut(form, "```")
	if !found {
		t.Fatal("there is no form")
	}
	form = regexp.MustCompile(`(?m)^created: .*$`).ReplaceAllString(form, "created: 2026-03-02T09:00:00Z")
	form = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(form, "an answer of 42 lines")
	plan, findings, err := spec.Parse("spec.md", []byte(form))
	if err != nil || len(findings) != 0 || len(plan.Stories) != 1 || plan.Stories[0].Description == "" {
		t.Fatalf("%v, %v: the story lacks something: %+v", err, findings, plan)
	}
	state, _, err := spec.Generate(plan, nil, spec.Options{Now: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	folder := filepath.Join(root, ".ralph", "feature-x")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"spec.md": []byte(form), "prd.json": state.Bytes(), "progress.txt": []byte("# Progress Log: feature-x\n")} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, check := range preflight.Run(preflight.Input{Root: root, Branch: "feature/x"}).Checks {
		if check.Severity != preflight.OK {
			t.Errorf("%s: %s: %s %v", check.Severity, check.ID, check.Message, check.Details)
		}
	}
}
