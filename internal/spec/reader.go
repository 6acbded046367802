package spec

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"ralph/internal/prd"
)

// reader goes through a spec.md from top to bottom.
type reader struct {
	src      []byte // without the front matter, once that was read
	blocks   parser.Parser
	inline   parser.Parser // made when a heading needs it
	spec     *Spec
	findings []Problem

	line, counted int // the line of the offset up to which lines are counted

	storyState
	loose bool // what is no criterion was reported in the block at hand

	problem bool     // within the Problem Statement
	at      *suspect // the section at hand, or the one around the story at hand
	within  int      // the level of the section of the stories, 0 outside of it
	usual   int      // the level at which stories would be; 0 where that section is missing

	// For the verdict at the end.
	suspects []*suspect
	hidden   []hidden
	agains   []again
}

// storyState is what is known of the story at hand.
type storyState struct {
	story *Story // nil between two stories
	label label  // what the text at hand is about
	wish  narrative
	free  []string        // lines without a label
	named map[string]bool // the names of its lists of criteria
	who   bool            // it has its "As a"
	again *again          // where a second story seems to begin in it
}

func newReader(name string, src []byte) *reader {
	return &reader{
		src:  src,
		line: 1,
		// Without inline parsers: text is compared as it is written.
		blocks: parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...)),
		spec:   &Spec{File: name, unreadable: map[string]bool{}},
	}
}

func (r *reader) report(f Problem, line int, message, hint string) {
	f.Problem = prd.Problem{File: r.spec.File, Line: line, Message: message, Hint: hint}
	r.findings = append(r.findings, f)
}

// body reads the blocks after the front matter.
func (r *reader) body() {
	doc := r.blocks.Parse(text.NewReader(r.src))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		r.block(n)
	}
}

// block reads one block. Code, HTML, comments and quotes say nothing.
func (r *reader) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		r.heading(n)
	case *ast.Paragraph, *ast.TextBlock:
		r.paragraph(n)
	case *ast.List:
		r.list(n)
	case *ast.CodeBlock:
		r.indented(n)
	case *ast.FencedCodeBlock:
		r.fence(n)
	case *ast.HTMLBlock:
		r.html(n)
	}
}

// lineAt returns the line of a block. It is the line of the block's first text, because
// goldmark's position of a block is too large after tabs.
func (r *reader) lineAt(n ast.Node) int {
	if n.Type() == ast.TypeBlock && n.Lines().Len() > 0 {
		return r.lineOf(n.Lines().At(0).Start)
	}
	return r.lineOf(n.Pos())
}

// lineOf returns the line of an offset in the text after the front matter.
func (r *reader) lineOf(offset int) int {
	offset = min(max(offset, 0), len(r.src))
	if offset < r.counted {
		return r.line - bytes.Count(r.src[offset:r.counted], []byte("\n"))
	}
	r.line += bytes.Count(r.src[r.counted:offset], []byte("\n"))
	r.counted = offset
	return r.line
}

// lines returns the lines of a block, as they are in the file.
func (r *reader) lines(n ast.Node) [][]byte {
	segments := n.Lines()
	lines := make([][]byte, segments.Len())
	for i := range lines {
		segment := segments.At(i)
		lines[i] = segment.Value(r.src)
	}
	return lines
}

// finish closes the last story and checks what needs the whole file.
func (r *reader) finish() {
	r.endStory()
	r.checkStories()
	broken := func(f Problem) bool { return !f.Warning }
	if len(r.spec.Stories) == 0 && !slices.ContainsFunc(r.findings, broken) { // such a finding explains why there is no story
		r.report(Problem{}, 0, "there is no story in it",
			`Write each as a heading "### STORY-001: Title" with its "**Acceptance Criteria:**" below.`)
	}
	slices.SortStableFunc(r.findings, func(a, b Problem) int { return a.Line - b.Line })
	if i := slices.IndexFunc(r.findings, broken); i >= 0 {
		r.spec.broken = &r.findings[i]
	}
}

// checkStories reports stories that cannot be used as they are.
func (r *reader) checkStories() {
	prefixes := map[string]bool{"STORY": true, "US": true}
	lines := map[string]int{}
	for _, s := range r.spec.Stories {
		if len(s.Criteria) > 0 {
			prefixes[idPrefix(s.ID)] = true
		}
	}
	kept := r.spec.Stories[:0]
	for _, s := range r.spec.Stories {
		first, taken := lines[s.ID]
		switch {
		case len(s.Criteria) == 0 && !prefixes[idPrefix(s.ID)]:
			// Most likely the name of a standard, as in "UTF-8: names".
			r.report(Problem{Warning: true}, s.Line, fmt.Sprintf("%s has no acceptance criteria and is not taken for a story", s.ID), "")
			continue
		case taken:
			r.report(Problem{}, s.Line, fmt.Sprintf("the id %s is taken by the story in line %d", s.ID, first), "Give each story its own id.")
			continue
		}
		lines[s.ID] = s.Line
		kept = append(kept, s)
	}
	r.spec.Stories = kept
	reported := r.judgeSuspects(prefixes, lines)
	r.judgeHidden(prefixes, lines)
	r.judgeAgain(reported)
}
