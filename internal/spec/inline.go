package spec

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxInline is the longest text, in bytes, in which emphasis is parsed: the time for it
// can grow with the square of the length.
const maxInline = 1000

// plain returns the text of a heading without emphasis, links, comments and the
// tags of HTML that only format. Code keeps its backticks.
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
			if tag := string(c.Segments.Value(src)); !formats(tag) {
				b.WriteString(tag)
			}
		default:
			writePlain(b, c, src)
		}
	}
}

// formats reports whether a tag shows nothing by itself, such as a comment. Other tags are
// words of a title, as in "Add a <Button> to the page".
func formats(tag string) bool {
	if strings.HasPrefix(tag, "<!") || strings.HasPrefix(tag, "<?") {
		return true
	}
	name := strings.Trim(tag, "</>")
	if i := strings.IndexAny(name, " \t\n/"); i >= 0 {
		name = name[:i]
	}
	switch name {
	case "a", "abbr", "b", "br", "code", "del", "em", "font", "i", "img", "ins", "kbd", "mark", "q", "s", "small", "span", "strong", "sub", "sup", "u", "var":
		return true
	}
	return false
}
