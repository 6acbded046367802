// Package spec reads spec.md, which defines what a feature must do. It parses sections and
// stories with their lines, generates prd.json from them, and reports where the two disagree.
//
// It tolerates variations in form. It never skips a story that it cannot parse: it reports it.
package spec

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"ralph/internal/prd"
	"ralph/internal/regular"
)

// MaxSize is the largest accepted spec.md, in bytes.
const MaxSize = 16 << 20

// Spec is the parsed content of a spec.md.
type Spec struct {
	File     string
	Title    string   // the first heading of level 1
	Created  string   // from the front matter, ISO-8601; empty where missing or not a time
	Problem  string   // the first paragraph of the Problem Statement, in one line
	Sections []string // titles of the headings that do not belong to a story
	Stories  []Story  // with unique ids, in the order of the file

	unreadable map[string]bool // ids of stories that were reported instead of read
	broken     *Problem        // the first finding that is no warning
}

// Story is one story of the spec. Each text is one line as written, without checkboxes.
type Story struct {
	ID          string
	Title       string
	Description string // "As a ..., I want to ..., so that ..."
	Criteria    []Criterion
	Priority    *float64 // nil where the spec names none
	DependsOn   []string // ids after the label "Depends on"
	Mentions    []string // ids that any other text says this story needs first
	Model       string   // empty where the spec names none
	Line        int

	level   int
	plain   string // the title without emphasis, links and tags that format
	depends bool   // there is a label "Depends on", possibly with "none"
}

// Criterion is an acceptance criterion.
type Criterion struct {
	Text string
	Line int
}

// Problem is a problem in a spec.md. If it is not a warning, no plan can be generated.
type Problem struct {
	prd.Problem
	Warning bool
}

// HasSection reports whether there is a section with the title, ignoring case.
func (s *Spec) HasSection(title string) bool {
	return slices.ContainsFunc(s.Sections, func(t string) bool { return sameWords(t, title) })
}

// Load reads and parses a spec.md. The findings are problems in its content. An error means
// that it cannot be read at all; it is an *prd.InvalidError for invalid content. The error
// wraps fs.ErrNotExist if the file does not exist.
func Load(path string) (*Spec, []Problem, error) {
	data, err := regular.Read(path, MaxSize)
	if err != nil {
		return nil, nil, err
	}
	return Parse(path, data)
}

// Parse parses the content of a spec.md, with the results of Load. name is the file's name in
// findings.
func Parse(name string, data []byte) (*Spec, []Problem, error) {
	src := normal(data)
	if f := unreadable(src); f != nil {
		f.File = name
		return nil, nil, &prd.InvalidError{Findings: []prd.Problem{*f}}
	}
	r := newReader(name, src)
	r.frontMatter()
	r.body()
	r.finish()
	return r.spec, r.findings, nil
}

// normal removes a byte order mark and makes every line end with a line feed.
// The number of lines stays what it was.
func normal(data []byte) []byte {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if bytes.IndexByte(data, '\r') >= 0 {
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
		data = bytes.ReplaceAll(data, []byte("\r"), []byte("\n"))
	}
	return data
}

// unreadable returns the reason why a text cannot be parsed, or nil.
func unreadable(src []byte) *prd.Problem {
	if len(src) > MaxSize {
		return &prd.Problem{Message: fmt.Sprintf("larger than %d MB", MaxSize>>20)}
	}
	line, valid := 0, utf8.Valid(src)
	for text := range bytes.Lines(src) {
		line++
		if !valid && !utf8.Valid(text) {
			return &prd.Problem{Line: line, Message: "the file is not valid UTF-8", Hint: "Save it as UTF-8."}
		}
		if prefix(text) > maxPrefix {
			return &prd.Problem{Line: line, Message: "the line is indented or nested too deeply"}
		}
	}
	return nil
}

// maxPrefix bounds how deep lists and quotes can be nested: every level needs
// at least one character at the beginning of a line, and every line costs time
// for each of its levels.
const maxPrefix = 400

// prefix is the length of what can nest at the beginning of a line with text.
func prefix(line []byte) int {
	line = bytes.TrimRight(line, " \t\n")
	return len(line) - len(bytes.TrimLeft(line, " \t>-*+0123456789.)"))
}
