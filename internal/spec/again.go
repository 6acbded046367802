package spec

import (
	"fmt"
	"slices"
	"strings"
)

// again is where a second story seems to begin within a story: most likely its
// heading is missing.
type again struct {
	id       string // of the story at hand
	from     int    // its line
	line     int
	criteria bool // a second list of acceptance criteria, not only a second "As a"
}

// begin starts a part of the story at hand.
func (r *reader) begin(l label, words string, line int) {
	r.label = l
	words = strings.Trim(words, "*_: ")
	switch {
	case l == labelStory && len(words) > 1 && strings.EqualFold(words[:2], "as"):
		if r.who {
			r.beginAgain(line, false)
		}
		r.who = true
	case l == labelCriteria:
		words = strings.ToLower(fold(words))
		if r.named[words] {
			r.beginAgain(line, true)
		}
		if r.named == nil {
			r.named = map[string]bool{}
		}
		r.named[words] = true
	case l == labelDepends:
		r.story.depends = true
	}
}

func (r *reader) beginAgain(line int, criteria bool) {
	if r.again == nil {
		r.again = &again{id: r.story.ID, from: r.story.Line, line: line}
	}
	r.again.criteria = r.again.criteria || criteria
}

// judgeAgain reports where a heading seems to be missing, unless one of the reported lines
// already has a finding about an unreadable heading.
func (r *reader) judgeAgain(reported []int) {
	slices.Sort(reported)
	for _, a := range r.agains {
		if i, _ := slices.BinarySearch(reported, a.from+1); i < len(reported) && reported[i] <= a.line {
			continue
		}
		what := `"As a"`
		if a.criteria {
			what = "list of acceptance criteria"
		}
		r.report(Problem{Warning: !a.criteria}, a.line,
			fmt.Sprintf("%s has a second %s: the heading of a story seems to be missing in front of it", a.id, what),
			`Write the heading "### STORY-001: Title", or name the list: "**Acceptance Criteria (more):**".`)
	}
}
