package spec

import (
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

// The levels of headings that can be stories.
const minLevel, maxLevel = 2, 4

// storiesTitle is the section that holds the stories.
const storiesTitle = "User Stories"

// heading begins a story, a part of the story at hand, or a section.
func (r *reader) heading(n *ast.Heading) {
	line := r.lineAt(n)
	raw := stripBox(joined(r.lines(n)))
	title := stripBox(r.plain(raw))
	part := labelOf(title)
	h, isHead := readHead(title)
	if !isHead {
		h, isHead = r.wordHead(title, n.Level)
	}
	s := &suspect{title: title, level: n.Level, line: line}
	switch {
	case isHead && h.separated && h.title != "" && !h.struck && n.Level >= minLevel && n.Level <= maxLevel:
		r.endStory()
		r.story = &Story{ID: h.id, Title: written(raw, h), plain: h.title, Line: line, level: n.Level}
		r.enter(nil, n.Level)
	case s.explain():
		r.section(s)
	case r.story != nil && n.Level >= r.story.level && part != labelNone:
		r.begin(part, title, line)
	case r.story != nil && n.Level > r.story.level:
		r.label = labelOther
	case r.story == nil && part == labelCriteria && r.strayHeading(n.Level):
	default:
		r.section(s)
	}
}

// section begins what is no story, or could not be read as one.
func (r *reader) section(s *suspect) {
	r.endStory()
	r.spec.Sections = append(r.spec.Sections, s.title)
	if s.level == 1 && r.spec.Title == "" {
		r.spec.Title = s.title
	}
	r.problem = sameWords(s.title, "Problem Statement")
	r.suspects = append(r.suspects, s)
	r.enter(s, s.level)
}

// enter moves on to what a heading of the level begins: s, or a story where s is nil.
func (r *reader) enter(s *suspect, level int) {
	for r.at != nil && r.at.level >= level {
		r.at = r.at.parent
	}
	if level <= r.within {
		r.within = 0
	}
	if s == nil {
		return
	}
	s.parent, s.below = r.at, r.within > 0
	r.at = s
	if sameWords(s.title, storiesTitle) {
		r.within, r.usual = level, level+1
	}
}

// head is what a heading says about a story.
type head struct {
	id, title string
	separated bool // the id ends with a colon, a dash or a bracket
	struck    bool // it is crossed out
}

// readHead reads the text of a heading, after plain has removed all markup except code,
// brackets and strikes.
func readHead(text string) (h head, ok bool) {
	if strings.HasPrefix(text, "~") {
		h, ok = readHead(strings.ReplaceAll(strings.TrimLeft(text, "~"), "~~", ""))
		h.struck = true
		return h, ok
	}
	if inner, rest, found := cutBrackets(text); found {
		id, more, _ := cutNumberedID(inner)
		if id == "" {
			return head{}, false
		}
		if strings.TrimSpace(more) != "" {
			return readHead(inner + rest)
		}
		h = head{id: id}
		if h.title, h.separated = cutSeparator(rest); !h.separated {
			h.title = strings.TrimSpace(rest)
			h.separated = h.title != ""
		}
	} else {
		id, rest, found := cutNumberedID(text)
		if !found {
			return head{}, false
		}
		h = head{id: id}
		h.title, h.separated = cutSeparator(rest)
	}
	h.struck = len(h.title) > 4 && strings.HasPrefix(h.title, "~~") && strings.Index(h.title[2:], "~~") == len(h.title)-4
	return h, true
}

// wordHead reads the heading of a story with an id without a number: STORY-LOGIN. Other
// words with a hyphen are ids only in the section of the stories.
func (r *reader) wordHead(text string, level int) (h head, ok bool) {
	id, rest, ok := cutID(strings.TrimLeft(text, "[(`"))
	usual := strings.HasPrefix(id, "STORY-") || strings.HasPrefix(id, "US-")
	if !ok || !usual && (r.within == 0 || level <= r.within) {
		return head{}, false
	}
	h = head{id: id}
	h.title, h.separated = cutSeparator(strings.TrimLeft(rest, "])`"))
	return h, h.separated
}

// written returns the title of a story as it is written. What is opened before the
// id, such as the two asterisks of "**STORY-1: Title**", does not belong to it.
func written(raw string, h head) string {
	before, rest, found := strings.Cut(raw, h.id)
	if !found { // the id itself has markup
		return h.title
	}
	for before = strings.TrimSpace(before); before != ""; {
		open := before[:1]
		if n := len(before) - len(strings.TrimLeft(before, open)); open == "*" || open == "_" {
			open = before[:n]
		} else if i := strings.IndexByte(before, '>'); open == "<" && i > 0 {
			open = before[:i+1]
		}
		before = before[len(open):]
		rest = cutCloser(rest, open)
	}
	if title, ok := cutSeparator(rest); ok {
		rest = title
	}
	for {
		text, comment, found := strings.Cut(rest, "<!--")
		_, after, closed := strings.Cut(comment, "-->")
		if !found || !closed {
			return fold(rest)
		}
		rest = text + after
	}
}

// cutCloser removes the first text that closes an opened mark.
func cutCloser(s, open string) string {
	closer := open
	switch open[0] {
	case '[':
		closer = "]"
	case '(':
		closer = ")"
	case '<':
		closer = "</" + open[1:]
	}
	before, after, found := strings.Cut(s, closer)
	if _, rest, ok := strings.Cut(after, ")"); ok && open == "[" && strings.HasPrefix(after, "(") {
		after = rest // of a link
	}
	if !found {
		return s
	}
	return before + after
}

// cutBrackets splits off text in brackets, or in code, at the start.
func cutBrackets(s string) (inner, rest string, ok bool) {
	if s == "" {
		return "", "", false
	}
	i := strings.IndexByte("[(`", s[0])
	if i < 0 {
		return "", "", false
	}
	return strings.Cut(s[1:], "])`"[i:i+1])
}

// cutID splits off an id: a numbered one, or words in capitals joined by hyphens,
// such as STORY-LOGIN.
func cutID(s string) (id, rest string, ok bool) {
	if id, rest, ok = cutNumberedID(s); ok {
		return id, rest, true
	}
	end := strings.IndexFunc(s, func(c rune) bool { return !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", c) })
	if end < 0 {
		end = len(s)
	}
	id = strings.TrimRight(s[:end], "-_")
	if strings.IndexByte(id, '-') < 1 || isDigit(id[0]) || isLetter(s, end) {
		return "", "", false
	}
	return id, s[len(id):], true
}

// cutNumberedID splits off an id such as STORY-001, US-7, STORY-002.1 or
// AUTH-API-3b: words in capitals joined by hyphens, the last one a number.
func cutNumberedID(s string) (id, rest string, ok bool) {
	end := 0
	for end < len(s) && (isLetter(s, end) || isDigit(s[end]) || s[end] == '-' || s[end] == '_' || s[end] == '.') {
		end++
	}
	id = strings.TrimRight(s[:end], "-.")
	dash := strings.LastIndexByte(id, '-')
	if dash < 1 || id[0] < 'A' || id[0] > 'Z' {
		return "", "", false
	}
	if strings.ContainsFunc(id[:dash], func(c rune) bool { return c >= 'a' && c <= 'z' || c == '.' }) {
		return "", "", false
	}
	number := id[dash+1:]
	if last := number[max(0, len(number)-1):]; len(number) > 1 && last >= "a" && last <= "z" {
		number = number[:len(number)-1]
	}
	for part := range strings.SplitSeq(number, ".") {
		if part == "" || strings.ContainsFunc(part, func(c rune) bool { return c < '0' || c > '9' }) {
			return "", "", false
		}
	}
	return id, s[len(id):], true
}

// idPrefix is what the ids of one kind have in common.
func idPrefix(id string) string { return id[:max(0, strings.LastIndexByte(id, '-'))] }

// cutSeparator splits off the colon or dash between an id and its title.
func cutSeparator(s string) (title string, ok bool) {
	s = strings.TrimLeft(s, " ")
	c, size := utf8.DecodeRuneInString(s)
	if !strings.ContainsRune(":：-–—―", c) || size == 0 {
		return "", false
	}
	return strings.TrimSpace(s[size:]), true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(s string, i int) bool {
	return i < len(s) && (s[i] >= 'A' && s[i] <= 'Z' || s[i] >= 'a' && s[i] <= 'z')
}
