package journal

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
)

// maxLine bounds one line of a journal, in bytes. ralph's own stay far below:
// what could be long in an event is cut before it is written.
const maxLine = 16 << 20

// LineError is a line of the journal that could not be read. The events on
// the other lines are not affected.
type LineError struct {
	Line int    // from 1
	Run  string // that it names, as far as it can be read
	Err  error
}

// Error implements error.
func (e *LineError) Error() string {
	return fmt.Sprintf("line %d of the journal cannot be read: %v", e.Line, e.Err)
}

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// SchemaError says that a newer ralph wrote the run that begins on this line.
// Its events are read as far as they are understood.
type SchemaError struct {
	Line   int
	Schema int // of the run; greater than SchemaVersion
}

// Error implements error.
func (e *SchemaError) Error() string {
	return fmt.Sprintf("line %d of the journal was written by a newer ralph (schema %d, this one reads %d): update ralph to read all of it",
		e.Line, e.Schema, SchemaVersion)
}

// Read yields the events of a journal in order. Together with an error the
// event is empty: after a [LineError] and a [SchemaError] reading continues,
// any other error is the reader's own and the last. Events of unknown types
// are left out in silence, as a newer program may have written them, and so
// is an unfinished last line, which its writer never confirmed.
func Read(r io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		s := lineScanner{r: bufio.NewReaderSize(r, 64<<10)}
		for {
			line, whole, err := s.next()
			if err != nil && err != io.EOF {
				yield(Event{}, fmt.Errorf("the journal cannot be read: %w", err))
				return
			}
			if !yieldLine(line, s.n, whole, s.long, yield) || err == io.EOF {
				return
			}
		}
	}
}

// yieldLine yields what one line says and reports whether to continue.
func yieldLine(line []byte, n int, whole, long bool, yield func(Event, error) bool) bool {
	if long {
		return yield(Event{}, &LineError{n, "", fmt.Errorf("it is longer than %d MiB", maxLine>>20)})
	}
	e, err := parseLine(line)
	if err != nil && whole && !yield(Event{}, &LineError{n, runOf(line), err}) {
		return false
	}
	started, ok := e.Body.(RunStarted)
	if ok && started.Schema > SchemaVersion && !yield(Event{}, &SchemaError{n, started.Schema}) {
		return false
	}
	return e.Body == nil || yield(e, nil)
}

// parseLine reads the event of a line. It has no body if the line is blank, cannot be read, or has
// a type of a newer program. If a write was torn and the next one followed on the same line, the
// error describes the first, and the second is found by the start that every line has.
func parseLine(line []byte) (e Event, err error) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return e, nil
	}
	if err = e.UnmarshalJSON(line); errors.Is(err, errUnknownType) {
		return e, nil
	}
	if err != nil {
		if at := bytes.LastIndex(line, []byte(lineStart)); at > 0 {
			_ = e.UnmarshalJSON(line[at:]) // the error is that of the line
		}
	}
	return e, err
}

// runOf returns the id of the run that a line names, as far as it can be read.
func runOf(line []byte) string {
	head, ok := cutHead(bytes.TrimSpace(line))
	if !ok {
		head = findHead(line)
	}
	return string(head.run)
}

// lineScanner reads lines of any length but keeps at most maxLine bytes.
type lineScanner struct {
	r    *bufio.Reader
	buf  []byte
	n    int  // number of the line last read
	size int  // of the line last read, newline included
	long bool // the line last read was longer than maxLine
}

// next returns the next line, valid until the next call, and whether it ended
// in a newline. The last line comes together with io.EOF.
func (s *lineScanner) next() (line []byte, whole bool, err error) {
	s.n++
	s.buf, s.size, s.long = s.buf[:0], 0, false
	for {
		part, err := s.r.ReadSlice('\n')
		s.size += len(part)
		if len(s.buf) == 0 && err == nil {
			return part, true, nil
		}
		if len(s.buf)+len(part) > maxLine {
			s.long = true
		} else {
			s.buf = append(s.buf, part...)
		}
		if err != bufio.ErrBufferFull {
			return s.buf, err == nil, err
		}
	}
}

// Damage sums up what reading a journal had to leave out.
type Damage struct {
	Lines  int          // that could not be read
	First  *LineError   // the first of them
	Run    string       // of the last of them that names one
	Schema *SchemaError // the last run that a newer ralph wrote
}

// Note takes note of an error that [Read] yielded and reports whether reading continues.
func (d *Damage) Note(err error) bool {
	var line *LineError
	var schema *SchemaError
	switch {
	case errors.As(err, &line):
		d.Lines++
		d.Run = cmp.Or(line.Run, d.Run)
		if d.First == nil {
			d.First = line
		}
	case errors.As(err, &schema):
		d.Schema = schema
	default:
		return false
	}
	return true
}

// Warnings are the sentences that a user should see about the journal at path.
func (d Damage) Warnings(path string) []string {
	var out []string
	if d.Schema != nil {
		out = append(out, fmt.Sprintf("%s: %v", path, d.Schema))
	}
	if d.Lines == 1 {
		out = append(out, fmt.Sprintf("%s:%d: this line was left out: %v", path, d.First.Line, d.First.Err))
	}
	if d.Lines > 1 {
		out = append(out, fmt.Sprintf("%s:%d: this line and %d more were left out: %v", path, d.First.Line, d.Lines-1, d.First.Err))
	}
	return out
}

// Scan calls fn for each event of the journal at path, holding one at a time.
// A journal that does not exist is an error that is fs.ErrNotExist.
func Scan(path string, fn func(Event)) (Damage, error) {
	var damage Damage
	f, err := os.Open(path)
	if err != nil {
		return damage, fmt.Errorf("the journal cannot be read: %w", err)
	}
	defer f.Close()
	for e, err := range Read(f) {
		switch {
		case err == nil:
			fn(e)
		case !damage.Note(err):
			return damage, fmt.Errorf("%s: %w", path, err)
		}
	}
	return damage, nil
}

// ReadFile returns all events of the journal at path. Prefer [Scan] with a
// fold where the events themselves are not needed.
func ReadFile(path string) ([]Event, Damage, error) {
	var events []Event
	damage, err := Scan(path, func(e Event) { events = append(events, e) })
	return events, damage, err
}

// Add takes note of what another part of the journal's reading had to leave out.
func (d *Damage) Add(more Damage) {
	d.Lines += more.Lines
	d.Run = cmp.Or(more.Run, d.Run)
	if d.First == nil {
		d.First = more.First
	}
	if more.Schema != nil {
		d.Schema = more.Schema
	}
}
