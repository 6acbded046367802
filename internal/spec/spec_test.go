package spec_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/spec"
)

const valid = `---
created: 2026-01-15T10:30:00Z
---

# User Authentication

## Problem Statement

Visitors cannot sign in,
so nobody sees their own data.

Second paragraph.

## Success Criteria

- [ ] A visitor can sign in

## User Stories

### STORY-001: Sign-in form

**As a** visitor
**I want to** sign in
**So that** I see my data.

**Acceptance Criteria:**

- [ ] The form has a name and a password
- [x] Typecheck passes
- [ ] Unit tests pass

**Technical Notes:**

- Use the session store
- Depends on nothing

### STORY-002: Sign out

**As a** user, **I want to** sign out, **so that** nobody else goes on.

**Priority:** 7

**Acceptance Criteria:**
- [ ] The button is there
- [ ] Unit tests pass

**Technical Notes:** Depends on STORY-001 and US-7. Not on STORY-9.

## Out of Scope

- Passkeys
`

func parse(t testing.TB, text string) (*spec.Spec, []string) {
	t.Helper()
	s, findings, err := spec.Parse("spec.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s, said(findings)
}

func said(findings []spec.Problem) []string {
	var lines []string
	for _, f := range findings {
		kind := "error "
		if f.Warning {
			kind = "warning "
		}
		lines = append(lines, kind+f.String())
	}
	return lines
}

func criteria(s spec.Story) []string {
	var texts []string
	for _, c := range s.Criteria {
		texts = append(texts, c.Text)
	}
	return texts
}

func TestParse(t *testing.T) {
	for name, text := range map[string]string{
		"as written":      valid,
		"CRLF":            strings.ReplaceAll(valid, "\n", "\r\n"),
		"byte order mark": "\ufeff" + valid,
		"old Mac":         strings.ReplaceAll(valid, "\n", "\r"),
		"tabs":            strings.NewReplacer("- ", "-\t", "] ", "]\t", "# ", "#\t").Replace(valid),
		"blanks too wide": strings.NewReplacer("] ", "]\u00a0", "# ", "#   ").Replace(valid),
	} {
		t.Run(name, func(t *testing.T) {
			s, findings := parse(t, text)
			if len(findings) > 0 {
				t.Errorf("findings = %q", findings)
			}
			if s.Title != "User Authentication" || s.Created != "2026-01-15T10:30:00Z" || s.Problem != "Visitors cannot sign in, so nobody sees their own data." {
				t.Errorf("title %q, created %q, problem %q", s.Title, s.Created, s.Problem)
			}
			if !s.HasSection("success criteria") || !s.HasSection("Out of Scope") || s.HasSection("Open Questions") {
				t.Errorf("sections = %+v", s.Sections)
			}
			if len(s.Stories) != 2 {
				t.Fatalf("stories = %+v", s.Stories)
			}
			one, two := s.Stories[0], s.Stories[1]
			if one.Line != 20 || one.Criteria[1].Line != 29 || one.Priority != nil || two.Priority == nil || *two.Priority != 7 {
				t.Errorf("lines %d, %d, priorities %v, %v", one.Line, one.Criteria[1].Line, one.Priority, two.Priority)
			}
			if diff := cmp.Diff([]string{"The form has a name and a password", "Typecheck passes", "Unit tests pass"}, criteria(one)); diff != "" {
				t.Error(diff)
			}
			if want := "As a visitor, I want to sign in, so that I see my data."; one.Description != want {
				t.Errorf("description = %q, want %q", one.Description, want)
			}
			if want := "As a user, I want to sign out, so that nobody else goes on."; two.Description != want {
				t.Errorf("description = %q, want %q", two.Description, want)
			}
			if !cmp.Equal(two.Mentions, []string{"STORY-001", "US-7"}) || two.DependsOn != nil {
				t.Errorf("mentions %q, depends on %q", two.Mentions, two.DependsOn)
			}
		})
	}
}

// withStory is a spec around the text of one or more stories; its line 6 is
// the first of the text.
func withStory(text string) string {
	return "---\ncreated: 2026-01-15\n---\n# T\n\n" + text
}

func TestStoryHeadings(t *testing.T) {
	const list = "\n\n**Acceptance Criteria:**\n- a\n"
	tests := map[string]struct{ heading, id, title string }{
		"level 2":            {"## STORY-1: Title", "STORY-1", "Title"},
		"level 4":            {"#### STORY-1: Title", "STORY-1", "Title"},
		"closing marks":      {"### STORY-1: Title ###", "STORY-1", "Title"},
		"underlined":         {"STORY-1: Title\n---", "STORY-1", "Title"},
		"other prefix":       {"### US-7: Title", "US-7", "Title"},
		"part of a story":    {"### STORY-002.1: Title", "STORY-002.1", "Title"},
		"long prefix":        {"### AUTH-API-3b: Title", "AUTH-API-3b", "Title"},
		"bold":               {"### **STORY-1: Title**", "STORY-1", "Title"},
		"bold id":            {"### **STORY-1**: Title", "STORY-1", "Title"},
		"bold with colon":    {"### **STORY-1:** Title", "STORY-1", "Title"},
		"italic":             {"### _STORY-1_: *Title*", "STORY-1", "*Title*"},
		"hyphen":             {"### STORY-1 - Title", "STORY-1", "Title"},
		"en dash":            {"### STORY-1 – Title", "STORY-1", "Title"},
		"em dash, no blank":  {"### STORY-1—Title", "STORY-1", "Title"},
		"blank and colon":    {"### STORY-1 : Title", "STORY-1", "Title"},
		"tab":                {"###\tSTORY-1:\tTitle  here", "STORY-1", "Title here"},
		"box":                {"### [x] STORY-1: Title", "STORY-1", "Title"},
		"code":               {"### STORY-1: Run `a_b_c`", "STORY-1", "Run `a_b_c`"},
		"link":               {"### [STORY-1](https://example.com): Title", "STORY-1", "Title"},
		"comment":            {"### STORY-1: Title <!-- later -->", "STORY-1", "Title"},
		"tags that format":   {"### <b>STORY-1</b>: Title<br/>", "STORY-1", "Title<br/>"},
		"tags as words":      {"### STORY-1: Add <Button> and List<T> to `<ul>`", "STORY-1", "Add <Button> and List<T> to `<ul>`"},
		"underscores":        {"### STORY-1: Call __init__ once", "STORY-1", "Call __init__ once"},
		"a tag that formats": {"### **STORY-1**: Use <b> tags", "STORY-1", "Use <b> tags"},
		"all of it bold":     {"### **STORY-1: Use *one* tag**", "STORY-1", "Use *one* tag"},
		"escaped":            {"### STORY-1: Count \\* and _", "STORY-1", "Count \\* and _"},
		"id without number":  {"### STORY-LOGIN: Title", "STORY-LOGIN", "Title"},
		"its id bold":        {"### **US-SIGN-IN** - Title", "US-SIGN-IN", "Title"},
		"colon in it":        {"### STORY-1: Title: more", "STORY-1", "Title: more"},
		"in brackets":        {"### [STORY-1] Title", "STORY-1", "Title"},
		"brackets, colon":    {"### [STORY-1]: Title", "STORY-1", "Title"},
		"all in brackets":    {"### [STORY-1: Title] (P1)", "STORY-1", "Title (P1)"},
		"id as code":         {"### `STORY-1`: Title", "STORY-1", "Title"},
		"all as code":        {"### `STORY-1: Title`", "STORY-1", "Title"},
		"bold code":          {"### **`STORY-1`** Title", "STORY-1", "Title"},
		"round brackets":     {"### (STORY-1) Title", "STORY-1", "Title"},
		"partly struck":      {"### STORY-1: ~~Old~~ new ~~title~~", "STORY-1", "~~Old~~ new ~~title~~"},
		"not ASCII":          {"### STORY-1: Anmeldung für Gäste", "STORY-1", "Anmeldung für Gäste"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, findings := parse(t, withStory(tt.heading+list))
			if len(findings) > 0 || len(s.Stories) != 1 {
				t.Fatalf("stories = %+v, findings = %q", s.Stories, findings)
			}
			if got := s.Stories[0]; got.ID != tt.id || got.Title != tt.title || got.Line != 6 {
				t.Errorf("got %q %q in line %d", got.ID, got.Title, got.Line)
			}
		})
	}
}

func TestCriteria(t *testing.T) {
	tests := map[string]struct {
		text string
		want []string
	}{
		"boxes":               {"**Acceptance Criteria:**\n- [ ] a\n- [x] b\n- [X] c\n- [] d", []string{"a", "b", "c", "d"}},
		"boxes without blank": {"**Acceptance Criteria:**\n- [ ]a\n- [x]`b`\n- [x](https://example.com) is no box", []string{"a", "`b`", "[x](https://example.com) is no box"}},
		"boxes and tabs":      {"**Acceptance Criteria:**\n-\t[ ]\ta\n- [x]\u00a0b", []string{"a", "b"}},
		"no boxes":            {"**Acceptance Criteria:**\n* a\n* b", []string{"a", "b"}},
		"numbers":             {"**Acceptance Criteria**\n\n1. a\n2) b", []string{"a", "b"}},
		"a heading":           {"#### Acceptance Criteria\n- a", []string{"a"}},
		"a heading as high":   {"### Acceptance criteria:\n- a", []string{"a"}},
		"plain":               {"Acceptance Criteria:\n- a", []string{"a"}},
		"plain, no colon":     {"Acceptance Criteria\n- a", []string{"a"}},
		"plain, apart":        {"Acceptance criteria\n\n- a", []string{"a"}},
		"in prose":            {"Acceptance criteria are below\n- b\n\nAcceptance Criteria\n- a", []string{"a"}},
		"colon outside":       {"**Acceptance Criteria**:\n- a", []string{"a"}},
		"underscores":         {"__Acceptance Criteria:__\n- a", []string{"a"}},
		"in a list":           {"- **As a** user\n- **Acceptance Criteria:**\n  - a\n  - b\n- **Technical Notes:** none", []string{"a", "b"}},
		"nested":              {"**Acceptance Criteria:**\n- a\n  - [ ] a1\n    - a2\n- b", []string{"a", "a1", "a2", "b"}},
		"tabs":                {"**Acceptance Criteria:**\n-\ta\n\t- a1", []string{"a", "a1"}},
		"several lines":       {"**Acceptance Criteria:**\n- a\n  and   more\n- b", []string{"a and more", "b"}},
		"loose":               {"**Acceptance Criteria:**\n\n- a\n\n- b\n\n- c", []string{"a", "b", "c"}},
		"words as they are":   {"**Acceptance Criteria:**\n- `x < 1` & **bold**\n- Notes: are kept", []string{"`x < 1` & **bold**", "Notes: are kept"}},
		"code between":        {"**Acceptance Criteria:**\n- a\n\n```\n- no\n### STORY-2: no\n```\n\n- b", []string{"a", "b"}},
		"comment between":     {"**Acceptance Criteria:**\n- a\n\n<!--\n- no\n### STORY-2: no\n-->\n\n- b", []string{"a", "b"}},
		"quote between":       {"**Acceptance Criteria:**\n- a\n\n> - no\n> ### STORY-2: no\n\n- b", []string{"a", "b"}},
		"another label ends":  {"**Acceptance Criteria:**\n- a\n\n**Files:**\n- no", []string{"a"}},
		"a list before":       {"- no\n\n**Acceptance Criteria:**\n- a", []string{"a"}},
		"introduced":          {"**Acceptance Criteria:**\n\nAll of these:\n\n- a", []string{"a"}},
		"notes in a heading":  {"**Acceptance Criteria:**\n- a\n\n#### Technical Notes\n- no", []string{"a"}},
		"a suffix":            {"**Acceptance Criteria (extra):**\n- a", []string{"a"}},
		"a suffix, plain":     {"Acceptance Criteria (extra):\n- a", []string{"a"}},
		"a suffix, heading":   {"#### Acceptance Criteria for admins\n- a", []string{"a"}},
		"two lists":           {"**Acceptance Criteria:**\n- a\n\n**Acceptance Criteria - extra:**\n- b", []string{"a", "b"}},
		"no blank line":       {"**Acceptance Criteria:**\n- a\n**Technical Notes:**\n- no", []string{"a"}},
		"no blank line, text": {"**Acceptance Criteria:**\n- a\nand more\n**Files:** no\n- no", []string{"a and more"}},
		"a quote in an item":  {"**Acceptance Criteria:**\n- a\n  > - no\n- b", []string{"a", "b"}},
		"emphasis in a label": {"***Acceptance Criteria:***\n- a", []string{"a"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, findings := parse(t, withStory("### STORY-1: Title\n\n"+tt.text+"\n"))
			if len(findings) > 0 || len(s.Stories) != 1 {
				t.Fatalf("stories = %+v, findings = %q", s.Stories, findings)
			}
			if diff := cmp.Diff(tt.want, criteria(s.Stories[0])); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDescription(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"lines":         {"**As a** user\n**I want to** x\n**So that** y", "As a user, I want to x, so that y."},
		"paragraphs":    {"**As an** admin,\n\n**I want** x_y_z.\n\n**So that**\ny goes *on*", "As an admin, I want x_y_z, so that y goes *on*."},
		"with colons":   {"**As a:** user\n**I want to:** x", "As a user, I want to x."},
		"not in bold":   {"As a user, I want to x\nso that y.", "As a user, I want to x so that y."},
		"list":          {"- **As a** user\n- **I want to** x", "As a user, I want to x."},
		"nothing of it": {"", ""},
		"quoted":        {"> **As a** user\n\nText", "Text"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, _ := parse(t, withStory("### STORY-1: Title\n\n"+tt.text+"\n\n**Acceptance Criteria:**\n- a\n"))
			if got := s.Stories[0].Description; got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// TestPiecesDoNotShow reads a file that is parsed in several pieces, with code
// and comments that hold headings across their borders.
func TestPiecesDoNotShow(t *testing.T) {
	var b strings.Builder
	b.WriteString(withStory(""))
	fill := strings.Repeat("some text to fill the piece\n", 100)
	want := 0
	for range 40 {
		want++
		b.WriteString("### STORY-" + strings.Repeat("1", want) + ": t\n\n**Acceptance Criteria:**\n- a\n\n**Technical Notes:**\n\n" + fill)
		b.WriteString("\n```\n" + fill + "### STORY-2: code\n" + fill + "```\n")
		b.WriteString("\n<!--\n" + fill + "\n### STORY-3: comment\n" + fill + "-->\n\n")
	}
	s, findings := parse(t, b.String())
	if len(findings) > 0 || len(s.Stories) != want {
		t.Errorf("%d stories, want %d, findings %q", len(s.Stories), want, findings)
	}
	for _, story := range s.Stories {
		line := strings.Split(b.String(), "\n")[story.Line-1]
		if line != "### "+story.ID+": t" || len(story.Criteria) != 1 {
			t.Errorf("%s: line %d is %q", story.ID, story.Line, line)
		}
	}
}

// Ids without a number are those of stories where stories are expected.
func TestIDsWithoutANumber(t *testing.T) {
	const list = "\n\n**Acceptance Criteria:**\n- a\n\n"
	s, findings := parse(t, withStory("## READ-ONLY: mode\n\ntext\n\n## User Stories\n\n### AUTH-LOGIN: One"+list+"### CI-CD: the pipeline\n\ntext\n"))
	if len(s.Stories) != 1 || s.Stories[0].ID != "AUTH-LOGIN" || !s.HasSection("READ-ONLY: mode") {
		t.Errorf("stories = %+v, sections = %+v", s.Stories, s.Sections)
	}
	if diff := cmp.Diff([]string{"warning spec.md:17: CI-CD has no acceptance criteria and is not taken for a story"}, findings); diff != "" {
		t.Error(diff)
	}
}

func TestDependenciesAndModel(t *testing.T) {
	for name, tt := range map[string]struct {
		text  string
		needs []string
		model string
	}{
		"labels":         {"**Depends on:** STORY-2, STORY-LOGIN and `US-7`.\n**Model:** opus", []string{"STORY-2", "STORY-LOGIN", "US-7"}, "opus"},
		"in a list":      {"- **Depends on:** STORY-2\n- **Model:** `claude-opus-4-5[1m]`", []string{"STORY-2"}, "claude-opus-4-5[1m]"},
		"list below":     {"**Dependencies:**\n- STORY-2\n- STORY-3", []string{"STORY-2", "STORY-3"}, ""},
		"itself":         {"**Depends on:** STORY-1", []string{"STORY-1"}, ""},
		"none":           {"**Depends on:** none", nil, ""},
		"other models":   {"**Model:** Add a User model\n\nModel: x", nil, ""},
		"below criteria": {"**Acceptance Criteria:**\n- b\n- **Model:** opus\n- **Depends on:** STORY-2", []string{"STORY-2"}, "opus"},
	} {
		t.Run(name, func(t *testing.T) {
			s, findings := parse(t, withStory("### STORY-1: Title\n\n"+tt.text+"\n\n**Acceptance Criteria (all):**\n- a\n"))
			if got := s.Stories[0]; len(findings) > 0 || !cmp.Equal(got.DependsOn, tt.needs) || got.Model != tt.model {
				t.Errorf("depends on %q, model %q, findings %q", got.DependsOn, got.Model, findings)
			}
		})
	}
}
