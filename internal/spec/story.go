package spec

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

// label is what a text within a story is about.
type label uint8

const (
	labelNone label = iota
	labelCriteria
	labelNotes
	labelStory // As a, I want to, So that
	labelPriority
	labelDepends
	labelModel
	labelOther
)

// labelOf is partOf for words that are set off as a label: whatever follows
// "Acceptance Criteria" there is a name for this list of them.
func labelOf(words string) label {
	if _, ok := cutCriteria(words); ok {
		return labelCriteria
	}
	return partOf(words)
}

// partOf returns the label with these words, or labelNone.
func partOf(words string) label {
	if name, ok := cutCriteria(words); ok {
		if c, _ := utf8.DecodeRuneInString(name); name == "" || strings.ContainsRune("([-–—:", c) {
			return labelCriteria
		}
	}
	const longest = 40 // no other label is
	if len(words) > longest {
		return labelNone
	}
	switch strings.ToLower(strings.TrimRight(fold(words), ": ")) {
	case "technical notes", "technical note", "notes":
		return labelNotes
	case "as a", "as an", "as the", "as", "i want to", "i want", "so that", "so":
		return labelStory
	case "priority":
		return labelPriority
	case "depends on", "dependencies", "dependency", "blocked by":
		return labelDepends
	case "model":
		return labelModel
	}
	return labelNone
}

// cutCriteria cuts "Acceptance Criteria" off the beginning.
func cutCriteria(words string) (name string, ok bool) {
	words = strings.TrimLeft(words, " ")
	if words == "" || words[0]|' ' != 'a' {
		return "", false
	}
	const most = 100 // bytes that are searched
	words = fold(words[:min(len(words), most)])
	for _, label := range [...]string{"acceptance criteria", "acceptance criterion"} {
		if n := len(label); len(words) >= n && strings.EqualFold(words[:n], label) && !isLetter(words, n) {
			return strings.Trim(words[n:], ": "), true
		}
	}
	return "", false
}

// narrative collects the parts of "As a, I want to, So that", each as the
// pieces of text in it.
type narrative [][]string

func (n narrative) String() string {
	parts := make([]string, 0, len(n))
	for i, pieces := range n {
		part := strings.TrimRight(fold(strings.Join(pieces, " ")), " ,;.")
		if rest, ok := strings.CutPrefix(part, "So "); ok && i > 0 {
			part = "so " + rest
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + "."
}

// add appends text to the last part. Text before the first part does not belong to the
// narrative.
func (n narrative) add(text string) {
	if len(n) > 0 {
		n[len(n)-1] = append(n[len(n)-1], text)
	}
}

// endStory puts the story at hand away.
func (r *reader) endStory() {
	r.problem = false
	if r.story == nil {
		return
	}
	r.story.Description = r.wish.String()
	if r.story.Description == "" {
		r.story.Description = fold(strings.Join(r.free, " "))
	}
	r.spec.Stories = append(r.spec.Stories, *r.story)
	if r.again != nil {
		r.agains = append(r.agains, *r.again)
	}
	r.storyState = storyState{}
}

// paragraph reads a block of text line by line: labels start lines more often than
// paragraphs.
func (r *reader) paragraph(n ast.Node) {
	lines := r.lines(n)
	if r.problem && r.spec.Problem == "" && n.Parent().Kind() == ast.KindDocument {
		r.spec.Problem = fold(joined(lines))
	}
	r.loose = len(lines) == 0 || bytes.HasSuffix(bytes.TrimSpace(lines[len(lines)-1]), []byte(":")) // it introduces what follows
	for i, line := range lines {
		text := strings.TrimSpace(string(line))
		offset := n.Lines().At(i).Start
		r.loose = r.falseHeading(text, offset, "") || r.loose
		if bold, rest := cutBold(text); bold != "" && rest == "" && partOf(bold) == labelNone && n.Kind() == ast.KindParagraph {
			if id, _, ok := cutNumberedID(bold); ok && (r.story == nil || id != r.story.ID) {
				r.loose = r.boldHeading(fold(bold), offset) || r.loose
			}
		}
		if r.story != nil {
			r.textLine(text, offset)
		} else if l, _, ok := cutLabel(text); ok {
			r.stray(l)
		}
	}
	if r.label == labelStory || r.label == labelPriority || r.label == labelModel {
		r.label = labelNone // they end with their paragraph
	}
}

// textLine reads a line of text of the story at hand.
func (r *reader) textLine(text string, offset int) {
	if l, rest, ok := cutLabel(text); ok {
		r.begin(l, strings.TrimSuffix(text, rest), r.lineOf(offset))
		if l == labelStory {
			r.narrate(text)
			return
		}
		text = rest
	}
	switch r.label {
	case labelStory:
		r.narrate(text)
	case labelNone:
		r.free = append(r.free, text)
	case labelPriority:
		r.priority(text, offset)
	case labelModel:
		r.model(text)
	case labelCriteria:
		r.noCriterion(text, offset)
	}
	r.depends(text)
}

// narrate adds a line to the narrative. One line may have all of its parts.
func (r *reader) narrate(text string) {
	seen := 0
	for seen < len(text) {
		start, end, bold := nextBold(text[seen:])
		if bold == "" {
			break
		}
		start, end = seen+start, seen+end
		if partOf(bold) != labelStory {
			seen = end
			continue
		}
		r.wish.add(text[:start])
		r.wish = append(r.wish, []string{strings.TrimRight(bold, ": ")})
		text, seen = strings.TrimLeft(text[end:], ": "), 0
	}
	r.wish.add(text)
}

func (r *reader) priority(text string, offset int) {
	word, _, _ := strings.Cut(strings.TrimLeft(strings.TrimSpace(text), "Pp#"), " ")
	n, err := strconv.ParseFloat(strings.TrimRight(word, ".,;"), 64)
	if err != nil || math.Abs(n) > 999999999 || math.IsNaN(n) {
		r.report(Problem{Warning: true}, r.lineOf(offset),
			fmt.Sprintf("the priority of %s is not a number", r.story.ID), "Its place in the file counts instead.")
		return
	}
	r.story.Priority = &n
}

// model reads the model that a story asks for. More than one word is about a
// model of something else.
func (r *reader) model(text string) {
	if id := strings.Trim(text, " `*_"); !strings.ContainsAny(id, " \t") {
		r.story.Model = id
	}
}

// list reads a list: criteria, or text in items.
func (r *reader) list(n ast.Node) {
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		first := item.FirstChild()
		if r.story != nil && r.label == labelCriteria && !r.newLabel(first) {
			r.criterion(item, first)
			continue
		}
		for c := first; c != nil; c = c.NextSibling() {
			if h, ok := c.(*ast.Heading); !ok || !r.headingInList(h) {
				r.block(c)
			}
		}
	}
}

// newLabel reports whether an item of the criteria starts another part. Its label must be
// in bold: "Notes: are saved" can be a criterion.
func (r *reader) newLabel(n ast.Node) bool {
	if n == nil || n.Lines().Len() == 0 {
		return false
	}
	text := strings.TrimSpace(joined(r.lines(n)))
	l, rest, ok := cutLabel(text)
	bold, _ := cutBold(text)
	return ok && bold != "" && (rest == "" || l == labelNotes || l == labelPriority || l == labelDepends || l == labelModel)
}
