// Package spec reads spec.md, the source of truth for what a feature must do:
// its sections and its stories, each with its line. It makes prd.json from them and
// reports where the two disagree.
//
// It is tolerant in form and strict in meaning. What looks like a story but
// cannot be read as one is reported, never skipped in silence.
package spec

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"ralph/internal/prd"
	"ralph/internal/regular"
)

// MaxSize is the largest spec.md, in bytes, that is read.
const MaxSize = 16 << 20

// Spec is the content of a spec.md, as far as it matters to a run.
type Spec struct {
	File     string
	Title    string // the first heading of level 1
	Created  string // from the front matter, ISO-8601; empty where missing or not a time
	Problem  string // the first paragraph of the Problem Statement, in one line
	Sections []Section
	Stories  []Story // with unique ids, in the order of the file

	unreadable map[string]bool // ids of stories that were reported instead of read
	broken     *Finding        // the first finding that is no warning
}

// Section is a heading that is no story and not part of one.
type Section struct {
	Title string
	Level int
	Line  int
}

// Story is one story of the spec. Text is in one line, as it is written, but
// without boxes.
type Story struct {
	ID             string
	Title          string
	Description    string // "As a ..., I want to ..., so that ..."
	Criteria       []Criterion
	Priority       *float64 // nil where the spec names none
	TechnicalNotes string
	DependsOn      []string // ids after the label "Depends on"
	Mentions       []string // ids that any other text says this story needs first
	Model          string   // empty where the spec names none
	Line           int

	level   int
	plain   string // the title without emphasis, links and tags that format
	depends bool   // there is a label "Depends on", possibly with "none"
}

// Criterion is an acceptance criterion.
type Criterion struct {
	Text string
	Line int
}

// Finding is a problem in a spec.md. One that is not a warning leaves the plan incomplete:
// nothing can be generated from it.
type Finding struct {
	prd.Finding
	Warning bool
}

// Section returns the section with the title, in any case, or nil.
func (s *Spec) Section(title string) *Section {
	for i := range s.Sections {
		if sameWords(s.Sections[i].Title, title) {
			return &s.Sections[i]
		}
	}
	return nil
}

// Load reads the file. The findings are about its content; the error, an
// *prd.InvalidError where the content is at fault, says that it cannot be read
// at all. It wraps fs.ErrNotExist where there is no file.
func Load(path string) (*Spec, []Finding, error) {
	data, err := regular.Read(path, MaxSize)
	if err != nil {
		return nil, nil, err
	}
	return Parse(path, data)
}

// Parse reads the content of a spec.md, and returns what Load returns. name is the file's
// name in findings.
func Parse(name string, data []byte) (*Spec, []Finding, error) {
	src := normal(data)
	if f := unreadable(src); f != nil {
		f.File = name
		return nil, nil, &prd.InvalidError{Findings: []prd.Finding{*f}}
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
func unreadable(src []byte) *prd.Finding {
	if len(src) > MaxSize {
		return &prd.Finding{Message: fmt.Sprintf("larger than %d MB", MaxSize>>20)}
	}
	line, valid := 0, utf8.Valid(src)
	for text := range bytes.Lines(src) {
		line++
		if !valid && !utf8.Valid(text) {
			return &prd.Finding{Line: line, Message: "the file is not valid UTF-8", Hint: "Save it as UTF-8."}
		}
		if prefix(text) > maxPrefix {
			return &prd.Finding{Line: line, Message: "the line is indented or nested too deeply"}
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
