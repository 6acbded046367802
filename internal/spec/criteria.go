package spec

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// criterion adds an item, and the items below it as criteria of their own.
func (r *reader) criterion(item, first ast.Node) {
	text, line := "", r.lineOf(item.Pos())
	if first != nil {
		line = r.lineAt(first)
	}
	own := 0 // lines of first that belong to the criterion
	if first != nil && (first.Kind() == ast.KindTextBlock || first.Kind() == ast.KindParagraph) {
		lines := r.lines(first)
		own = r.beforeLabel(first, lines)
		text = fold(stripBox(joined(lines[:own])))
	}
	if text == "" && (first == nil || first.Kind() != ast.KindList && first.Kind() != ast.KindHeading) {
		r.report(Problem{Warning: true}, line, fmt.Sprintf("an acceptance criterion of %s is empty", r.story.ID), "Write it, or remove the item.")
	}
	if text != "" {
		r.story.Criteria = append(r.story.Criteria, Criterion{text, line})
		r.depends(text)
	}
	if first != nil {
		r.afterCriterion(first, own)
	}
}

// beforeLabel returns how many lines of a criterion there are before one that
// markdown takes for its continuation, for want of a blank line, and people
// for something else.
func (r *reader) beforeLabel(n ast.Node, lines [][]byte) int {
	for i, line := range lines {
		text := strings.TrimSpace(string(line))
		r.falseHeading(text, n.Lines().At(i).Start, "")
		if i == 0 {
			continue
		}
		bold, _ := cutBold(text)
		if _, rest, ok := cutLabel(text); ok && (bold != "" || rest == "") {
			return i
		}
	}
	return len(lines)
}

// afterCriterion reads the rest of a list item after the first lines of its first block,
// the criterion.
func (r *reader) afterCriterion(first ast.Node, lines int) {
	if segments := first.Lines(); first.Kind() == ast.KindTextBlock || first.Kind() == ast.KindParagraph {
		for i := lines; i < segments.Len(); i++ {
			segment := segments.At(i)
			r.textLine(strings.TrimSpace(string(segment.Value(r.src))), segment.Start)
		}
		first = first.NextSibling()
	}
	for c := first; c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Heading:
			r.headingInList(c)
		case *ast.Paragraph:
			if r.loose = r.story == nil; r.loose {
				continue // a heading further in has ended it
			}
			r.noCriterion(joined(r.lines(c)), c.Lines().At(0).Start)
		default:
			r.block(c)
		}
	}
}

// noCriterion reports, once in a block, text where only criteria should be.
func (r *reader) noCriterion(text string, offset int) {
	if r.loose || text == "" {
		return
	}
	r.loose = true
	r.report(Problem{Warning: true}, r.lineOf(offset),
		fmt.Sprintf("%q is among the acceptance criteria of %s, but is not read as one", shortened(text), r.story.ID),
		`Start each criterion with "- [ ] ", and other text with a label such as "**Technical Notes:**".`)
}
