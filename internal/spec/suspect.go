package spec

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// suspect is a heading, or a line, that may have been meant as a story and was
// not read as one. The verdict comes at the end: by then it is known what the
// ids and the levels of the stories are in this file.
type suspect struct {
	title string
	level int // 0 for what is no heading
	line  int
	id    string // in capitals; empty without an id
	text  string // why it looks like a story but is not one; empty if it does not look like one
	hint  string // empty for the usual one

	parent   *suspect // the section that it is in
	below    bool     // it is in the section of the stories
	criteria bool     // what only a story has is in it: acceptance criteria,
	wish     bool     // "As a"
}

// looksLike says that a text looks like a story, and why it is not read as one.
func looksLike(text, why string) string {
	return fmt.Sprintf("%q looks like a story, but %s", shortened(text), why)
}

// explain reports whether the title looks like a story, and notes why it is not read as one.
func (s *suspect) explain() bool {
	h, isHead := readHead(s.title)
	s.id = h.id
	switch {
	case isHead && h.struck:
		s.text = looksLike(s.title, "is struck through")
		s.hint = "Remove it from the file, or what strikes it through."
	case isHead && h.separated && h.title == "":
		s.text = fmt.Sprintf("story %s has no title", h.id)
	case isHead && h.separated:
		s.text = looksLike(s.title, fmt.Sprintf("is not a heading of level %d to %d", minLevel, maxLevel))
	case isHead:
		s.text = looksLike(s.title, "no colon or dash follows the id")
	default:
		var why string
		if s.id, why = misshapen(s.title); why != "" {
			s.text = looksLike(s.title, why)
		}
	}
	return s.text != ""
}

// misshapen returns what is wrong with an almost correct id: STORY 3, story-3, STORY3,
// "1. STORY-3: Title".
func misshapen(title string) (id, why string) {
	title = strings.Map(func(c rune) rune {
		if strings.ContainsRune("[]()`~", c) {
			return -1
		}
		return c
	}, title)
	if id, _, ok := cutNumberedID(title); ok {
		return id, "does not begin with its id"
	}
	if id, _, ok := cutNumberedID(strings.ToUpper(title)); ok {
		return id, "its id is not in capitals"
	}
	words := strings.Fields(title)
	if len(words) > 1 && strings.EqualFold(words[0], "user") {
		words = words[1:]
	}
	if numbered(words) {
		return "", "its id is not of the form STORY-001"
	}
	for i := 1; i < len(words); i++ {
		id, rest, ok := cutNumberedID(strings.Join(words[i:min(i+2, len(words))], " "))
		if _, separated := cutSeparator(rest); ok && separated {
			return id, "does not begin with its id"
		}
	}
	return "", ""
}

// numbered reports whether words are like Story 3, STORY3, Story #3 or US3.
func numbered(words []string) bool {
	if len(words) == 0 {
		return false
	}
	first := strings.ToUpper(strings.TrimRight(words[0], ":"))
	if first == "STORY" && len(words) > 1 {
		first += words[1]
	}
	number, ok := strings.CutPrefix(first, "STORY")
	if !ok {
		number, ok = strings.CutPrefix(first, "US")
	}
	number = strings.TrimLeft(number, "-_#")
	return ok && number != "" && isDigit(number[0])
}

// deepest is the lowest level of a heading in markdown.
const deepest = 6

// falseHeading notes a line with the mark of a heading and the id of a story that is not a
// heading, and reports whether the line is one.
func (r *reader) falseHeading(text string, offset int, why string) bool {
	if !strings.HasPrefix(text, "#") {
		return false
	}
	title := strings.TrimLeft(text, "#")
	h, found := readHead(r.plain(title))
	if !found {
		return false
	}
	switch marks := len(text) - len(title); {
	case why != "":
	case title[0] != ' ' && title[0] != '\t':
		why = "no blank follows the #"
	case marks > deepest:
		why = fmt.Sprintf("has %d # where a heading has at most %d", marks, deepest)
	}
	r.suspects = append(r.suspects, &suspect{line: r.lineOf(offset), id: h.id,
		text: looksLike(text, cmp.Or(why, "is indented too far"))})
	return true
}

// boldHeading notes a line in bold that looks like a story, and reports whether it does.
func (r *reader) boldHeading(title string, offset int) bool {
	s := &suspect{title: title, line: r.lineOf(offset)}
	found := s.explain()
	if found {
		r.suspects = append(r.suspects, s)
	}
	return found
}

// headingInList notes the heading of a story inside a list item, and reports whether it
// is one.
func (r *reader) headingInList(n *ast.Heading) bool {
	title := r.plain(joined(r.lines(n)))
	h, found := readHead(title)
	if found {
		r.suspects = append(r.suspects, &suspect{line: r.lineAt(n), id: h.id,
			text: looksLike(title, "is inside a list item")})
	}
	return found
}

// indented searches text that is code because of four blanks.
func (r *reader) indented(n *ast.CodeBlock) {
	r.loose = false
	for i, line := range r.lines(n) {
		text, offset := strings.TrimSpace(string(line)), n.Lines().At(i).Start
		r.loose = r.falseHeading(text, offset, "is indented like code") || r.loose
		if r.story != nil && r.label == labelCriteria {
			r.noCriterion(text, offset)
		}
	}
}

// stray notes a label that belongs to a story, outside of a story.
func (r *reader) stray(l label) {
	if r.at == nil || r.at.level == 1 {
		return
	}
	r.at.criteria = r.at.criteria || l == labelCriteria
	r.at.wish = r.at.wish || l == labelStory
}

// strayHeading notes a heading "Acceptance Criteria" outside of a story, and reports
// whether it is part of a section.
func (r *reader) strayHeading(level int) bool {
	s := r.at
	for s != nil && (s.level > level || s.level == level && !s.below) {
		s = s.parent
	}
	if s == nil || s.level == 1 {
		return false
	}
	s.criteria = true
	return true
}

const headingHint = `Write it as a heading "### STORY-001: Title", with level 2 to 4.`

// judgeSuspects reports what was meant as a story, and returns the lines of the findings
// that leave the plan incomplete. prefixes are the prefixes of the ids in this file, and
// lines the lines of the stories.
func (r *reader) judgeSuspects(prefixes map[string]bool, lines map[string]int) (reported []int) {
	levels := map[int]bool{}
	for _, s := range r.spec.Stories {
		levels[s.level] = true
	}
	if len(levels) == 0 {
		levels[r.usual] = true
	}
	for _, s := range r.suspects {
		_, read := lines[s.id]
		text, warning := s.text, false
		switch {
		case text != "" && !read && (s.id == "" || prefixes[idPrefix(s.id)]):
			r.spec.unreadable[s.id] = true
		case s.criteria || s.wish && s.below:
			text = cmp.Or(text, looksLike(s.title, "has no id"))
			warning = r.usual > 0 && !s.below && !s.wish && !levels[s.level] && !sameWords(s.title, storiesTitle)
		case s.below && levels[s.level]:
			text = fmt.Sprintf("%q is among the stories, but has no id and is not read as one", shortened(s.title))
			s.hint = `If it is one, give it an id: "### STORY-001: Title".`
			warning = true
		default:
			continue
		}
		if !warning {
			reported = append(reported, s.line)
		}
		r.report(Problem{Warning: warning}, s.line, text, cmp.Or(s.hint, headingHint))
	}
	return reported
}
