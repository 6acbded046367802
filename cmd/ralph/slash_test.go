package main

import (
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"ralph/internal/preflight"
	"ralph/internal/spec"
)

// TestSlashCommandsInEveryForm reads each file as its agent would.
func TestSlashCommandsInEveryForm(t *testing.T) {
	for _, name := range slashCommands {
		c, err := loadSlashCommand(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range dialects() {
			if d.folder == "" {
				continue
			}
			t.Run(d.path(name), func(t *testing.T) {
				text := d.content(c)
				if !sealed(text) || sealed(text+"one more line\n") || sealed(strings.Replace(text, "a", "b", 1)) {
					t.Error("the seal does not tell what is edited")
				}
				var front map[string]string
				if d.agent == "gemini" {
					front = readTOML(t, text)
				} else {
					front = readFrontMatter(t, text)
				}
				if !strings.HasPrefix(front["description"], c.description) {
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
	for _, name := range slashCommands {
		c, err := loadSlashCommand(name)
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

// TestTheFormThatThePlanCommandAsksForIsValid fills the form of /ralph-plan in
// and goes the way it tells: the result has not even a warning.
func TestTheFormThatThePlanCommandAsksForIsValid(t *testing.T) {
	c, err := loadSlashCommand("ralph-plan")
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
	s := newScratch(t, "turns: []\n")
	s.write(".ralph/feature-x/spec.md", form)
	if out, err := s.command(s.bin, "prd").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	report := preflight.Run(preflight.Input{Root: s.repo, Branch: "feature/x"})
	for _, check := range report.Checks {
		if check.Severity != preflight.OK {
			t.Errorf("%s: %s: %s %v", check.Severity, check.ID, check.Message, check.Details)
		}
	}
	plan, _, err := spec.Parse("spec.md", []byte(form))
	if err != nil || len(plan.Stories) != 1 || plan.Stories[0].Description == "" || plan.Stories[0].TechnicalNotes == "" {
		t.Errorf("%v: the story lacks something: %+v", err, plan.Stories)
	}
}

// TestBranchFor proposes names that git takes.
func TestBranchFor(t *testing.T) {
	for description, want := range map[string]string{
		"":                              "feature/NAME",
		"日本語":                           "feature/NAME",
		"CSV export":                    "feature/csv-export",
		"Sign in, with a passkey; now!": "feature/sign-in-with-a",
		"..lock~^: @{ -x":               "feature/lock-x",
	} {
		if got := branchFor(description); got != want {
			t.Errorf("branchFor(%q) = %q, want %q", description, got, want)
		}
	}
}
