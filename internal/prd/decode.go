package prd

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"ralph/internal/words"
)

// The known keys, in the order in which a new file has them.
var (
	rootKeys  = []string{"description", "createdAt", "userStories"}
	storyKeys = []string{"id", "title", "description", "acceptanceCriteria", "priority", "passes", "notes", "dependsOn", "model"}
)

// maxViolations bounds the work for a file that is wrong throughout.
const maxViolations = 100

// decoder reads a document that is known to be JSON. The schema judges it; the
// decoder finds what no schema can: keys that occur twice in their object, ids
// that occur twice in the plan, and keys that nothing reads.
type decoder struct {
	src    string
	root   gjson.Result
	broken []Problem // at most maxViolations
	odd    []Problem
	lines  *lineIndex // made at the first finding

	line, counted int // the line of the offset up to which lines are counted
}

func newDecoder(src string) *decoder {
	d := &decoder{src: src, root: gjson.Parse(src), line: 1}
	d.root.Raw = strings.TrimRight(d.root.Raw, " \t\r\n") // gjson leaves what follows the value
	return d
}

func (d *decoder) document() *PRD {
	p := &PRD{}
	p.members = d.object(d.root, nil, rootKeys, func(key string, v gjson.Result) {
		switch key {
		case "description":
			p.Description = unescaped(v)
		case "createdAt":
			p.CreatedAt = unescaped(v)
		case "userStories":
			p.Stories = d.userStories(v)
		}
	})
	return p
}

func (d *decoder) userStories(list gjson.Result) []Story {
	var stories []Story
	ids := map[string]int{} // the line of each id
	each(list, func(i int, v gjson.Result) {
		s := d.story(v, i)
		if line, taken := ids[s.ID]; taken && s.ID != "" {
			d.refuse(v.Index, []string{"userStories", fmt.Sprint(i), "id"},
				fmt.Sprintf("the id %q is taken by the story in line %d", s.ID, line), "Give each story its own id.")
		} else {
			ids[s.ID] = s.Line
		}
		stories = append(stories, s)
	})
	return stories
}

func (d *decoder) story(v gjson.Result, index int) Story {
	s := Story{Line: d.lineOf(v.Index)}
	s.members = d.object(v, []string{"userStories", fmt.Sprint(index)}, storyKeys, func(key string, v gjson.Result) {
		switch key {
		case "id":
			s.ID = unescaped(v)
		case "title":
			s.Title = unescaped(v)
		case "description":
			s.Description = unescaped(v)
		case "acceptanceCriteria":
			s.AcceptanceCriteria = texts(v)
		case "priority":
			s.Priority = v.Num
		case "passes":
			s.Passes = v.Type == gjson.True
		case "notes":
			s.Notes = unescaped(v)
		case "dependsOn":
			s.DependsOn = texts(v)
		case "model":
			s.Model = unescaped(v)
		}
	})
	return s
}

// object returns the members of an object, and calls field for each known key.
// It reports keys that are unknown or occur twice.
func (d *decoder) object(v gjson.Result, path, known []string, field func(key string, v gjson.Result)) []member {
	if !v.IsObject() {
		return nil
	}
	members := make([]member, 0, len(known))
	v.ForEach(func(key, value gjson.Result) bool {
		name := unescaped(key)
		m := member{key: name}
		isKnown := slices.Contains(known, name)
		if !isKnown || value.Type == gjson.Null {
			m.raw = value.Raw
		}
		switch {
		case slices.ContainsFunc(members, func(m member) bool { return m.key == name }):
			d.refuse(key.Index, append(slices.Clone(path), name), "the key occurs twice in the same object", "Remove one of them.")
		case !isKnown && (len(path) > 0 || name != "$schema"): // which is for editors
			d.unknown(key.Index, append(slices.Clone(path), name), known)
		}
		members = append(members, m)
		if isKnown {
			field(name, value)
		}
		return true
	})
	return members
}

// unknown warns of a key that nothing reads.
func (d *decoder) unknown(offset int, path, known []string) {
	name, hint := path[len(path)-1], ""
	if guess := words.Closest(name, known); guess != "" {
		hint = fmt.Sprintf("Did you mean %q?", guess)
	}
	d.odd = append(d.odd, d.finding(offset, path, fmt.Sprintf("unknown key %q, kept as it is", name), hint))
}

// refuse notes a violation at the offset: the document is not valid.
func (d *decoder) refuse(offset int, path []string, message, hint string) {
	if len(d.broken) < maxViolations {
		d.broken = append(d.broken, d.finding(offset, path, message, hint))
	}
}

func (d *decoder) finding(offset int, path []string, message, hint string) Problem {
	if d.lines == nil {
		d.lines = newLineIndex(d.src)
	}
	line, column := d.lines.position(offset)
	return Problem{Line: line, Column: column, Path: readable(path), Message: message, Hint: hint}
}

// readable returns a path as people write it, such as userStories[2].passes.
func readable(path []string) string {
	var b strings.Builder
	for i, name := range path {
		switch {
		case i == 1 || i == 3: // no key of the schema is deeper than the stories' lists
			b.WriteString("[" + name + "]")
		case i > 0:
			b.WriteString("." + name)
		default:
			b.WriteString(name)
		}
	}
	return b.String()
}

// lineOf returns the line of the offset. Offsets must not fall, and do not:
// the document is read from its start to its end.
func (d *decoder) lineOf(offset int) int {
	d.line += strings.Count(d.src[d.counted:offset], "\n")
	d.counted = offset
	return d.line
}

// texts returns the strings of a list.
func texts(list gjson.Result) []string {
	var all []string
	each(list, func(_ int, v gjson.Result) { all = append(all, unescaped(v)) })
	return all
}

// each calls fn for the elements of a list; anything else has none.
func each(list gjson.Result, fn func(i int, v gjson.Result)) {
	if !list.IsArray() {
		return
	}
	i := 0
	list.ForEach(func(_, v gjson.Result) bool {
		fn(i, v)
		i++
		return true
	})
}

// unescaped returns the text of a string. gjson loses the character after half
// a surrogate pair; encoding/json keeps it.
func unescaped(v gjson.Result) string {
	if len(v.Raw) <= len(v.Str)+2 || !strings.Contains(v.Raw, `\u`) {
		return v.Str
	}
	var s string
	if json.Unmarshal([]byte(v.Raw), &s) != nil {
		return "" // not a string: the schema refuses it
	}
	return s
}
