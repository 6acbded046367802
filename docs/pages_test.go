package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	markdown "github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"ralph/internal/journal"
)

// TestShownCommands checks that each command and flag on the pages exists.
func TestShownCommands(t *testing.T) {
	root := readGrammar(t).command("grammar")
	shown := 0
	for _, page := range pages(t) {
		if page == "CHANGELOG.md" {
			continue // it may name what is gone
		}
		for _, line := range codeLines(t, page) {
			for _, call := range calls(line) {
				if words, ok := commandLine(call); ok {
					shown++
					root.check(t, page, call, words)
				}
			}
		}
	}
	if shown < 100 || len(root.subs) < 10 {
		t.Errorf("%d command lines against %d commands: are they still found?", shown, len(root.subs))
	}
}

// TestLinks follows each link from one of our pages to a file, and to a heading in it.
func TestLinks(t *testing.T) {
	followed := 0
	for _, page := range pages(t) {
		for _, link := range links(t, page) {
			u, err := url.Parse(link)
			if err != nil || u.Scheme != "" || u.Host != "" {
				continue
			}
			followed++
			target := page
			if u.Path != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(u.Path))
			}
			if _, err := os.Stat(target); err != nil || !filepath.IsLocal(target) {
				t.Errorf("%s: the link %s leads nowhere", page, link)
			} else if u.Fragment != "" && !slices.Contains(anchors(t, target), u.Fragment) {
				t.Errorf("%s: %s has no heading for the link %s", page, target, link)
			}
		}
	}
	if followed == 0 {
		t.Error("no link was found at all")
	}
}

// pages returns the markdown files about ralph itself.
func pages(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains([]string{"node_modules", "testdata", "templates"}, d.Name()) || strings.HasPrefix(path, ".") && path != "."):
			return fs.SkipDir
		case strings.HasSuffix(path, ".md"):
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// walk visits the nodes of a page.
func walk(t *testing.T, page string, visit func(n markdown.Node, source []byte)) {
	t.Helper()
	source := []byte(readFile(t, page))
	err := markdown.Walk(goldmark.DefaultParser().Parse(text.NewReader(source)), func(n markdown.Node, entering bool) (markdown.WalkStatus, error) {
		if entering {
			visit(n, source)
		}
		return markdown.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func links(t *testing.T, page string) (found []string) {
	t.Helper()
	walk(t, page, func(n markdown.Node, _ []byte) {
		switch n := n.(type) {
		case *markdown.Link:
			found = append(found, string(n.Destination))
		case *markdown.Image:
			found = append(found, string(n.Destination))
		}
	})
	return found
}

// anchors returns the names that GitHub gives to the headings of a page.
func anchors(t *testing.T, page string) (found []string) {
	t.Helper()
	dropped := regexp.MustCompile(`[^\p{L}\p{N}\- ]`)
	walk(t, page, func(n markdown.Node, source []byte) {
		if h, ok := n.(*markdown.Heading); ok {
			title := strings.ToLower(string(h.Lines().Value(source)))
			found = append(found, strings.ReplaceAll(dropped.ReplaceAllString(strings.TrimSpace(title), ""), " ", "-"))
		}
	})
	return found
}

// codeLines returns the lines of a page's code blocks, without the answers of commands,
// and the code in running text.
func codeLines(t *testing.T, page string) (lines []string) {
	t.Helper()
	walk(t, page, func(n markdown.Node, source []byte) {
		switch n := n.(type) {
		case *markdown.FencedCodeBlock:
			for line := range strings.Lines(string(n.Lines().Value(source))) {
				if string(n.Language(source)) != "console" || strings.HasPrefix(line, "$ ") {
					lines = append(lines, strings.TrimSuffix(line, "\n"))
				}
			}
		case *markdown.CodeSpan:
			var span strings.Builder
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				span.Write(c.(*markdown.Text).Value(source))
			}
			lines = append(lines, span.String())
		}
	})
	return lines
}

var shellOperator = regexp.MustCompile(` (?:\||&&) `)

// calls returns the commands of a line of shell. A pattern such as ralph COMMAND does not
// count, and neither does a word for ralph's own use.
func calls(line string) []string {
	if strings.HasPrefix(line, "ralph COMMAND") || strings.HasPrefix(line, "ralph __") {
		return nil
	}
	return shellOperator.Split(strings.TrimPrefix(line, "$ "), -1)
}

// commandLine returns the words after "ralph" in a line that calls it. Text after two
// spaces is an explanation.
func commandLine(line string) ([]string, bool) {
	call, _, _ := strings.Cut(strings.TrimPrefix(line, "$ "), "  ")
	words := strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(call))
	for len(words) > 0 && strings.Contains(words[0], "=") {
		words = words[1:] // a variable for the call
	}
	if len(words) < 2 || words[0] != "ralph" {
		return nil, false
	}
	return words[1:], true
}

// reasonsOf returns the values of the constants of type Reason.
func reasonsOf(t *testing.T, path string) (reasons []journal.Reason) {
	t.Helper()
	ast.Inspect(parseGo(t, path), func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "Reason" {
			for _, v := range spec.Values {
				value, err := strconv.Unquote(v.(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				reasons = append(reasons, journal.Reason(value))
			}
		}
		return true
	})
	return reasons
}

func parseGo(t *testing.T, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
