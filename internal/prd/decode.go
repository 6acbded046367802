package prd

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// decoder reads a document that is known to be JSON. It proves in passing that
// the document satisfies the schema; where it cannot, it sets doubtful, and the
// schema itself has the last word. That keeps a large plan cheap.
type decoder struct {
	src      string
	doubtful bool
	broken   []Finding // what no schema can express
	odd      []Finding
	stories  []extent   // where each story is, for the schema's findings
	lines    *lineIndex // made at the first finding

	line, counted int // the line of the offset up to which lines are counted
}

// extent is a range of bytes in the file.
type extent struct{ from, to int }

func (d *decoder) document() *PRD {
	p := &PRD{}
	root := gjson.Parse(d.src)
	root.Raw = strings.TrimRight(root.Raw, " \t\r\n") // gjson leaves what follows the value
	if !root.IsObject() {
		d.doubtful = true
		return p
	}
	members, seen := d.object(root, rootObject, rootKeys, func(key int, v gjson.Result) {
		switch key {
		case rootDescription:
			p.Description = d.text(v)
		case rootCreatedAt:
			p.CreatedAt = d.text(v)
			d.require(ValidTime(p.CreatedAt))
		case rootStories:
			p.Stories = d.userStories(v)
		}
	})
	p.members = members
	d.require(seen.has(rootDescription, rootCreatedAt, rootStories))
	return p
}

func (d *decoder) userStories(list gjson.Result) []Story {
	if !list.IsArray() {
		d.doubtful = true
		return nil
	}
	d.stories = nil // of an earlier key of the same name
	var stories []Story
	ids := map[string]int{} // the line of each id
	guess := storyKeys
	list.ForEach(func(_, v gjson.Result) bool {
		index := len(stories)
		s := d.story(v, index, guess)
		if line, taken := ids[s.ID]; taken && s.ID != "" {
			d.report(&d.broken, v.Index, path(index, "id"),
				fmt.Sprintf("the id %q is taken by the story in line %d", s.ID, line), "Give each story its own id.")
		} else {
			ids[s.ID] = s.Line
		}
		d.stories = append(d.stories, extent{v.Index, v.Index + len(v.Raw)})
		stories = append(stories, s)
		guess = s.members
		return true
	})
	d.require(len(stories) > 0)
	return stories
}

func (d *decoder) story(v gjson.Result, index int, guess []member) Story {
	s := Story{Line: d.lineOf(v.Index)}
	if !v.IsObject() {
		d.doubtful = true
		return s
	}
	members, seen := d.object(v, index, guess, func(key int, v gjson.Result) {
		switch key {
		case storyID:
			s.ID = d.text(v)
			d.require(s.ID != "" && strings.IndexFunc(s.ID, blank) < 0)
		case storyTitle:
			s.Title = d.text(v)
			d.require(hasInk(s.Title))
		case storyDescription:
			s.Description = d.optionalText(v)
		case storyCriteria:
			s.AcceptanceCriteria = d.criteria(v)
		case storyPriority:
			s.Priority = d.priority(v)
		case storyPasses:
			s.Passes = v.Type == gjson.True
			d.require(v.IsBool())
		case storyNotes:
			s.Notes = d.optionalText(v)
		}
	})
	s.members = members
	d.require(seen.has(storyID, storyTitle, storyCriteria, storyPriority, storyPasses))
	return s
}

// lineOf returns the line of the offset. Offsets must not fall.
func (d *decoder) lineOf(offset int) int {
	if offset < d.counted { // a second userStories: the document is refused anyway
		d.line, d.counted = 1, 0
	}
	d.line += strings.Count(d.src[d.counted:offset], "\n")
	d.counted = offset
	return d.line
}
