package importer

import (
	"path/filepath"
	"regexp"
	"strings"

	"ralph/internal/words"
)

// item is one box of a checklist.
type item struct {
	text    string
	mark    string   // what is in the box
	section string   // the heading above it
	below   []string // the boxes and list items nested in it
	line    int
}

func (it item) done() bool { return it.mark == "x" || it.mark == "X" }

var (
	boxLine  = regexp.MustCompile(`^(\s*)(?:[-*+]|\d+[.)])\s+\[(.)\]\s+(.*\S)\s*$`)
	listLine = regexp.MustCompile(`^(\s*)(?:[-*+]|\d+[.)])\s+(.*\S)\s*$`)
	headLine = regexp.MustCompile(`^(#{1,6})\s+(.*?)\s*#*\s*$`)
	label    = regexp.MustCompile(`(?m)^\*\*([^*\n]+?):?\*\*:?\s*$`) // a heading in bold
	number   = regexp.MustCompile(`^(\d+(\.\d+)*)[.)]?\s+`)
)

// scan returns the boxes of a markdown text, and its first heading. Code fences and
// comments are skipped.
func scan(text string) (title string, items []item) {
	fence, section := "", ""
	for i, line := range strings.Split(comment.ReplaceAllStringFunc(text, blank), "\n") {
		line = strings.TrimRight(line, "\r")
		marker, _ := words.Fence(line)
		switch {
		case fence != "":
			if strings.HasPrefix(marker, fence) {
				fence = ""
			}
			continue
		case marker != "":
			fence = marker
			continue
		}
		if m := headLine.FindStringSubmatch(line); m != nil {
			if section = m[2]; title == "" && m[1] == "#" {
				title, section = m[2], ""
			}
			continue
		}
		m := boxLine.FindStringSubmatch(line)
		switch {
		case m == nil:
			if l := listLine.FindStringSubmatch(line); l != nil && l[1] != "" && len(items) > 0 {
				items[len(items)-1].below = append(items[len(items)-1].below, l[2])
			}
		case m[1] != "" && len(items) > 0:
			items[len(items)-1].below = append(items[len(items)-1].below, m[3])
		default:
			items = append(items, item{text: m[3], mark: m[2], section: section, line: i + 1})
		}
	}
	return title, items
}

// blank keeps the line breaks of a comment, so that lines keep their numbers.
func blank(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) }

// readChecklist makes a story of each box of a list such as fix_plan.md or TODO.md.
func readChecklist(name, text string) *Plan {
	title, items := scan(text)
	p := &Plan{From: name, Title: strings.TrimPrefix(title, "Fix Plan - ")}
	p.loseMarks(items)
	for i, it := range items {
		s := Story{Title: it.text, Criteria: it.below, Passes: it.done(), priority: float64(i)}
		if it.section != "" {
			s.Technical = "Section of the source: " + it.section
		}
		p.Stories = append(p.Stories, s)
	}
	return p
}

// loseMarks lists the boxes with a mark that a story cannot have.
func (p *Plan) loseMarks(items []item) {
	for _, it := range items {
		if !it.done() && it.mark != " " {
			p.lose("line %d: the mark [%s] of %q: it is open work", it.line, it.mark, it.text)
		}
	}
}

// readGroups makes a story of each numbered section of a change's tasks.md; its boxes
// become the criteria.
func readGroups(name, text string) *Plan {
	title, items := scan(text)
	p := &Plan{From: name, Title: title}
	p.loseMarks(items)
	for i, it := range items {
		last := len(p.Stories) - 1
		head := number.ReplaceAllString(it.section, "")
		if head == "" {
			head = number.ReplaceAllString(it.text, "")
		}
		if i == 0 || it.section == "" || it.section != items[i-1].section {
			p.Stories = append(p.Stories, Story{Title: head, Passes: true, priority: float64(len(p.Stories))})
			last++
		}
		s := &p.Stories[last]
		s.Criteria = append(append(s.Criteria, number.ReplaceAllString(it.text, "")), it.below...)
		s.Passes = s.Passes && it.done()
	}
	for i := range p.Stories {
		if !p.Stories[i].Passes {
			continue
		}
		p.Stories[i].Notes = "finished in " + filepath.Base(name)
	}
	return p
}

// markdownStory makes a story of an issue: the boxes become its criteria, and so does
// the list below a heading "Acceptance Criteria". The rest is its description.
func markdownStory(title, text string) Story {
	s := Story{Title: title}
	text = label.ReplaceAllString(text, "## $1")
	_, items := scan(text)
	for _, it := range items {
		s.Criteria = append(append(s.Criteria, it.text), it.below...)
	}
	before, after := cutSection(text, "acceptance criteria")
	if len(s.Criteria) == 0 {
		s.Criteria = itemsOf(after)
	}
	if after != "" {
		text = before
	}
	s.Text = text
	return s
}

// cutSection takes the section with the heading out of a text: it returns the text
// without it, and its body.
func cutSection(text, heading string) (rest, body string) {
	var kept, cut []string
	level := 0
	for line := range strings.SplitSeq(text, "\n") {
		m := headLine.FindStringSubmatch(strings.TrimRight(line, "\r"))
		switch {
		case m != nil && strings.EqualFold(strings.TrimRight(m[2], ":"), heading):
			level = len(m[1])
			continue
		case m != nil && level > 0 && len(m[1]) <= level:
			level = 0
		}
		if level > 0 {
			cut = append(cut, line)
		} else {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n"), strings.TrimSpace(strings.Join(cut, "\n"))
}

// itemsOf returns the list items of a text, or its lines where it has no list.
func itemsOf(text string) []string {
	var list, lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if m := boxLine.FindStringSubmatch(line); m != nil {
			list = append(list, m[3])
		} else if m := listLine.FindStringSubmatch(line); m != nil {
			list = append(list, m[2])
		} else if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if len(list) > 0 {
		return list
	}
	return lines
}
