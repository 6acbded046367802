package prd

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// Parse reads and checks the content of a prd.json, and returns what Load returns. name
// is the file's name in findings. A byte order mark and CRLF are accepted.
func Parse(name string, data []byte) (*PRD, []Problem, error) {
	src := strings.TrimPrefix(string(data), "\ufeff")
	doc, f := document(src)
	if f != nil {
		f.File = name
		return nil, nil, &InvalidError{Findings: []Problem{*f}}
	}
	d := newDecoder(src)
	d.checkSchema(doc)
	p := d.document()
	for _, fs := range [][]Problem{d.broken, d.odd} {
		for i := range fs {
			fs[i].File = name
		}
		sortFindings(fs)
	}
	if len(d.broken) > 0 {
		return nil, d.odd, &InvalidError{Findings: d.broken}
	}
	return p, d.odd, nil
}

// Blank reports whether a file with this content can be overwritten without loss, for example
// after an interrupted write.
func Blank[T string | []byte](content T) bool {
	return strings.TrimSpace(strings.TrimPrefix(string(content), "\ufeff")) == ""
}

// document reads src, or reports where it stops being JSON in UTF-8.
func document(src string) (doc any, f *Problem) {
	syntax, number := (*json.SyntaxError)(nil), (*json.UnmarshalTypeError)(nil)
	switch {
	case Blank(src):
		return nil, &Problem{Message: "the file is empty", Hint: "Run 'ralph prd' to make it from spec.md."}
	case strings.HasPrefix(src, "\xff\xfe") || strings.HasPrefix(src, "\xfe\xff"):
		return nil, &Problem{Line: 1, Column: 1, Message: "the file is in UTF-16", Hint: "Save it as UTF-8."}
	case !utf8.ValidString(src):
		return nil, at(src, firstInvalid(src), "the file is not valid UTF-8", "Save it as UTF-8.")
	}
	err := json.Unmarshal([]byte(src), &doc)
	switch {
	case errors.As(err, &syntax):
		// Offset counts the byte that was refused.
		return nil, at(src, int(syntax.Offset)-1, "not JSON: "+syntax.Error(), "Repair the file, or restore it and run 'ralph prd'.")
	case errors.As(err, &number): // the schema's engine would panic
		text := strings.TrimPrefix(number.Value, "number ")
		start := max(0, int(number.Offset)-len(text)-1)
		return nil, at(src, start+strings.Index(src[start:], text), "the number "+text+" is too large", "Write one of at most nine digits.")
	}
	return doc, nil
}

// firstInvalid returns the offset of the first byte that is not UTF-8.
func firstInvalid(src string) int {
	for i, r := range src {
		if r == utf8.RuneError {
			// The replacement character itself, three bytes long, is valid.
			if _, size := utf8.DecodeRuneInString(src[i:]); size == 1 {
				return i
			}
		}
	}
	return len(src)
}

func at(src string, offset int, message, hint string) *Problem {
	line, column := newLineIndex(src).position(offset)
	return &Problem{Line: line, Column: column, Message: message, Hint: hint}
}
