package prd

import (
	"fmt"

	"github.com/tidwall/gjson"
)

// place is where in the document a value stands. It becomes text only for a
// finding: nearly every value of nearly every file is in order.
type place struct {
	story int    // index in userStories, or nowhere for the document itself
	key   string // of the story or the document; empty for the object itself
	item  int    // index in the key's array, or nowhere
}

const nowhere = -1

// String is the path in the document, such as userStories[2].passes.
func (p place) String() string {
	path := p.key
	if p.story != nowhere {
		path = fmt.Sprintf("userStories[%d]", p.story)
		if p.key != "" {
			path += "." + p.key
		}
	}
	if p.item != nowhere {
		path += fmt.Sprintf("[%d]", p.item)
	}
	return path
}

// expect refuses the value unless ok, and returns ok; want names the type
// that it should have.
func (d *decoder) expect(ok bool, want string, v gjson.Result, at place) bool {
	if !ok {
		d.refuseType(want, v, at) // apart, so that the usual case is inlined
	}
	return ok
}

func (d *decoder) refuseType(want string, v gjson.Result, at place) {
	d.refuse(v.Index, at, fmt.Sprintf("expected %s, but got %s", want, typeOf(v)), "")
}

// typeOf returns the JSON type's name, as JSON schema calls it.
func typeOf(v gjson.Result) string {
	switch v.Type {
	case gjson.Null:
		return "null"
	case gjson.String:
		return "string"
	case gjson.Number:
		return "number"
	case gjson.JSON:
		if v.IsArray() {
			return "array"
		}
		return "object"
	}
	return "boolean"
}

// maxViolations bounds the work for a file that is wrong throughout.
const maxViolations = 100

// refuse notes a violation at the offset: the document is not valid.
func (d *decoder) refuse(offset int, at place, message, hint string) {
	if len(d.broken) < maxViolations {
		d.broken = append(d.broken, d.finding(offset, at, message, hint))
	}
}

func (d *decoder) finding(offset int, at place, message, hint string) Finding {
	if d.lines == nil {
		d.lines = newLineIndex(d.src)
	}
	line, column := d.lines.position(offset)
	return Finding{Line: line, Column: column, Path: at.String(), Message: message, Hint: hint}
}
