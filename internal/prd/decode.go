package prd

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// decoder reads a document that is known to be JSON, and notes every place
// that is against the schema, or against a rule that no schema can express:
// each key stands once in its object, each id once in the plan.
type decoder struct {
	src    string
	broken []Finding // at most maxViolations
	odd    []Finding
	lines  *lineIndex // made at the first finding

	line, counted int // the line of the offset up to which lines are counted
}

func (d *decoder) document() *PRD {
	p := &PRD{}
	root := gjson.Parse(d.src)
	root.Raw = strings.TrimRight(root.Raw, " \t\r\n") // gjson leaves what follows the value
	if !d.expect(root.IsObject(), "object", root, place{nowhere, "", nowhere}) {
		return p
	}
	p.members = d.object(root, nowhere, rootKeys, func(key int, v gjson.Result, at place) {
		switch key {
		case rootDescription:
			p.Description, _ = d.text(v, at)
		case rootCreatedAt:
			p.CreatedAt = d.textThat(ValidTime, v, at, "not an ISO-8601 time, such as 2026-01-15T10:30:00Z")
		case rootStories:
			p.Stories = d.userStories(v, at)
		}
	})
	return p
}

func (d *decoder) userStories(list gjson.Result, at place) []Story {
	if !d.expect(list.IsArray(), "array", list, at) {
		return nil
	}
	var stories []Story
	ids := map[string]int{} // the line of each id
	guess := storyKeys
	list.ForEach(func(_, v gjson.Result) bool {
		index := len(stories)
		s := d.story(v, index, guess)
		if line, taken := ids[s.ID]; taken && s.ID != "" {
			d.refuse(v.Index, place{index, "id", nowhere},
				fmt.Sprintf("the id %q is taken by the story in line %d", s.ID, line), "Give each story its own id.")
		} else {
			ids[s.ID] = s.Line
		}
		stories = append(stories, s)
		guess = s.members
		return true
	})
	if len(stories) == 0 {
		d.refuse(list.Index, at, "a plan needs at least one story", "")
	}
	return stories
}

func (d *decoder) story(v gjson.Result, index int, guess []member) Story {
	s := Story{Line: d.lineOf(v.Index)}
	if !d.expect(v.IsObject(), "object", v, place{index, "", nowhere}) {
		return s
	}
	s.members = d.object(v, index, guess, func(key int, v gjson.Result, at place) {
		switch key {
		case storyID:
			s.ID = d.textThat(wellFormedID, v, at, "an id must not be empty or hold white space")
		case storyTitle:
			s.Title = d.textThat(hasInk, v, at, "must not be empty")
		case storyDescription:
			s.Description = d.optionalText(v, at)
		case storyCriteria:
			s.AcceptanceCriteria = d.criteria(v, at)
		case storyPriority:
			s.Priority = d.priority(v, at)
		case storyPasses:
			s.Passes = v.Type == gjson.True
			d.expect(v.IsBool(), "boolean", v, at)
		case storyNotes:
			s.Notes = d.optionalText(v, at)
		}
	})
	return s
}

// lineOf returns the line of the offset. Offsets must not fall, and do not:
// the document is read from its start to its end.
func (d *decoder) lineOf(offset int) int {
	d.line += strings.Count(d.src[d.counted:offset], "\n")
	d.counted = offset
	return d.line
}
