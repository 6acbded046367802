package main

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	source "github.com/yuin/goldmark/text"
)

// generated starts the part of a page that is generated from code: its language is
// checked there.
var generated = regexp.MustCompile(`(?m)^<!-- (The rest of this page|From here on this page|What follows is made|figures:)`)

// sentence is a sentence of a page with its number of words.
type sentence struct {
	text
	words int
	cell  bool // of a table
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()

// sentences returns the sentences of a markdown page, without code, headings and links.
func sentences(path string, page []byte) (found []sentence) {
	if at := generated.FindIndex(page); at != nil {
		page = page[:at[0]]
	}
	_ = ast.Walk(markdown.Parse(source.NewReader(page)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		_, cell := n.(*tables.TableCell)
		switch n.(type) {
		case *ast.Paragraph, *ast.TextBlock, *tables.TableCell:
			if !entering {
				return ast.WalkContinue, nil
			}
		default:
			return ast.WalkContinue, nil
		}
		line := 1
		if n.Lines().Len() > 0 {
			line += bytes.Count(page[:n.Lines().At(0).Start], []byte("\n"))
		}
		content := box.ReplaceAllString(plain(n, page), "")
		for _, s := range split(content) {
			found = append(found, sentence{text{path, line, s}, len(strings.Fields(s)), cell})
		}
		return ast.WalkSkipChildren, nil
	})
	return found
}

// plain returns the text of a node; a code span is one word.
func plain(n ast.Node, page []byte) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			out.Write(n.Value(page))
			if n.SoftLineBreak() || n.HardLineBreak() {
				out.WriteByte(' ')
			}
		case *ast.CodeSpan:
			out.WriteString("CODE")
			return ast.WalkSkipChildren, nil
		case *ast.Image, *ast.RawHTML:
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

var (
	box = regexp.MustCompile(`^\[[ x]\] `)
	end = regexp.MustCompile(`[.!?][)"”]?\s+`)
)

// split cuts a text into its sentences.
func split(s string) (found []string) {
	for {
		at := end.FindStringIndex(s)
		if at == nil {
			break
		}
		found = append(found, strings.TrimSpace(s[:at[1]]))
		s = s[at[1]:]
	}
	if s = strings.TrimSpace(s); s != "" {
		found = append(found, s)
	}
	return found
}
