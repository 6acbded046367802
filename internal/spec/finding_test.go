package spec_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/prd"
	"ralph/internal/spec"
)

// good is a whole story; it has 5 lines.
const good = "### STORY-1: Title\n\n**Acceptance Criteria:**\n- a\n\n"

func TestNothingThatLooksLikeAStoryIsSkipped(t *testing.T) {
	tests := map[string]struct {
		text string // from line 11
		want []string
	}{
		"no colon":        {"### STORY-3 no colon", []string{`error spec.md:11: "STORY-3 no colon" looks like a story, but no colon or dash follows the id`}},
		"hyphen too near": {"### STORY-3-title", []string{`error spec.md:11: "STORY-3-title" looks like a story, but its id is not of the form STORY-001`}},
		"no title":        {"### STORY-3:", []string{"error spec.md:11: story STORY-3 has no title"}},
		"id alone":        {"### STORY-3", []string{`error spec.md:11: "STORY-3" looks like a story, but no colon or dash follows the id`}},
		"in brackets":     {"### STORY-3 (P1): Title", []string{`error spec.md:11: "STORY-3 (P1): Title" looks like a story, but no colon or dash follows the id`}},
		"id twice":        {good, []string{"error spec.md:11: the id STORY-1 is taken by the story in line 6"}},
		"level 1":         {"# STORY-3: Title", []string{`error spec.md:11: "STORY-3: Title" looks like a story, but is not a heading of level 2 to 4`}},
		"level 5":         {"##### STORY-3: Title", []string{`error spec.md:11: "STORY-3: Title" looks like a story, but is not a heading of level 2 to 4`}},
		"small letters":   {"### story-3: Title", []string{`error spec.md:11: "story-3: Title" looks like a story, but its id is not in capitals`}},
		"no hyphen":       {"### STORY 3: Title", []string{`error spec.md:11: "STORY 3: Title" looks like a story, but its id is not of the form STORY-001`}},
		"user story":      {"### User Story #3 - Title", []string{`error spec.md:11: "User Story #3 - Title" looks like a story, but its id is not of the form STORY-001`}},
		"numbered":        {"### 1. STORY-3: Title", []string{`error spec.md:11: "1. STORY-3: Title" looks like a story, but does not begin with its id`}},
		"emoji":           {"### ✅ STORY-3 – Title", []string{`error spec.md:11: "✅ STORY-3 – Title" looks like a story, but does not begin with its id`}},
		"bold line":       {"**STORY-3: Title**\n", []string{`error spec.md:11: "STORY-3: Title" looks like a story, but is not a heading of level 2 to 4`}},
		"empty criterion": {"### STORY-3: Title\n\n**Acceptance Criteria:**\n- a\n- [ ]\n", []string{"warning spec.md:15: an acceptance criterion of STORY-3 is empty"}},
		"odd priority":    {"### STORY-3: Title\n\n**Priority:** high\n\n**Acceptance Criteria:**\n- a\n", []string{"warning spec.md:13: the priority of STORY-3 is not a number"}},
		"a standard":      {"### UTF-8: names\n\ntext", []string{"warning spec.md:11: UTF-8 has no acceptance criteria and is not taken for a story"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, findings := parse(t, withStory(good+tt.text))
			if diff := cmp.Diff(tt.want, findings); diff != "" {
				t.Error(diff)
			}
			_, _, err := spec.Generate(s, nil, spec.Options{})
			if strings.HasPrefix(tt.want[0], "error") != (err != nil) {
				t.Errorf("Generate: %v", err)
			}
		})
	}
}

// TestNoStoryIsLost holds what people and agents write where a story was meant,
// between two stories that are as they should be.
func TestNoStoryIsLost(t *testing.T) {
	const list = "\n\n**Acceptance Criteria:**\n- b\n\n"
	tests := map[string]struct {
		text string // from line 15
		want []string
	}{
		"struck through":          {"### ~~STORY-2: Two~~" + list, []string{`error spec.md:15: "~~STORY-2: Two~~" looks like a story, but is struck through`}},
		"id struck through":       {"### ~~STORY-2~~: Two" + list, []string{`error spec.md:15: "~~STORY-2~~: Two" looks like a story, but is struck through`}},
		"title struck through":    {"### STORY-2: ~~Two~~" + list, []string{`error spec.md:15: "STORY-2: ~~Two~~" looks like a story, but is struck through`}},
		"a number for the id":     {"### 2: Two" + list, []string{`error spec.md:15: "2: Two" looks like a story, but has no id`}},
		"no id":                   {"### Two" + list, []string{`error spec.md:15: "Two" looks like a story, but has no id`}},
		"no id, criteria below":   {"### Two\n\n#### Acceptance Criteria\n- b\n", []string{`error spec.md:15: "Two" looks like a story, but has no id`}},
		"no id, criteria in list": {"### Two\n\n- **Acceptance Criteria:**\n  - b\n", []string{`error spec.md:15: "Two" looks like a story, but has no id`}},
		"no id, only told":        {"### Two\n\n**As a** user\n", []string{`error spec.md:15: "Two" looks like a story, but has no id`}},
		"no id, no criteria":      {"### Two\n\ntext\n", []string{`warning spec.md:15: "Two" is among the stories, but has no id and is not read as one`}},
		"no id, another section":  {"## Two" + list, []string{`warning spec.md:15: "Two" looks like a story, but has no id`}},
		"small id in brackets":    {"### [story-2] Two" + list, []string{`error spec.md:15: "[story-2] Two" looks like a story, but its id is not in capitals`}},
		"brackets in brackets":    {"### [(STORY-2)] Two" + list, []string{`error spec.md:15: "[(STORY-2)] Two" looks like a story, but does not begin with its id`}},
		"unknown kind of id":      {"### TASK-2 Two" + list, []string{`error spec.md:15: "TASK-2 Two" looks like a story, but no colon or dash follows the id`}},
		"no blank":                {"###STORY-2: Two" + list, []string{`error spec.md:15: "###STORY-2: Two" looks like a story, but no blank follows the #`}},
		"too many marks":          {"####### STORY-2: Two" + list, []string{`error spec.md:15: "####### STORY-2: Two" looks like a story, but has 7 # where a heading has at most 6`}},
		"no blank in a paragraph": {"Text\n###STORY-2: Two" + list, []string{`warning spec.md:15: "Text" is among the acceptance criteria of STORY-1, but is not read as one`, `error spec.md:16: "###STORY-2: Two" looks like a story, but no blank follows the #`}},
		"indented":                {"**Notes:**\n\n    ### STORY-2: Two" + list, []string{`error spec.md:17: "### STORY-2: Two" looks like a story, but is indented like code`}},
		"indented in a paragraph": {"**Notes:** x\n    ### STORY-2: Two" + list, []string{`error spec.md:16: "### STORY-2: Two" looks like a story, but is indented too far`}},
		"indented below a list":   {"    ### STORY-2: Two" + list, []string{`error spec.md:15: "STORY-2: Two" looks like a story, but is inside a list item`}},
		"an item":                 {"- ### STORY-2: Two" + list, []string{`error spec.md:15: "STORY-2: Two" looks like a story, but is inside a list item`}},
		"heading quoted":          {"> ### STORY-2: Two" + list, []string{`error spec.md:17: STORY-1 has a second list of acceptance criteria: the heading of a story seems to be missing in front of it`}},
		"heading lost":            {"**As a** user" + list, []string{`error spec.md:15: STORY-1 has a second list of acceptance criteria: the heading of a story seems to be missing in front of it`}},
		"heading lost, all told":  {"**As a** user\n", []string{`warning spec.md:15: STORY-1 has a second "As a": the heading of a story seems to be missing in front of it`}},
		"in HTML":                 {"<div>\n### STORY-2: Two" + list, []string{`error spec.md:16: STORY-2 looks like a story, but is inside a block of HTML`}},
		"swallowed by a comment":  {"<!-- later\n### STORY-2: Two" + list + "<!-- done -->\n\n", []string{`error spec.md:15: the comment that starts here is not closed where it should be: it swallows STORY-2 in line 16`}},
		"swallowed by code":       {"~~~\nx\n\n### STORY-2: Two" + list + "~~~\n\n### STORY-4: Four" + list + "~~~\n", []string{`error spec.md:15: the code block that starts here is not closed where it should be: it swallows STORY-2 in line 18`, `error spec.md:30: the code block that starts here is never closed: it swallows STORY-3 in line 32`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, findings := parse(t, withStory("## User Stories\n\n### STORY-1: One\n\n**As a** user"+list+tt.text+"\n### STORY-3: Three"+list))
			if diff := cmp.Diff(tt.want, findings); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBlocksThatAreNeverClosed(t *testing.T) {
	tests := map[string]struct {
		text string // from line 11
		want []string
	}{
		"code":                   {"```\n### STORY-2: Two\n", []string{"error spec.md:11: the code block that starts here is never closed: it swallows STORY-2 in line 12"}},
		"code of another length": {"````go\nx\n```\n\n### STORY-2: Two\n\n~~~~~", []string{"error spec.md:11: the code block that starts here is never closed: it swallows STORY-2 in line 15"}},
		"comment":                {"<!-- x\n\n### STORY-2: Two\n\n", []string{"error spec.md:11: the comment that starts here is never closed: it swallows STORY-2 in line 13"}},
		"raw text":               {"<pre>\n### STORY-2: Two\n\n", []string{"error spec.md:11: the HTML block that starts here is never closed: it swallows STORY-2 in line 12"}},
		"code with criteria":     {"```\n- [ ] b\n", []string{"error spec.md:11: the code block that starts here is never closed: what follows is not read"}},
		"code with little in it": {"```\nmake test\n", []string{"warning spec.md:11: the code block that starts here is never closed: what follows is not read"}},
		"code at the very end":   {"```", []string{"warning spec.md:11: the code block that starts here is never closed: what follows is not read"}},
		"code that is closed":    {"```\n### STORY-2: Two\n```", nil},
		"code with one line":     {"```\n```\n\n", nil},
		"comment that is closed": {"<!-- x\n### STORY-2: Two\n-->", nil},
		"comment in one line":    {"<!-- ### STORY-2: Two -->", nil},
		"other ids":              {"```\n# UTF-8: names\n", []string{"warning spec.md:11: the code block that starts here is never closed: what follows is not read"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, findings := parse(t, withStory(good+tt.text))
			if diff := cmp.Diff(tt.want, findings); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhatIsNoCriterionIsReported(t *testing.T) {
	const hidden = " is among the acceptance criteria of STORY-1, but is not read as one"
	tests := map[string]struct {
		text string // from line 10, directly below the only criterion
		want []string
	}{
		"a sentence":           {"\nIt is fast.\nIt is.\n", []string{`warning spec.md:11: "It is fast."` + hidden}},
		"two of them":          {"\nIt is fast.\n\nIt is.\n", []string{`warning spec.md:11: "It is fast."` + hidden, `warning spec.md:13: "It is."` + hidden}},
		"a table":              {"\n| a | b |\n|---|---|\n| 1 | 2 |\n", []string{`warning spec.md:11: "| a | b |"` + hidden}},
		"behind the label":     {"\n**Acceptance Criteria (more):** it is fast\n- b\n", []string{`warning spec.md:11: "it is fast"` + hidden}},
		"a list in code":       {"\n**Acceptance Criteria (more):**\n\n    - b\n", []string{`warning spec.md:13: "- b"` + hidden}},
		"below an item":        {"\n  It is fast.\n", []string{`warning spec.md:11: "It is fast."` + hidden}},
		"what introduces some": {"\nAnd\nthese:\n\n- b\n", nil},
		"a quote":              {"\n> - It is fast.\n", nil},
		"other labels":         {"\n**Technical Notes:** none\n\nIt is fast.\n", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, findings := parse(t, withStory(strings.TrimSuffix(good, "\n")+tt.text))
			if diff := cmp.Diff(tt.want, findings); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhatOnlyMentionsAStoryIsNone(t *testing.T) {
	for name, text := range map[string]string{
		"heading about one":   "## Notes on STORY-1",
		"bold reference":      "**STORY-1**: see above",
		"bold line about one": "**STORY-1: Title**",
		"standard":            "### ISO-8601 dates",
		"phase":               "### Phase-2: later",
		"history":             "## A short history of US 1990 law",
		"code":                "```\n### STORY-3 no colon\n```",
		"indented code":       "    ### Notes on STORY-3",
		"quote":               "> ### STORY-3 no colon",
		"comment":             "<!-- ### STORY-3 no colon -->",
		"escaped":             `\### STORY-3 no colon`,
		"at a line's start":   "#STORY-1 comes first",
		"struck in a title":   "### STORY-1 is ~~not~~ done",
	} {
		t.Run(name, func(t *testing.T) {
			s, findings := parse(t, withStory(good+"**Technical Notes:**\n\n"+text+"\n"))
			if len(findings) > 0 || len(s.Stories) != 1 {
				t.Errorf("stories = %+v, findings = %q", s.Stories, findings)
			}
		})
	}
}

func TestFrontMatter(t *testing.T) {
	tests := map[string]struct {
		head    string
		created string
		want    []string
	}{
		"time":         {"---\ncreated: 2026-01-15T10:30:00+02:00\n---\n", "2026-01-15T10:30:00+02:00", nil},
		"quoted":       {"---\ntitle: x\ncreated: \"2026-01-15\"\n---\n", "2026-01-15", nil},
		"none":         {"", "", []string{"warning spec.md:1: no front matter with the time of creation"}},
		"not ended":    {"---\ncreated: 2026-01-15\n", "", []string{"warning spec.md:1: no front matter with the time of creation"}},
		"without it":   {"---\ntitle: x\n---\n", "", []string{`warning spec.md:1: the front matter has no "created"`}},
		"empty":        {"---\n---\n", "", []string{`warning spec.md:1: the front matter has no "created"`}},
		"not a time":   {"---\ntitle: x\ncreated: today\n---\n", "", []string{"warning spec.md:3: created is not an ISO-8601 time, such as 2026-01-15T10:30:00Z"}},
		"not YAML":     {"---\na: b: c\n---\n", "", []string{"warning spec.md:1: the front matter cannot be read: yaml: mapping values are not allowed in this context"}},
		"not a scalar": {"---\ncreated: [1]\n---\n", "", []string{`warning spec.md:1: the front matter has no "created"`}},
		"much of it":   {"---\n" + strings.Repeat("x: y\n", 20000) + "---\n", "", []string{"error spec.md:1: the front matter is too long"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, findings := parse(t, tt.head+"\n"+good)
			if s.Created != tt.created || len(s.Stories) != 1 {
				t.Errorf("created = %q, %d stories", s.Created, len(s.Stories))
			}
			if diff := cmp.Diff(tt.want, findings); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSpecWithoutStories(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "error spec.md: there is no story in it",
		"### STORY-1 One\n\n- a\n":   `error spec.md:8: "STORY-1 One" looks like a story, but no colon or dash follows the id`,
		"<!--\n\n### STORY-1: One\n": "error spec.md:8: the comment that starts here is never closed: it swallows STORY-1 in line 10",
	} {
		s, findings := parse(t, withStory("## User Stories\n\n"+text))
		if diff := cmp.Diff([]string{want}, findings); diff != "" {
			t.Error(diff)
		}
		if _, _, err := spec.Generate(s, nil, spec.Options{}); err == nil {
			t.Errorf("%q: a plan without a story", text)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"not UTF-8":     {"# T\n\nf\xfcr", "spec.md:3: the file is not valid UTF-8"},
		"deep quotes":   {"# T\n" + strings.Repeat("> ", 500) + "x", "spec.md:2: the line is indented or nested too deeply"},
		"deep lists":    {strings.Repeat("- ", 500) + "x", "spec.md:1: the line is indented or nested too deeply"},
		"fifty million": {strings.Repeat("x\n", 25_000_000), "spec.md: larger than 16 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := spec.Parse("spec.md", []byte(tt.text))
			invalid := (*prd.InvalidError)(nil)
			if !errors.As(err, &invalid) || err.Error() != tt.want {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestLoadRefusesWhatIsNoPlainFile(t *testing.T) {
	dir := t.TempDir()
	fifo, large := filepath.Join(dir, "fifo"), filepath.Join(dir, "large")
	if err := errors.Join(syscall.Mkfifo(fifo, 0o644), os.WriteFile(large, nil, 0o644), os.Truncate(large, 50<<20)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:   " is a directory, not a file",
		fifo:  " is not a regular file",
		large: " is larger than 16 MB",
	} {
		if _, _, err := spec.Load(path); err == nil || err.Error() != path+want {
			t.Errorf("error = %v, want %q", err, path+want)
		}
	}
}
