package prd

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// Problem describes an error or an oddity at one place of a file.
type Problem struct {
	File    string
	Line    int    // from 1; 0 where the finding is about the whole file
	Column  int    // from 1, counted in characters; 0 where unknown
	Path    string // within the document, such as userStories[2].passes; empty for its root
	Message string
	Hint    string // what to do about it; may be empty

	NoCriteria bool // a story has no acceptance criteria; quality checks can replace them
}

// Place returns the position of the finding as file:line:column, as far as it is known.
func (f Problem) Place() string {
	switch {
	case f.Line == 0:
		return f.File
	case f.Column == 0:
		return fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)
}

// String returns the finding in one line, without its hint.
func (f Problem) String() string {
	s := f.Place() + ": "
	if f.Path != "" {
		s += f.Path + ": "
	}
	return s + f.Message
}

// InvalidError reports the places where a prd.json breaks the rules. It holds at least one
// finding; they are in the order of the file.
type InvalidError struct {
	Findings []Problem
}

// Error returns the first finding and the number of the others.
func (e *InvalidError) Error() string {
	s := e.Findings[0].String()
	if more := len(e.Findings) - 1; more > 0 {
		s += fmt.Sprintf(" (and %d more)", more)
	}
	return s
}

// sortFindings orders findings by their place.
func sortFindings(fs []Problem) {
	slices.SortStableFunc(fs, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
}

// lineIndex turns offsets into lines and columns. It is made only once there
// is something to report.
type lineIndex struct {
	src    string
	starts []int // offset of each line's first byte
}

func newLineIndex(src string) *lineIndex {
	x := &lineIndex{src: src, starts: []int{0}}
	for i := 0; ; {
		n := strings.IndexByte(src[i:], '\n')
		if n < 0 {
			return x
		}
		i += n + 1
		x.starts = append(x.starts, i)
	}
}

// position returns line and column, both from 1, of the byte at offset.
func (x *lineIndex) position(offset int) (line, column int) {
	offset = max(0, min(offset, len(x.src)))
	line = sort.SearchInts(x.starts, offset+1)
	return line, 1 + utf8.RuneCountInString(x.src[x.starts[line-1]:offset])
}
