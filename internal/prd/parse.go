package prd

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// Parse reads and checks the content of a prd.json; name stands for the file
// in findings. A byte order mark and CRLF are accepted. What is returned
// follows Load.
func Parse(name string, data []byte) (*PRD, []Finding, error) {
	src := strings.TrimPrefix(string(data), "\ufeff")
	if f := notJSON(src); f != nil {
		f.File = name
		return nil, nil, &InvalidError{Findings: []Finding{*f}}
	}
	d := decoder{src: src, line: 1}
	p := d.document()
	for _, fs := range [][]Finding{d.broken, d.odd} {
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

// Blank tells whether a file with this content holds nothing that could be
// lost, be it because a write was cut off.
func Blank[T string | []byte](content T) bool {
	return strings.TrimSpace(strings.TrimPrefix(string(content), "\ufeff")) == ""
}

// notJSON tells where src stops being JSON in UTF-8, or nil.
func notJSON(src string) *Finding {
	var text json.RawMessage
	syntax := (*json.SyntaxError)(nil)
	switch {
	case Blank(src):
		return &Finding{Message: "the file is empty", Hint: "Run 'ralph prd' to make it from spec.md."}
	case strings.HasPrefix(src, "\xff\xfe") || strings.HasPrefix(src, "\xfe\xff"):
		return &Finding{Line: 1, Column: 1, Message: "the file is in UTF-16", Hint: "Save it as UTF-8."}
	case !utf8.ValidString(src):
		return at(src, firstInvalid(src), "the file is not valid UTF-8", "Save it as UTF-8.")
	case json.Valid([]byte(src)): // takes half the time of the call that can tell more
	case errors.As(json.Unmarshal([]byte(src), &text), &syntax):
		// Offset counts the byte that was refused.
		return at(src, int(syntax.Offset)-1, "not JSON: "+syntax.Error(), "Mend the file, or restore it and run 'ralph prd'.")
	}
	return nil
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

func at(src string, offset int, message, hint string) *Finding {
	line, column := newLineIndex(src).position(offset)
	return &Finding{Line: line, Column: column, Message: message, Hint: hint}
}
