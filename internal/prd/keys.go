package prd

import (
	"fmt"
	"slices"
	"strings"

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

func (s keySet) has(keys ...int) bool {
	for _, k := range keys {
		if s&(1<<k) == 0 {
			return false
		}
	}
	return true
}

// rootObject, as the index of a story, means the document itself.
const rootObject = -1

// object reads an object: it calls field for each known key, and returns the
// members, for which those of a similar object serve as a guess, and the known
// keys found. Keys that are unknown or occur twice are reported.
func (d *decoder) object(v gjson.Result, story int, guess []member, field func(key int, v gjson.Result)) ([]member, keySet) {
	known := storyKeys
	if story == rootObject {
		known = rootKeys
	}
	list := memberList{guess: guess}
	var seen keySet
	var unknown map[string]bool // made when needed
	v.ForEach(func(key, value gjson.Result) bool {
		k := slices.IndexFunc(known, func(m member) bool { return m.key == key.Str })
		twice := k >= 0 && seen.has(k) || k < 0 && unknown[key.Str]
		if twice {
			d.report(&d.broken, key.Index, path(story, key.Str), "the key stands twice in the same object", "Remove one of them.")
		}
		switch {
		case k >= 0:
			seen |= 1 << k
			list.add(known[k].key, value, value.Type == gjson.Null)
			field(k, value)
		default:
			if unknown == nil {
				unknown = map[string]bool{}
			}
			unknown[key.Str] = true
			list.add(key.Str, value, true)
			d.unknownKey(key, story, known)
		}
		return true
	})
	return list.members(), seen
}

// unknownKey warns of a key that nothing reads. "$schema" is for editors.
func (d *decoder) unknownKey(key gjson.Result, story int, known []member) {
	if story == rootObject && key.Str == "$schema" {
		return
	}
	message := fmt.Sprintf("unknown key %q, kept as it is", key.Str)
	hint := ""
	if guess := closest(key.Str, known); guess != "" {
		hint = fmt.Sprintf("Did you mean %q?", guess)
	}
	d.report(&d.odd, key.Index, path(story, key.Str), message, hint)
}

func (d *decoder) report(list *[]Finding, offset int, path, message, hint string) {
	if d.lines == nil {
		d.lines = newLineIndex(d.src)
	}
	line, column := d.lines.position(offset)
	*list = append(*list, Finding{Line: line, Column: column, Path: path, Message: message, Hint: hint})
}

// path is the path in the document of a key of a story, or of the root.
func path(story int, key string) string {
	if story == rootObject {
		return key
	}
	return fmt.Sprintf("userStories[%d].%s", story, key)
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

// closest returns the known key that was most likely meant by key, or "".
func closest(key string, known []member) string {
	const longest = 40 // no key is: do not measure novels
	if len(key) > longest {
		return ""
	}
	best, least := "", 3
	for _, m := range known {
		if d := distance(fold(key), fold(m.key)); d < least && d <= len(m.key)/2 {
			best, least = m.key, d
		}
	}
	return best
}

// fold makes the usual ways to write a key of two words alike.
func fold(key string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(key))
}

// distance is the Levenshtein distance of two short strings.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
