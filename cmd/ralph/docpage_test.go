package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docBlock is a fenced code block of a page, or a comment for the tests, which
// readers do not see.
type docBlock struct {
	line   int    // of its first line, from 1
	lang   string // "comment" for a comment
	marker string // the comment right above a fenced block, or empty
	text   string
}

// docPage is a page of the documentation as the tests see it.
type docPage struct {
	path   string // from the repository's root
	blocks []docBlock
}

// docPages are the pages for users, by name.
func docPages(t *testing.T) []docPage {
	t.Helper()
	paths, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(paths) < 5 {
		t.Fatalf("%d pages, %v", len(paths), err)
	}
	var pages []docPage
	for _, path := range append(paths, "../../README.md", "../../CONTRIBUTING.md", "../../ARCHITECTURE.md") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		page := docPage{path: strings.TrimPrefix(filepath.ToSlash(path), "../../")}
		if page.blocks, err = docBlocks(string(data)); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		pages = append(pages, page)
	}
	return pages
}

var docFence = regexp.MustCompile("^( *)(```+)(.*)$")

// docBlocks finds the fenced blocks and the comments of a page.
func docBlocks(text string) (blocks []docBlock, err error) {
	marker := ""
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		if rest, ok := strings.CutPrefix(lines[i], "<!-- "); ok || lines[i] == "<!--" {
			first, body := i, []string{rest}
			for !strings.Contains(lines[i], "-->") {
				if i++; i == len(lines) {
					return nil, fmt.Errorf("the comment of line %d has no end", first+1)
				}
				body = append(body, lines[i])
			}
			marker, _, _ = strings.Cut(strings.Join(body, "\n"), "-->")
			marker = strings.TrimSpace(marker)
			blocks = append(blocks, docBlock{line: first + 1, lang: "comment", text: marker})
			continue
		}
		if m := docFence.FindStringSubmatch(lines[i]); m != nil {
			b := docBlock{line: i + 1, lang: strings.TrimSpace(m[3]), marker: marker}
			for i++; i < len(lines) && strings.TrimSpace(lines[i]) != m[2]; i++ {
				b.text += strings.TrimPrefix(lines[i], m[1]) + "\n"
			}
			if i == len(lines) {
				return nil, fmt.Errorf("the block of line %d has no end", b.line)
			}
			blocks = append(blocks, b)
		}
		if strings.TrimSpace(lines[i]) != "" {
			marker = ""
		}
	}
	return blocks, nil
}

// docCommand is a command that a page shows, with the answer that it promises.
type docCommand struct {
	line   int
	text   string // with all its lines
	answer []string
	status bool // the page itself asks for the exit status next
}

// docCommands reads a block of language console: lines with "$ " are typed, lines
// with "> " continue them, all others are answers.
func docCommands(b docBlock) (commands []docCommand) {
	for i, line := range strings.Split(strings.TrimSuffix(b.text, "\n"), "\n") {
		last := len(commands) - 1
		if typed, ok := strings.CutPrefix(line, "$ "); ok {
			if last >= 0 && strings.Contains(typed, "$?") {
				commands[last].status = true
			}
			commands = append(commands, docCommand{line: b.line + 1 + i, text: typed})
		} else if more, ok := strings.CutPrefix(line, "> "); ok && last >= 0 && len(commands[last].answer) == 0 {
			commands[last].text += "\n" + more
		} else if last >= 0 {
			commands[last].answer = append(commands[last].answer, line)
		}
	}
	return commands
}

// matches reports whether a command answered what the page shows. "..." matches
// anything in a line; alone in a line, any lines.
func (c docCommand) matches(got string) bool {
	var want strings.Builder
	for _, line := range strings.Split(strings.Trim(strings.Join(c.answer, "\n"), "\n"), "\n") {
		if strings.TrimSpace(line) == "..." {
			want.WriteString(`(.*\n)*?`)
			continue
		}
		parts := strings.Split(strings.TrimRight(line, " "), "...")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		want.WriteString(strings.Join(parts, ".*") + ` *\n`)
	}
	return regexp.MustCompile(`^` + want.String() + `$`).MatchString(strings.Trim(got, "\n") + "\n")
}
