package prd

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
)

// Bytes encodes p in its stable form: indented by two spaces, with a final newline, the keys
// in the order in which they were read. A new key comes last.
func (p *PRD) Bytes() []byte {
	w := writer{}
	w.object(withNew(p.members, usualRoot(), nil), func(key string) {
		switch key {
		case "description":
			w.text(p.Description)
		case "createdAt":
			w.text(p.CreatedAt)
		case "userStories":
			w.array(len(p.Stories), func(i int) { w.story(&p.Stories[i]) })
		}
	})
	var out bytes.Buffer
	_ = json.Indent(&out, w.Bytes(), "", "  ") // what is kept as it is was read as JSON before
	out.WriteByte('\n')
	return out.Bytes()
}

// SetSchema adds the path of the JSON schema to the file, for editors. path is from the
// file's folder. SetSchema keeps a schema that the file already names.
func (p *PRD) SetSchema(path string) {
	members := withNew(p.members, usualRoot(), nil)
	if slices.ContainsFunc(members, func(m member) bool { return m.key == "$schema" }) {
		return
	}
	w := writer{}
	w.text(path)
	p.members = append([]member{{key: "$schema", raw: w.String()}}, members...)
}

// writer writes JSON without white space.
type writer struct{ bytes.Buffer }

func (w *writer) story(s *Story) {
	var filled []string // optional keys that the file may lack, or hold as null
	for _, key := range []struct {
		name string
		set  bool
	}{{"description", s.Description != ""}, {"notes", s.Notes != ""}, {"dependsOn", len(s.DependsOn) > 0}, {"model", s.Model != ""}} {
		if key.set {
			filled = append(filled, key.name)
		}
	}
	w.object(withNew(s.members, usualStory(), filled), func(key string) {
		switch key {
		case "id":
			w.text(s.ID)
		case "title":
			w.text(s.Title)
		case "description":
			w.text(s.Description)
		case "acceptanceCriteria":
			w.texts(s.AcceptanceCriteria)
		case "priority":
			w.WriteString(strconv.FormatFloat(s.Priority, 'f', -1, 64))
		case "passes":
			w.WriteString(strconv.FormatBool(s.Passes))
		case "notes":
			w.text(s.Notes)
		case "dependsOn":
			w.texts(s.DependsOn)
		case "model":
			w.text(s.Model)
		}
	})
}

// usualRoot and usualStory are the members of a new plan and of a new story.
func usualRoot() []member { return membersOf(rootKeys) }

func usualStory() []member { return membersOf(storyKeys[:7]) } // without dependsOn and model

func membersOf(keys []string) []member {
	list := make([]member, len(keys))
	for i, key := range keys {
		list[i].key = key
	}
	return list
}

// withNew returns the members to write: those of the file, where the filled
// keys are no longer null, then the filled keys that it lacks.
func withNew(members, usual []member, filled []string) []member {
	if members == nil {
		members = usual
	}
	members = slices.Clone(members) // others may share it
	for _, key := range filled {
		i := slices.IndexFunc(members, func(m member) bool { return m.key == key })
		if i < 0 {
			members = append(members, member{key: key})
		} else {
			members[i].raw = ""
		}
	}
	return members
}

// object writes the members: what is to be kept as it is, and the fields
// through the function.
func (w *writer) object(members []member, field func(key string)) {
	w.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			w.WriteByte(',')
		}
		w.text(m.key)
		w.WriteByte(':')
		if m.raw == "" {
			field(m.key)
		} else {
			w.WriteString(m.raw)
		}
	}
	w.WriteByte('}')
}

func (w *writer) array(n int, element func(i int)) {
	w.WriteByte('[')
	for i := range n {
		if i > 0 {
			w.WriteByte(',')
		}
		element(i)
	}
	w.WriteByte(']')
}

func (w *writer) texts(list []string) { w.array(len(list), func(i int) { w.text(list[i]) }) }

// text writes a string; unlike json.Marshal it leaves <, > and & readable.
func (w *writer) text(s string) {
	if !slices.ContainsFunc([]byte(s), func(c byte) bool { return c < ' ' || c == '"' || c == '\\' || c >= 0x7f }) {
		w.WriteByte('"')
		w.WriteString(s)
		w.WriteByte('"')
		return
	}
	enc := json.NewEncoder(&w.Buffer)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) == nil { // a string always can be
		w.Truncate(w.Len() - 1) // the newline of Encode
	}
}
