package spec

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Stories are headings of these levels.
const minLevel, maxLevel = 2, 4

// heading begins a story, a part of the story at hand, or a section.
func (r *reader) heading(n *ast.Heading) {
	line := 0
	if pos := n.Pos(); pos >= 0 {
		line = r.lineOf(pos)
	}
	title := stripBox(r.plain(joined(r.lines(n))))
	id, rest, isID := cutID(title)
	name, separated := cutSeparator(rest)
	switch {
	case isID && separated && name != "" && n.Level >= minLevel && n.Level <= maxLevel:
		r.endStory()
		r.story = &Story{ID: id, Title: name, Line: line, level: n.Level}
	case r.suspicious(title, line):
		r.section(title, n.Level, line)
	case r.story != nil && n.Level >= r.story.level && partOf(title) != labelNone:
		r.label = partOf(title)
	case r.story != nil && n.Level > r.story.level:
		r.label = labelOther
	default:
		r.section(title, n.Level, line)
	}
}

func (r *reader) section(title string, level, line int) {
	r.endStory()
	r.spec.Sections = append(r.spec.Sections, Section{Title: title, Level: level, Line: line})
	if level == 1 && r.spec.Title == "" {
		r.spec.Title = title
	}
	r.problem = sameWords(title, "Problem Statement")
}

// suspicious notes a heading, or a line of its own in bold, that looks like a
// story and was not read as one.
func (r *reader) suspicious(title string, line int) bool {
	id, rest, isID := cutID(title)
	name, separated := cutSeparator(rest)
	s := suspect{line: line, id: id}
	quoted := fmt.Sprintf("%q looks like a story, but ", shortened(title))
	switch {
	case isID && separated && name == "":
		s.text = fmt.Sprintf("story %s has no title", id)
	case isID && separated:
		s.text = quoted + fmt.Sprintf("is not a heading of level %d to %d", minLevel, maxLevel)
	case isID:
		s.text = quoted + "no colon or dash follows the id"
	default:
		if s.id, s.text = misshapen(title); s.text == "" {
			return false
		}
		s.text = quoted + s.text
	}
	r.suspects = append(r.suspects, s)
	return true
}

// misshapen tells what is wrong with an id that is almost one: STORY 3,
// story-3, STORY3, "1. STORY-3: Title".
func misshapen(title string) (id, why string) {
	if id, _, ok := cutID(strings.ToUpper(title)); ok {
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
		id, rest, ok := cutID(strings.Join(words[i:min(i+2, len(words))], " "))
		if _, separated := cutSeparator(rest); ok && separated {
			return id, "does not begin with its id"
		}
	}
	return "", ""
}

// numbered tells words such as Story 3, STORY3, Story #3 and US3.
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

// cutID splits off an id such as STORY-001, US-7, STORY-002.1 or AUTH-API-3b:
// words in capitals joined by hyphens, the last one a number.
func cutID(s string) (id, rest string, ok bool) {
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

// maxInline is the longest text, in bytes, whose emphasis is looked at: the
// time for it can grow with the square of its length.
const maxInline = 1000

// plain returns the text of a heading without emphasis, links and comments.
// Code keeps its backticks.
func (r *reader) plain(s string) string {
	if len(s) > maxInline || !strings.ContainsAny(s, "*_[`<&\\") {
		return fold(s)
	}
	if r.inline == nil {
		r.inline = parser.NewParser(
			parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1)),
			parser.WithInlineParsers(parser.DefaultInlineParsers()...))
	}
	src := []byte(s)
	var b strings.Builder
	writePlain(&b, r.inline.Parse(text.NewReader(src)), src)
	return fold(b.String())
}

func writePlain(b *strings.Builder, n ast.Node, src []byte) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			b.Write(util.UnescapePunctuations(c.Segment.Value(src)))
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.CodeSpan:
			b.WriteByte('`')
			for t := c.FirstChild(); t != nil; t = t.NextSibling() {
				if t, ok := t.(*ast.Text); ok {
					b.Write(t.Segment.Value(src))
				}
			}
			b.WriteByte('`')
		case *ast.AutoLink:
			b.Write(c.Label(src))
		case *ast.RawHTML:
		default:
			writePlain(b, c, src)
		}
	}
}
