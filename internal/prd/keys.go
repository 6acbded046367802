package prd

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tidwall/gjson"
)

// The known keys, in the order in which a new file has them.
var (
	rootKeys  = []member{{key: "description"}, {key: "createdAt"}, {key: "userStories"}}
	storyKeys = []member{
		{key: "id"}, {key: "title"}, {key: "description"}, {key: "acceptanceCriteria"},
		{key: "priority"}, {key: "passes"}, {key: "notes"},
	}
)

// Indexes into rootKeys.
const (
	rootDescription = iota
	rootCreatedAt
	rootStories
)

// Indexes into storyKeys.
const (
	storyID = iota
	storyTitle
	storyDescription
	storyCriteria
	storyPriority
	storyPasses
	storyNotes
)

// keySet is a set of indexes into rootKeys or storyKeys.
type keySet uint

// The keys that must be there.
const (
	rootRequired  keySet = 1<<rootDescription | 1<<rootCreatedAt | 1<<rootStories
	storyRequired keySet = 1<<storyID | 1<<storyTitle | 1<<storyCriteria | 1<<storyPriority | 1<<storyPasses
)

func (s keySet) has(key int) bool { return s&(1<<key) != 0 }

// object reads the object of a story, or the document's where story is
// nowhere. It calls field for each known key, and returns the members, for
// which those of a similar object serve as a guess. Keys that are missing,
// unknown or there twice are reported.
func (d *decoder) object(v gjson.Result, story int, guess []member, field func(key int, v gjson.Result, at place)) []member {
	known, required := storyKeys, storyRequired
	if story == nowhere {
		known, required = rootKeys, rootRequired
	}
	list := memberList{guess: guess}
	var seen keySet
	var unknown map[string]bool // made when needed
	v.ForEach(func(key, value gjson.Result) bool {
		key.Str = unescaped(key)
		k := slices.IndexFunc(known, func(m member) bool { return m.key == key.Str })
		at := place{story, key.Str, nowhere}
		if k >= 0 && seen.has(k) || k < 0 && unknown[key.Str] {
			d.refuse(key.Index, at, "the key stands twice in the same object", "Remove one of them.")
		}
		if k >= 0 {
			seen |= 1 << k
			list.add(known[k].key, value, value.Type == gjson.Null)
			field(k, value, at)
			return true
		}
		if unknown == nil {
			unknown = map[string]bool{}
		}
		unknown[key.Str] = true
		list.add(key.Str, value, true)
		d.unknownKey(key, at, known)
		return true
	})
	d.missing(v, story, known, required&^seen, unknown)
	return list.members()
}

// missing reports the keys that the object lacks; unknown are the keys that
// may have been meant for them.
func (d *decoder) missing(v gjson.Result, story int, known []member, keys keySet, unknown map[string]bool) {
	if keys == 0 {
		return
	}
	meant := map[string]string{} // by what the file has in their place
	for _, key := range slices.Sorted(maps.Keys(unknown)) {
		meant[closest(key, known)] = key
	}
	for k, m := range known {
		if !keys.has(k) {
			continue
		}
		hint := ""
		if wrong, ok := meant[m.key]; ok {
			hint = fmt.Sprintf("Did you mean it by %q?", wrong)
		}
		d.refuse(v.Index, place{story, "", nowhere}, fmt.Sprintf("%q is missing", m.key), hint)
	}
}

// unknownKey warns of a key that nothing reads. "$schema" is for editors.
func (d *decoder) unknownKey(key gjson.Result, at place, known []member) {
	if at.story == nowhere && key.Str == "$schema" {
		return
	}
	message := fmt.Sprintf("unknown key %q, kept as it is", key.Str)
	hint := ""
	if guess := closest(key.Str, known); guess != "" {
		hint = fmt.Sprintf("Did you mean %q?", guess)
	}
	d.odd = append(d.odd, d.finding(key.Index, at, message, hint))
}

// memberList collects the members of an object, and allocates only where they
// are not as guessed.
type memberList struct {
	guess   []member
	matched int
	own     []member
}

func (l *memberList) add(key string, v gjson.Result, keepRaw bool) {
	m := member{key: key}
	if keepRaw {
		m.raw = v.Raw
	}
	if l.own == nil {
		if l.matched < len(l.guess) && l.guess[l.matched] == m {
			l.matched++
			return
		}
		l.own = slices.Clone(l.guess[:l.matched])
	}
	l.own = append(l.own, m)
}

func (l *memberList) members() []member {
	if l.own == nil {
		return l.guess[:l.matched:l.matched]
	}
	return l.own
}
