package prd

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
)

// Bytes returns the stable form of p: indented by two spaces, with a final
// newline, the keys in the order in which they were read. A key that is new
// comes last.
func (p *PRD) Bytes() []byte {
	w := writer{}
	members := withNew(p.members, rootKeys, nil)
	w.object("", members, func(key string) {
		switch key {
		case "description":
			w.text(p.Description)
		case "createdAt":
			w.text(p.CreatedAt)
		case "userStories":
			w.array("  ", len(p.Stories), func(i int) { w.story(&p.Stories[i]) })
		}
	})
	w.WriteByte('\n')
	return w.Bytes()
}

// SetSchema names the JSON schema of the file for editors, by a path from the
// file's folder. A file that names one keeps it.
func (p *PRD) SetSchema(path string) {
	members := withNew(p.members, rootKeys, nil)
	if slices.ContainsFunc(members, func(m member) bool { return m.key == "$schema" }) {
		return
	}
	w := writer{}
	w.text(path)
	p.members = append([]member{{key: "$schema", raw: w.String()}}, members...)
}

type writer struct{ bytes.Buffer }

func (w *writer) story(s *Story) {
	const indent = "    "
	var filled []string // optional keys that the file may lack, or hold as null
	if s.Description != "" {
		filled = append(filled, "description")
	}
	if s.Notes != "" {
		filled = append(filled, "notes")
	}
	w.object(indent, withNew(s.members, storyKeys, filled), func(key string) {
		switch key {
		case "id":
			w.text(s.ID)
		case "title":
			w.text(s.Title)
		case "description":
			w.text(s.Description)
		case "acceptanceCriteria":
			w.array(indent+"  ", len(s.AcceptanceCriteria), func(i int) { w.text(s.AcceptanceCriteria[i]) })
		case "priority":
			w.WriteString(strconv.Itoa(s.Priority))
		case "passes":
			w.WriteString(strconv.FormatBool(s.Passes))
		case "notes":
			w.text(s.Notes)
		}
	})
}

// withNew returns the members to write: those of the file, where the filled
// keys are no longer null, and behind them the filled keys that it lacks.
func withNew(members, usual []member, filled []string) []member {
	if members == nil {
		return usual
	}
	copied := false
	own := func() {
		if !copied {
			members, copied = slices.Clone(members), true
		}
	}
	for _, key := range filled {
		i := slices.IndexFunc(members, func(m member) bool { return m.key == key })
		switch {
		case i < 0:
			own()
			members = append(members, member{key: key})
		case members[i].raw != "":
			own()
			members[i].raw = ""
		}
	}
	return members
}

// object writes the members: what is to be kept as it is, and the fields
// through the function.
func (w *writer) object(indent string, members []member, field func(key string)) {
	w.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			w.WriteByte(',')
		}
		w.WriteString("\n" + indent + "  ")
		w.text(m.key)
		w.WriteString(": ")
		if m.raw == "" {
			field(m.key)
			continue
		}
		// The text was read as JSON before: it can be indented.
		if err := json.Indent(&w.Buffer, []byte(m.raw), indent+"  ", "  "); err != nil {
			w.WriteString("null")
		}
	}
	if len(members) > 0 {
		w.WriteString("\n" + indent)
	}
	w.WriteByte('}')
}

func (w *writer) array(indent string, n int, element func(i int)) {
	w.WriteByte('[')
	for i := range n {
		if i > 0 {
			w.WriteByte(',')
		}
		w.WriteString("\n" + indent + "  ")
		element(i)
	}
	if n > 0 {
		w.WriteString("\n" + indent)
	}
	w.WriteByte(']')
}

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
