package importer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"ralph/internal/prd"
	"ralph/internal/spec"
	"ralph/internal/words"
)

// storyID is the form of an id that every version of spec.md can hold.
var storyID = regexp.MustCompile(`^[A-Z][A-Z0-9]*-[0-9]+(\.[0-9]+)*$`)

// narrative matches "As a ..., I want ... so that ..." in one sentence.
var narrative = regexp.MustCompile(`(?is)^as (an? .+?),? i (?:want|need)(?: to)? (.+?)(?:,? so (?:that )?(.+?))?\.?$`)

// Spec converts the plan to a spec.md and the matching prd.json. It parses the new spec.md as
// a test. The error names the first story that the file cannot represent.
func (p *Plan) Spec(now time.Time) ([]byte, *prd.PRD, error) {
	text := []byte(p.markdown(now))
	s, _, err := spec.Parse("spec.md", text)
	if err != nil {
		return nil, nil, err
	}
	if err := p.compare(s); err != nil {
		return nil, nil, err
	}
	old, err := p.marks(now)
	if err != nil {
		return nil, nil, err
	}
	made, _, err := spec.Generate(s, old, spec.Options{Now: now})
	return text, made, err
}

// compare returns an error where the spec does not hold the stories of the plan.
func (p *Plan) compare(s *spec.Spec) error {
	for i, want := range p.Stories {
		var got spec.Story
		if i < len(s.Stories) {
			got = s.Stories[i]
		}
		same := got.ID == want.ID && oneLine(got.Title) == want.Title && len(got.Criteria) == len(want.Criteria)
		if !same {
			return fmt.Errorf("%s: the story %s (%s) cannot be written to spec.md as it is; shorten its title or criteria in the source",
				p.From, want.ID, want.Title)
		}
	}
	return nil
}

// marks is a prd.json with what the source knows about finished stories.
func (p *Plan) marks(now time.Time) (*prd.PRD, error) {
	type story struct {
		ID       string   `json:"id"`
		Title    string   `json:"title"`
		Criteria []string `json:"acceptanceCriteria"`
		Priority int      `json:"priority"`
		Passes   bool     `json:"passes"`
		Notes    string   `json:"notes,omitempty"`
	}
	var file struct {
		Description string  `json:"description"`
		CreatedAt   string  `json:"createdAt"`
		Stories     []story `json:"userStories"`
	}
	file.Description, file.CreatedAt = cmp.Or(oneLine(p.Problem), p.Title), now.UTC().Format(time.RFC3339)
	for i, s := range p.Stories {
		file.Stories = append(file.Stories, story{s.ID, s.Title, s.Criteria, i + 1, s.Passes, s.Notes})
	}
	data, err := json.Marshal(file)
	if err != nil {
		return nil, err
	}
	made, _, err := prd.Parse("prd.json", data)
	return made, err
}

func (p *Plan) markdown(now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\ncreated: %s\n---\n\n# %s\n\n", now.UTC().Format(time.RFC3339), p.Title)
	fmt.Fprintf(&b, "## Problem Statement\n\n%s\n\n", cmp.Or(prose(p.Problem), "Imported from "+p.From+"."))
	success := p.Success
	if len(success) == 0 {
		success = []string{"Every story below is done"}
	}
	fmt.Fprintf(&b, "## Success Criteria\n\n%s\n## User Stories\n", boxes(success))
	for _, s := range p.Stories {
		s.write(&b)
	}
	fmt.Fprintf(&b, "\n## Out of Scope\n\n%s\n\n## Open Questions\n\nNone.\n",
		cmp.Or(prose(p.Excluded), "Nothing was named in the source."))
	return b.String()
}

func (s Story) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s: %s\n\n", s.ID, s.Title)
	text := prose(s.Text)
	if m := narrative.FindStringSubmatch(oneLine(s.Text)); m != nil {
		text = "**As a** " + strings.TrimPrefix(strings.TrimPrefix(m[1], "an "), "a ") + "\n**I want to** " + m[2]
		if m[3] != "" {
			text += "\n**So that** " + m[3]
		}
	}
	if text != "" {
		fmt.Fprintf(b, "%s\n\n", text)
	}
	fmt.Fprintf(b, "**Acceptance Criteria:**\n\n%s", boxes(s.Criteria))
	if len(s.DependsOn) > 0 {
		fmt.Fprintf(b, "\n**Depends on:** %s\n", strings.Join(s.DependsOn, ", "))
	}
	if s.Model != "" {
		fmt.Fprintf(b, "\n**Model:** %s\n", s.Model)
	}
	if notes := prose(s.Technical); notes != "" {
		fmt.Fprintf(b, "\n**Technical Notes:**\n\n%s\n", notes)
	}
}

func boxes(list []string) string {
	var b strings.Builder
	for _, item := range list {
		fmt.Fprintf(&b, "- [ ] %s\n", oneLine(item))
	}
	return b.String()
}

// prose makes foreign markdown safe below a heading of spec.md: its headings become
// bold lines, its comments go, a fence that is never closed is closed.
func prose(text string) string {
	lines, fence := []string{}, ""
	for line := range strings.SplitSeq(strings.TrimSpace(comment.ReplaceAllString(text, "")), "\n") {
		line = strings.TrimRight(line, " \t\r")
		marker, _ := words.Fence(line)
		switch {
		case fence != "":
			if marker != "" && strings.HasPrefix(marker, fence) {
				fence = ""
			}
		case marker != "":
			fence = marker
		case strings.HasPrefix(line, "#"):
			line = "**" + storyLike.ReplaceAllString(strings.Trim(line, "# *"), "$2 ($1)") + "**"
		case ruler.MatchString(line):
			continue // it would make a heading of the line above
		case box.MatchString(line):
			line = box.ReplaceAllString(line, "- ")
		}
		lines = append(lines, line)
	}
	if fence != "" {
		lines = append(lines, fence)
	}
	return strings.TrimSpace(strings.Join(slices.Compact(lines), "\n"))
}

var (
	// storyLike is what spec.md takes for the heading of a story.
	storyLike = regexp.MustCompile(`^([A-Za-z]+-[0-9.]+)\s*[:–—-]\s*(.*)$`)

	comment = regexp.MustCompile(`(?s)<!--.*?-->`)
	ruler   = regexp.MustCompile(`^ {0,3}(-{2,}|={2,}|\*{3,}|_{3,})$`)
	box     = regexp.MustCompile(`^\s*[-*+] \[.\] `)
)
