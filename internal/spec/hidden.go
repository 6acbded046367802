package spec

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// hidden is code, a comment or other HTML. It says nothing, but may have
// swallowed what should be read.
type hidden struct {
	line     int        // where it opens
	what     string     // what people call it
	stories  []*suspect // what looks like stories in it
	criteria bool       // what looks like acceptance criteria is in it
	open     bool       // it is never closed
	again    bool       // another one is opened in it
}

// fence looks into a block of code between fences.
func (r *reader) fence(n *ast.FencedCodeBlock) {
	h := hidden{what: "code block"}
	r.lookInto(&h, n)
	end := r.endOf(n)
	h.open = len(bytes.TrimSpace(r.src[end:])) == 0 // otherwise a closing fence would follow
	r.hide(h)
}

// closers end the kinds of HTML blocks that a blank line does not end.
var closers = map[ast.HTMLBlockType]string{
	ast.HTMLBlockType1: "</", ast.HTMLBlockType2: "-->", ast.HTMLBlockType3: "?>", ast.HTMLBlockType4: ">", ast.HTMLBlockType5: "]]>",
}

// html searches a comment or another block of HTML for hidden stories.
func (r *reader) html(n *ast.HTMLBlock) {
	h := hidden{what: "HTML block"}
	r.lookInto(&h, n)
	closer, lasting := closers[n.HTMLBlockType]
	if !lasting {
		for _, s := range h.stories {
			s.text = s.id + " looks like a story, but is inside a block of HTML"
			s.hint = "Leave a blank line in front of its heading."
		}
		r.suspects = append(r.suspects, h.stories...)
		return
	}
	lines := r.lines(n)
	closed := n.HasClosure() || len(lines) == 1 && bytes.Contains(lines[0], []byte(closer))
	h.open = !closed && len(bytes.TrimSpace(r.src[r.endOf(n):])) == 0
	if n.HTMLBlockType == ast.HTMLBlockType2 {
		h.what = "comment"
		if n.HasClosure() {
			lines = append(lines, n.ClosureLine.Value(r.src))
		}
		h.again = slices.ContainsFunc(lines[1:], func(line []byte) bool { return bytes.Contains(line, []byte("<!--")) })
	}
	r.hide(h)
}

// hide keeps what a verdict at the end needs.
func (r *reader) hide(h hidden) {
	if h.open || len(h.stories) > 0 {
		r.hidden = append(r.hidden, h)
	}
}

// endOf returns the offset in the file after the lines of a block.
func (r *reader) endOf(n ast.Node) int {
	if lines := n.Lines(); lines.Len() > 0 {
		return lines.At(lines.Len() - 1).Stop
	}
	start := min(max(n.Pos(), 0), len(r.src))
	if i := bytes.IndexByte(r.src[start:], '\n'); i >= 0 {
		return start + i
	}
	return len(r.src)
}

// lookInto notes what in the block looks like a story.
func (r *reader) lookInto(h *hidden, n ast.Node) {
	h.line = r.lineAt(n)
	if n.Kind() == ast.KindFencedCodeBlock && n.Lines().Len() > 0 {
		h.line-- // the fence is no part of it
	}
	for i, line := range r.lines(n) {
		text := strings.TrimSpace(string(line))
		switch {
		case strings.HasPrefix(text, "#"):
			if head, ok := readHead(r.plain(strings.TrimLeft(text, "#"))); ok && head.separated {
				line := r.lineOf(n.Lines().At(i).Start)
				h.stories = append(h.stories, &suspect{id: head.id, line: line})
			}
		case strings.HasPrefix(text, "- ["), strings.HasPrefix(text, "* ["):
			h.criteria = true
		default:
			l, _, ok := cutLabel(text)
			h.criteria = h.criteria || ok && l == labelCriteria
		}
	}
}

// judgeHidden reports blocks that were not closed where they should have been.
func (r *reader) judgeHidden(prefixes map[string]bool, lines map[string]int) {
	unclosed := 0 // the line of a code block that is never closed
	for _, h := range r.hidden {
		if h.open && h.what == "code block" {
			unclosed = h.line
		}
	}
	for _, h := range r.hidden {
		swallowed := "what follows is not read"
		lost := slices.IndexFunc(h.stories, func(s *suspect) bool { return lines[s.id] == 0 && prefixes[idPrefix(s.id)] })
		if lost >= 0 {
			swallowed = fmt.Sprintf("it swallows %s in line %d", h.stories[lost].id, h.stories[lost].line)
		}
		switch {
		case h.open:
			r.report(Problem{Warning: lost < 0 && !h.criteria}, h.line,
				fmt.Sprintf("the %s that starts here is never closed: %s", h.what, swallowed), "Close it.")
		case lost < 0:
			continue
		case h.what == "code block" && unclosed > h.line:
			r.report(Problem{}, h.line, fmt.Sprintf("the code block that starts here is not closed where it should be: %s", swallowed),
				fmt.Sprintf("One fence is missing: the code block in line %d is never closed.", unclosed))
		case h.again:
			r.report(Problem{}, h.line, fmt.Sprintf("the %s that starts here is not closed where it should be: %s", h.what, swallowed),
				"Another one is opened in it: close it before that.")
		default:
			continue
		}
		for _, s := range h.stories {
			r.spec.unreadable[s.id] = true
		}
	}
}
