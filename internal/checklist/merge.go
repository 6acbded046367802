package checklist

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Merge undoes what an agent must not do to a checklist. before is the list before its work,
// after the list now. The agent may finish tasks, turn them into questions, extend them and add
// new ones. It must not remove or shelve an unfinished task, or reopen a finished one.
//
// merged is the corrected list, and what describes the violation. If there is none, merged is
// after and what is "".
func Merge(before, after []byte) (merged []byte, what string) {
	if len(after) > MaxSize || bytes.IndexByte(after, 0) >= 0 {
		return before, "left unreadable"
	}
	old, now := Parse(before), Parse(after)
	if len(now) == 0 && len(old) > 0 {
		return before, "emptied"
	}
	pairs, added := match(old, now)
	var lost, opened []string
	inBefore, inAfter := map[int]TaskState{}, map[int]TaskState{}
	for i, t := range old {
		switch {
		case t.State == Shelved:
		case pairs[i] == nil || pairs[i].State == Shelved:
			if t.State != Done {
				lost = append(lost, t.ID)
			}
		case t.State == Done && pairs[i].State == Open:
			opened = append(opened, t.ID)
			inAfter[pairs[i].line] = Done
		case t.State != pairs[i].State:
			inBefore[t.line] = pairs[i].State
		}
	}
	var faults []string
	if len(lost) > 0 {
		faults = append(faults, "open tasks removed: "+some(lost))
	}
	if len(opened) > 0 {
		faults = append(faults, "finished tasks opened again: "+some(opened))
	}
	what = strings.Join(faults, "; ")
	if len(lost) == 0 {
		return setMarks(after, inAfter), what
	}
	// The place of the lost tasks in the new text is unknown.
	return appendLines(setMarks(before, inBefore), after, added), what
}

// match finds each old task in the new list; nil if it is gone. added are the new tasks without
// an old one. It compares all tasks by the surest sign first, so that no task takes another's
// place: by id, by number, then by a title with an addition.
func match(old, now []Task) (pairs []*Task, added []Task) {
	pairs = make([]*Task, len(old))
	taken := make([]bool, len(now))
	for _, key := range []func(Task) string{func(t Task) string { return t.ID }, numberOf} {
		where := map[string][]int{}
		for j, t := range now {
			if k := key(t); k != "" && !taken[j] {
				where[k] = append(where[k], j)
			}
		}
		for i, t := range old {
			if found := where[key(t)]; pairs[i] == nil && len(found) > 0 {
				pairs[i], taken[found[0]], where[key(t)] = &now[found[0]], true, found[1:]
			}
		}
	}
	matchAnnotated(old, now, pairs, taken)
	for j := range now {
		if !taken[j] {
			added = append(added, now[j])
		}
	}
	return pairs, added
}

var number = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\d+(?:\.\d+)+`)
})

// numberOf is the number of a title such as "1.2 Add the route".
func numberOf(t Task) string { return number().FindString(plain(t.Title)) }

// matchAnnotated matches titles with an addition at the end. It searches a sorted list, because
// there may be tens of thousands of titles.
func matchAnnotated(old, now []Task, pairs []*Task, taken []bool) {
	type title struct {
		text string
		at   int
	}
	var titles []title
	for j, t := range now {
		if !taken[j] {
			titles = append(titles, title{plain(t.Title), j})
		}
	}
	slices.SortFunc(titles, func(a, b title) int { return strings.Compare(a.text, b.text) })
	for i, t := range old {
		if pairs[i] != nil || t.ID != t.Title {
			continue
		}
		want := plain(t.Title)
		k, _ := slices.BinarySearchFunc(titles, want, func(t title, want string) int { return strings.Compare(t.text, want) })
		if k < len(titles) && strings.HasPrefix(titles[k].text, want) {
			pairs[i], taken[titles[k].at] = &now[titles[k].at], true
			titles = slices.Delete(titles, k, k+1)
		}
	}
}

var emphasis = strings.NewReplacer("*", "", "_", "", "~", "", "`", "")

// plain is a title without emphasis, in single spaces.
func plain(title string) string {
	return strings.Join(strings.Fields(emphasis.Replace(title)), " ")
}

// appendLines adds boxes of another list at the end. It leaves out tasks of Ito's form: they are
// sections, and a place at the end would have a meaning.
func appendLines(data, from []byte, tasks []Task) []byte {
	data = slices.Clip(data) // it may be the caller's
	lines := strings.SplitAfter(string(from), "\n")
	for _, t := range tasks {
		line := strings.TrimSpace(lines[t.line])
		if !box().MatchString(line) {
			continue
		}
		if !bytes.HasSuffix(data, []byte("\n")) {
			data = append(data, '\n')
		}
		data = append(data, line+"\n"...)
	}
	return data
}

// some names the first of many.
func some(ids []string) string {
	const shown = 3
	if len(ids) <= shown {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:shown], ", "), len(ids)-shown)
}
