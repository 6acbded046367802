package prd

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Difference lists what differs between two states of a plan. All lists hold ids in the order
// of the newer state, Removed in that of the older.
type Difference struct {
	Added, Removed   []string
	Passed, Unpassed []string    // passes became true, became false
	Notes            []string    // stories with changed notes
	Changed          []KeyChange // everything else in stories that are in both
	Other            []string    // keys of the document itself, and "userStories" where the order of the stories changed
}

// KeyChange names one key of a story that differs.
type KeyChange struct {
	ID, Field string
}

// Empty reports whether the two states are the same.
func (d Difference) Empty() bool {
	return len(d.Added)+len(d.Removed)+len(d.Passed)+len(d.Unpassed)+len(d.Notes)+len(d.Changed)+len(d.Other) == 0
}

// Diff compares two states story by story, matched by id. Formatting and the
// order of keys do not count.
func Diff(old, new *PRD) Difference {
	var d Difference
	d.root(old, new)
	before, after := old.byID(), new.byID()
	for i := range old.Stories {
		if _, ok := after[old.Stories[i].ID]; !ok {
			d.Removed = append(d.Removed, old.Stories[i].ID)
		}
	}
	last, moved := -1, false
	for i := range new.Stories {
		s := &new.Stories[i]
		at, ok := before[s.ID]
		if !ok {
			d.Added = append(d.Added, s.ID)
			continue
		}
		moved = moved || at < last
		last = at
		d.story(&old.Stories[at], s)
	}
	if moved {
		d.Other = append(d.Other, "userStories")
	}
	return d
}

func (d *Difference) root(old, new *PRD) {
	if old.Description != new.Description {
		d.Other = append(d.Other, "description")
	}
	if old.CreatedAt != new.CreatedAt {
		d.Other = append(d.Other, "createdAt")
	}
	d.Other = append(d.Other, unknownChanges(old.members, new.members, rootKeys)...)
}

func (d *Difference) story(old, new *Story) {
	switch {
	case new.Passes && !old.Passes:
		d.Passed = append(d.Passed, new.ID)
	case old.Passes && !new.Passes:
		d.Unpassed = append(d.Unpassed, new.ID)
	}
	if old.Notes != new.Notes {
		d.Notes = append(d.Notes, new.ID)
	}
	changed := func(field string, differs bool) {
		if differs {
			d.Changed = append(d.Changed, KeyChange{new.ID, field})
		}
	}
	changed("title", old.Title != new.Title)
	changed("description", old.Description != new.Description)
	changed("acceptanceCriteria", !slices.Equal(old.AcceptanceCriteria, new.AcceptanceCriteria))
	changed("priority", old.Priority != new.Priority)
	changed("dependsOn", !slices.Equal(old.DependsOn, new.DependsOn))
	changed("model", old.Model != new.Model)
	for _, key := range unknownChanges(old.members, new.members, storyKeys) {
		changed(key, true)
	}
}

// unknownChanges returns the unknown keys with different values.
func unknownChanges(old, new []member, known []string) (keys []string) {
	before, after := unknownValues(old, known), unknownValues(new, known)
	for _, m := range slices.Concat(old, new) {
		if before[m.key] != after[m.key] && !slices.Contains(keys, m.key) {
			keys = append(keys, m.key)
		}
	}
	return keys
}

// unknownValues returns the JSON text, without white space, of the unknown keys.
func unknownValues(members []member, known []string) map[string]string {
	values := map[string]string{}
	for _, m := range members {
		if m.raw == "" || slices.Contains(known, m.key) {
			continue
		}
		var b bytes.Buffer
		if json.Compact(&b, []byte(m.raw)) != nil {
			b.WriteString(m.raw)
		}
		values[m.key] = b.String()
	}
	return values
}

// byID returns the index of each story. The first has an id that is not unique.
func (p *PRD) byID() map[string]int {
	m := make(map[string]int, len(p.Stories))
	for i := range p.Stories {
		if _, ok := m[p.Stories[i].ID]; !ok {
			m[p.Stories[i].ID] = i
		}
	}
	return m
}

// Restore returns the snapshot with the passes and notes of the agent's state, matched by id.
// Other changes of the agent are dropped.
func Restore(snapshot, agent *PRD) *PRD {
	p := snapshot.clone()
	theirs := agent.byID()
	for i := range p.Stories {
		s := &p.Stories[i]
		if at, ok := theirs[s.ID]; ok {
			s.Passes, s.Notes = agent.Stories[at].Passes, agent.Stories[at].Notes
		}
	}
	return p
}

// Inherit returns p with the unknown keys and the order of keys of an older state. It matches
// stories by id, and does not change fields.
func (p *PRD) Inherit(old *PRD) *PRD {
	c := p.clone()
	c.members = old.members
	before := old.byID()
	for i := range c.Stories {
		if at, ok := before[c.Stories[i].ID]; ok {
			c.Stories[i].members = old.Stories[at].members
		}
	}
	return c
}
