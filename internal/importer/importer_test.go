package importer

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/spec"
)

// files writes files into a new folder, and returns it.
func files(t *testing.T, content map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range content {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// read reads the source below a folder, and the spec.md that it becomes.
func read(t *testing.T, dir, source string) (*Plan, *spec.Spec) {
	t.Helper()
	p, err := Read(filepath.Join(dir, source))
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := p.Spec(time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := spec.Parse("spec.md", text)
	if err != nil {
		t.Fatal(err)
	}
	return p, s
}

// outline is what a spec says of its stories, a line each.
func outline(s *spec.Spec) string {
	var lines []string
	for _, story := range s.Stories {
		line := story.ID + ": " + story.Title
		for _, c := range story.Criteria {
			line += " | " + c.Text
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestSnarktank(t *testing.T) {
	dir := files(t, map[string]string{"prd.json": `{
  "project": "Shop", "branchName": "ralph/discounts", "description": "Discounts - prices with a discount",
  "userStories": [
    {"id": "US-002", "title": "Show a discount", "description": "As a buyer, I want to see the discount so I know what I save.",
     "acceptanceCriteria": ["Badge shows the percentage"], "priority": 2, "passes": false, "notes": ""},
    {"id": "US-001", "title": "Store a discount", "description": "As a developer, I need a column.",
     "acceptanceCriteria": ["Column exists", "Typecheck passes"], "priority": 1, "passes": true, "notes": "done"}]}`})
	p, s := read(t, dir, "prd.json")
	want := "US-001: Store a discount | Column exists | Typecheck passes\nUS-002: Show a discount | Badge shows the percentage"
	if diff := cmp.Diff(want, outline(s)); diff != "" {
		t.Error(diff)
	}
	if p.Title != "Discounts" || p.Branch != "ralph/discounts" || len(p.Lost) != 0 {
		t.Errorf("title %q, branch %q, lost %q", p.Title, p.Branch, p.Lost)
	}
	_, made, err := p.Spec(time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	if first := made.Story("US-001"); !first.Passes || first.Notes != "done" {
		t.Errorf("the finished story became %+v", first)
	}
	if made.Story("US-002").Passes {
		t.Error("an open story passes")
	}
}

func TestRalphHybrid(t *testing.T) {
	dir := files(t, map[string]string{
		"spec.md": "# Profiles\n\n## Problem Statement\n\nNo one has a face.\n\n## Success Criteria\n\n- [ ] A picture is shown\n\n## Verification\n\nx\n",
		"prd.json": `{"description": "d", "createdAt": "2026-01-09T12:00:00Z", "profile": "balanced", "gates": {"final": ["e2e"]},
 "successCriteria": {"tddTests": "pytest tests/", "e2e": "just e2e", "timeout": 600},
 "userStories": [{"id": "STORY-001", "title": "Picture", "acceptanceCriteria": ["Shown"], "priority": 1, "passes": false,
   "mcpServers": ["playwright"], "model": "opus"}]}`})
	p, s := read(t, dir, "prd.json")
	if p.Title != "Profiles" || p.Problem != "No one has a face." || !cmp.Equal(p.Success, []string{"A picture is shown"}) {
		t.Errorf("title %q, problem %q, success %q", p.Title, p.Problem, p.Success)
	}
	want := "quality_checks:\n  e2e: {command: \"just e2e\", timeout_minutes: 10}\n  tddTests: {command: \"pytest tests/\", timeout_minutes: 10}\n"
	if diff := cmp.Diff(want, ChecksYAML(p.Checks)); diff != "" {
		t.Error(diff)
	}
	if s.Stories[0].Model != "opus" {
		t.Errorf("model %q", s.Stories[0].Model)
	}
	lost := strings.Join(p.Lost, "\n")
	for _, want := range []string{"mcpServers", "profile", "gates", "other sections"} {
		if !strings.Contains(lost, want) {
			t.Errorf("%s is not listed as lost:\n%s", want, lost)
		}
	}
}

func TestFixPlan(t *testing.T) {
	dir := files(t, map[string]string{".ralph/PROMPT.md": "Work.\n", ".ralph/fix_plan.md": `# Fix Plan - Notes

## High
- [x] Store a note
- [ ] List __all__ notes
  - [ ] newest first
<!-- - [ ] not yet -->

` + "```\n- [ ] an example\n```\n"})
	source, err := Find(dir, "feature-x")
	if err != nil || source != ".ralph/fix_plan.md" {
		t.Fatalf("found %q, %v", source, err)
	}
	p, s := read(t, dir, source)
	want := "STORY-001: Store a note | Store a note | Typecheck passes | Unit tests pass\nSTORY-002: List __all__ notes | newest first"
	if diff := cmp.Diff(want, outline(s)); diff != "" {
		t.Error(diff)
	}
	if !p.Stories[0].Passes || p.Stories[1].Passes || p.Title != "Notes" {
		t.Errorf("%+v", p)
	}
}

// A box with a mark of its own is open work, and is listed.
func TestMarksOfAChecklist(t *testing.T) {
	dir := files(t, map[string]string{"TODO.md": "- [~] One\n- [ ] Two\n- [X] Three\n"})
	p, _ := read(t, dir, "TODO.md")
	if p.Stories[0].Passes || p.Stories[1].Passes || !p.Stories[2].Passes {
		t.Errorf("%+v", p.Stories)
	}
	if lost := strings.Join(p.Lost, "\n"); !strings.Contains(lost, `line 1: the mark [~] of "One"`) || strings.Contains(lost, "line 2") {
		t.Error(lost)
	}
}

func TestBeads(t *testing.T) {
	dir := files(t, map[string]string{"issues.jsonl": `{"id":"b-2","title":"US-004: Read","description":"## Acceptance Criteria\n- [ ] Reads\n\n## Notes\nsee # 1","status":"open","priority":2,"issue_type":"task","dependencies":[{"depends_on_id":"b-1","type":"blocks"},{"depends_on_id":"b-0","type":"blocks"},{"depends_on_id":"b-9","type":"blocks"}]}
{"id":"b-1","title":"Write","description":"Text\n\n**Acceptance Criteria:**\n- Writes","status":"in_progress","priority":1,"issue_type":"task"}
{"id":"b-0","title":"Old","status":"closed"}
`})
	p, s := read(t, dir, "issues.jsonl")
	if diff := cmp.Diff("STORY-001: Write | Writes\nSTORY-002: Read | Reads", outline(s)); diff != "" {
		t.Error(diff)
	}
	if !cmp.Equal(s.Stories[1].DependsOn, []string{"STORY-001"}) {
		t.Errorf("depends on %q", s.Stories[1].DependsOn)
	}
	lost := strings.Join(p.Lost, "\n")
	for _, want := range []string{"1 closed issue", "b-1 is STORY-001", "STORY-002 depends on b-9, which is not in the source"} {
		if !strings.Contains(lost, want) {
			t.Errorf("%q is not listed in\n%s", want, lost)
		}
	}
	if strings.Contains(lost, "b-0") {
		t.Errorf("a closed issue is listed as missing:\n%s", lost)
	}
}

func TestChange(t *testing.T) {
	dir := files(t, map[string]string{
		"openspec/changes/add-login/proposal.md": "# Add a login\n\n## Why\n\nAnyone sees everything.\n",
		"openspec/changes/add-login/tasks.md":    "## 1. Form\n- [x] 1.1 Ask for a name\n- [x] 1.2 Ask for a password\n\n## 2. Session\n- [ ] 2.1 Remember it\n",
	})
	source, err := Find(dir, "x")
	if err != nil {
		t.Fatal(err)
	}
	p, s := read(t, dir, source)
	want := "STORY-001: Form | Ask for a name | Ask for a password\nSTORY-002: Session | Remember it"
	if diff := cmp.Diff(want, outline(s)); diff != "" {
		t.Error(diff)
	}
	if p.Title != "Add a login" || !p.Stories[0].Passes || p.Stories[1].Passes {
		t.Errorf("%+v", p)
	}
}

func TestIssues(t *testing.T) {
	bin := files(t, map[string]string{"gh": `#!/bin/sh
case "$2" in
view) printf '%s' '{"number": 12, "title": "Crash on \"save\"", "state": "OPEN", "url": "https://example.invalid/12", "body": "It crashes.\n\n- [ ] saving works\n"}' ;;
list) printf '%s' '[{"number": 2, "title": "B", "body": ""}, {"number": 1, "title": "A", "body": ""}]' ;;
esac
`})
	if err := os.Chmod(filepath.Join(bin, "gh"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	p, err := Issues(t.Context(), t.TempDir(), "#12")
	if err != nil || len(p.Stories) != 1 || p.Stories[0].ID != "GH-12" || p.Stories[0].Criteria[0] != "saving works" || p.Title != `Crash on "save"` {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err = Issues(t.Context(), t.TempDir(), "#12,12, 012"); err != nil || len(p.Stories) != 1 {
		t.Errorf("the same issue three times: %+v, %v", p, err)
	}
	if _, err = Issues(t.Context(), t.TempDir(), "label: "); err == nil || err.Error() != "label: names no label; name one: ralph import label:NAME" {
		t.Errorf("a label without a name: %v", err)
	}
	p, err = Issues(t.Context(), t.TempDir(), "label:bug")
	if err != nil || len(p.Stories) != 2 || p.Stories[0].ID != "GH-1" {
		t.Errorf("%+v, %v", p, err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err = Issues(t.Context(), t.TempDir(), "1"); err == nil || !strings.Contains(err.Error(), "gh is not installed") {
		t.Errorf("without gh: %v", err)
	}
}

// A description can hold anything that means something in spec.md.
func TestProseIsNoStructure(t *testing.T) {
	nasty := "### STORY-9: Not a story\n\n## Out of Scope\n\nSetext\n===\n\n- [ ] a box\n\n```\nopen\n## Fence"
	p := &Plan{From: "x", Problem: nasty, Stories: []Story{{ID: "A-1", Title: "One", Text: nasty, Criteria: []string{"c"}, Technical: nasty}}}
	if err := p.finish(); err != nil {
		t.Fatal(err)
	}
	text, made, err := p.Spec(time.Unix(0, 0))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(made.Stories) != 1 || len(made.Stories[0].AcceptanceCriteria) != 1 {
		t.Errorf("%+v", made.Stories)
	}
}

func TestReadRefuses(t *testing.T) {
	dir := files(t, map[string]string{
		"broken.json": "{\n  \"userStories\": [\n    {\"id\": }\n", "empty.json": `{"userStories": []}`, "words.md": "# No boxes\n",
		"page.html": "<p>", "latin.md": "- [ ] caf\xe9\n", "folder/x": "",
		"kind.json": `{"userStories": [{"id": "A-1", "title": "T", "acceptanceCriteria": "one"}]}`, "list.json": "[]",
		"issues.jsonl": `{"id": "a", "priority": "P1"}`,
	})
	for name, want := range map[string]string{
		"broken.json": "broken.json:3: ",
		"kind.json":   "kind.json:1: userStories.acceptanceCriteria: want a list, got: string",
		"list.json":   "list.json:1: the file: want an object {...}, got: array", "issues.jsonl": "issues.jsonl:1: priority: want a number, got: string", "empty.json": "no stories or tasks", "words.md": "no boxes", "page.html": "type .html",
		"latin.md": "not UTF-8", "folder": "no tasks.md, prd.json", "missing.md": "no such file",
	} {
		if _, err := Read(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	var none *NoSourceError
	if _, err := Find(t.TempDir(), "x"); !errors.As(err, &none) || len(none.Found) != 0 {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestSettings(t *testing.T) {
	dir := files(t, map[string]string{
		".ralphrc":                  "# x\nMAX_CALLS_PER_HOUR=50\nCLAUDE_TIMEOUT_MINUTES=\"${T:-20}\" # minutes\nALLOWED_TOOLS=\"Write\"\nSESSION_CONTINUITY=true\n",
		".ralph-hybrid/config.yaml": "defaults: {max_iterations: 25}\nprofiles: {a: {b: c}}\nsuccessCriteria: {command: just test}\n",
		".ralph-tui/config.toml":    "agent = \"codex\"\nmaxIterations = 0\niterationDelay = 1500\n[sandbox]\nenabled = true\n",
		"ralph.yml":                 "event_loop: {completion_promise: LOOP_COMPLETE, idle_timeout_secs: 90}\ncli: {backend: kiro}\n",
	})
	for name, want := range map[string]string{
		".ralphrc":                  "defaults:\n  timeout_minutes: 20\n  rate_limit_per_hour: 50\n",
		".ralph-hybrid/config.yaml": "defaults:\n  max_iterations: 25\nquality_checks:\n  tests: \"just test\"\n",
		".ralph-tui/config.toml":    "defaults:\n  pause_seconds: 1.5\nharness: codex\n",
		"ralph.yml":                 "completion:\n  promise: \"<promise>LOOP_COMPLETE</promise>\"\ndefaults:\n  idle_timeout_minutes: 1.5\n",
	} {
		s, err := ReadSettings(filepath.Join(dir, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_, got, _ := strings.Cut(s.YAML(), "\n")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		if len(s.Lost) == 0 {
			t.Errorf("%s: nothing is listed as lost", name)
		}
	}
	if foreignTool([]string{"defaults", "profiles"}) != "ralph-hybrid" || foreignTool([]string{"defaults"}) != "" {
		t.Error("a foreign config.yaml is not recognised by its keys")
	}
}

// A value that ralph's settings cannot have would make a config.yaml that stops every command.
func TestSettingsFit(t *testing.T) {
	dir := files(t, map[string]string{
		".ralphrc": "MAX_CALLS_PER_HOUR=lots\nCLAUDE_TIMEOUT_MINUTES={x\nCB_SAME_ERROR_THRESHOLD=1.5\nCB_NO_PROGRESS_THRESHOLD=4\n"})
	s, err := ReadSettings(filepath.Join(dir, ".ralphrc"))
	if err != nil {
		t.Fatal(err)
	}
	if _, got, _ := strings.Cut(s.YAML(), "\n"); got != "circuit_breaker:\n  no_progress_threshold: 4\n" || len(s.Lost) != 3 ||
		s.Lost[0] != "CB_SAME_ERROR_THRESHOLD: circuit_breaker.same_error_threshold: want a whole number, got 1.5" {
		t.Errorf("%s\nlost %q", got, s.Lost)
	}
}

func TestNamesOfChecksAreYAML(t *testing.T) {
	got := ChecksYAML([]ForeignCheck{{Name: "a: b", Command: "true"}})
	if want := "quality_checks:\n  \"a: b\": \"true\"\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestStoriesWithoutATitle(t *testing.T) {
	dir := files(t, map[string]string{"prd.json": `{"userStories": [
 {"id": "A-1", "acceptanceCriteria": ["x"]}, {"id": "A-2", "title": "A-2:", "description": "Show it.", "acceptanceCriteria": ["x"]}]}`})
	p, s := read(t, dir, "prd.json")
	if diff := cmp.Diff("A-1: A-1 | x\nA-2: Show it | x", outline(s)); diff != "" || len(p.Lost) != 2 {
		t.Errorf("%s\nlost %q", diff, p.Lost)
	}
}

// Two sections of a change with the same words are two stories.
func TestGroupsWithTheSameName(t *testing.T) {
	p := readGroups("tasks.md", "## 1. Form\n- [x] 1.1 Ask\n## 2. Form\n- [ ] 2.1 Check\n")
	if len(p.Stories) != 2 || !p.Stories[0].Passes || p.Stories[1].Passes {
		t.Errorf("%+v", p.Stories)
	}
}
