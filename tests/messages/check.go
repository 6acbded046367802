package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// The limits of pages.
const (
	longestSentence = 25 // words
	averageSentence = 17 // words, of a page
	widest          = 99 // columns
	wordsInPages    = 1  // words to avoid, in 1,000
)

// The limits of messages and code. They are what the tree has today: lower them as it gets
// better. The aim is 1 word in 1,000, and no long line.
const (
	wordsInMessages = 1
	wordsInComments = 1
	longLinesInCode = 5800
	tabWidth        = 4
)

// How many places of words are shown without -v, and how many faults.
const (
	someOf     = 5
	someFaults = 30
)

//go:embed words.txt
var wordList string

//go:embed allow.txt
var allowList string

// avoided matches the words of words.txt.
func avoided() (*regexp.Regexp, error) {
	var patterns []string
	for _, line := range entries(wordList) {
		pattern, _, ok := strings.Cut(line, " -> ")
		if !ok {
			return nil, fmt.Errorf("words.txt: %q has no ' -> '", line)
		}
		patterns = append(patterns, strings.TrimSpace(pattern))
	}
	return regexp.Compile(`(?i)\b(?:` + strings.Join(patterns, "|") + `)\b`)
}

// entries returns the lines of a list without comments and empty lines.
func entries(list string) (found []string) {
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			found = append(found, line)
		}
	}
	return found
}

// checker counts words to avoid.
type checker struct {
	avoid   *regexp.Regexp
	allowed []string
	verbose bool
	faults  []string
}

func (c *checker) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

// rate checks that some texts use few of the words to avoid.
func (c *checker) rate(what string, texts []text, limit float64) {
	total, hits := 0, 0
	var places []string
	for _, t := range texts {
		s := t.text
		for _, fragment := range c.allowed {
			s = strings.ReplaceAll(s, fragment, "")
		}
		total += len(strings.Fields(s))
		for _, word := range c.avoid.FindAllString(s, -1) {
			hits++
			places = append(places, fmt.Sprintf("%s:%d: %q", t.path, t.line, word))
		}
	}
	per := 1000 * float64(hits) / float64(max(total, 1))
	fmt.Printf("%s: %d of %d words to avoid, %.1f in 1,000 (limit %.0f)\n", what, hits, total, per, limit)
	if per > limit {
		c.fault("%s: %.1f in 1,000 words are of tests/messages/words.txt (limit %.0f); -v shows all",
			what, per, limit)
	}
	if per > limit || c.verbose {
		if !c.verbose {
			places = places[:min(len(places), someOf)]
		}
		fmt.Println("  " + strings.Join(places, "\n  "))
	}
}

// checkLanguage checks pages, messages and comments.
func checkLanguage(verbose bool) error {
	avoid, err := avoided()
	if err != nil {
		return err
	}
	c := &checker{avoid: avoid, allowed: entries(allowList), verbose: verbose}
	if err := c.pages(); err != nil {
		return err
	}
	shown, err := messages()
	if err != nil {
		return err
	}
	c.rate("messages", shown, wordsInMessages)
	said, err := comments()
	if err != nil {
		return err
	}
	c.rate("comments", said, wordsInComments)
	if err := c.code(); err != nil {
		return err
	}
	if n := len(c.faults); n > 0 {
		return fmt.Errorf("the language needs work in %d places:\n  %s",
			n, strings.Join(c.faults[:min(n, someFaults)], "\n  "))
	}
	return nil
}

// pages checks the pages: sentences, line lengths, words.
func (c *checker) pages() error {
	paths, err := filepath.Glob("docs/*.md")
	if err != nil {
		return err
	}
	root, err := filepath.Glob("*.md")
	if err != nil {
		return err
	}
	var all []text
	count, sum := 0, 0
	for _, path := range slices.Concat(paths, root, []string{"docs/schemas/README.md"}) {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n, words := 0, 0
		for _, s := range sentences(path, data) {
			all = append(all, s.text)
			if s.words > longestSentence {
				c.fault("%s:%d: a sentence of %d words (limit %d): %.60s…",
					s.path, s.line, s.words, longestSentence, s.text.text)
			}
			if !s.cell {
				n, words = n+1, words+s.words
			}
		}
		if n > 0 && float64(words)/float64(n) > averageSentence {
			c.fault("%s: sentences have %.1f words on average (limit %d)", path, float64(words)/float64(n), averageSentence)
		}
		count, sum = count+n, sum+words
		c.widths(path, data)
	}
	fmt.Printf("pages: %d sentences of %.1f words on average\n", count, float64(sum)/float64(max(count, 1)))
	c.rate("pages", all, wordsInPages)
	return nil
}

// widths checks the lines of a page. Code and tables cannot be wrapped.
func (c *checker) widths(path string, page []byte) {
	if at := generated.FindIndex(page); at != nil {
		page = page[:at[0]]
	}
	code, comment, n := false, false, 0
	for line := range strings.Lines(string(page)) {
		n++
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		}
		comment = comment || strings.HasPrefix(line, "<!--")
		wraps := !code && !comment && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "![")
		if w := utf8.RuneCountInString(line); wraps && w > widest {
			c.fault("%s:%d: %d columns (limit %d)", path, n, w, widest)
		}
		comment = comment && !strings.Contains(line, "-->")
	}
}

// code counts the long lines of Go files.
func (c *checker) code() error {
	long := 0
	for _, folder := range append(slices.Clone(programs), "tests", "docs") {
		err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			return eachLine(path, func(_ string, _ int, line string) {
				line = strings.ReplaceAll(line, "\t", strings.Repeat(" ", tabWidth))
				if utf8.RuneCountInString(line) > widest {
					long++
				}
			})
		})
		if err != nil {
			return err
		}
	}
	fmt.Printf("Go: %d lines of more than %d columns (limit %d)\n", long, widest, longLinesInCode)
	if long > longLinesInCode {
		c.fault("Go: %d lines of more than %d columns (limit %d)", long, widest, longLinesInCode)
	}
	return nil
}
