package main

import (
	"bytes"
	"io"
	"os"
)

// tail passes on the last lines of what is written to it until it is released,
// and then all.
type tail struct {
	w     io.Writer
	keep  int // lines; less than 0 passes everything on
	lines [][]byte
	open  bool // the last line has no end yet
}

// newTail keeps lines lines back; nil is all, at once.
func newTail(w io.Writer, lines *int) *tail {
	if lines == nil {
		return &tail{w: w, keep: -1}
	}
	return &tail{w: w, keep: *lines}
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	if t.keep < 0 {
		return t.w.Write(p)
	}
	for line := range bytes.Lines(p) {
		if t.open {
			last := &t.lines[len(t.lines)-1]
			*last = append(*last, line...)
		} else {
			t.lines = append(t.lines, bytes.Clone(line))
		}
		t.open = line[len(line)-1] != '\n'
		if len(t.lines) > 2*t.keep+64 {
			t.lines = append(t.lines[:0], t.lines[len(t.lines)-t.keep-1:]...)
		}
	}
	return len(p), nil
}

// release writes the last lines; what comes from now on follows them.
func (t *tail) release() error {
	if t.keep < 0 {
		return nil
	}
	last := t.lines[max(0, len(t.lines)-t.keep):]
	t.keep, t.lines = -1, nil
	_, err := t.w.Write(bytes.Join(last, nil))
	return err
}

// seekLines goes to the beginning of the file's last lines; nil leaves it where
// it is.
func seekLines(f *os.File, lines *int) error {
	if lines == nil {
		return nil
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil || *lines == 0 {
		return err
	}
	chunk := make([]byte, 64<<10)
	left := *lines
	for end := size; end > 0; {
		n := min(end, int64(len(chunk)))
		if _, err := f.ReadAt(chunk[:n], end-n); err != nil {
			return err
		}
		for i := n - 1; i >= 0; i-- {
			// The newline that ends the last line begins none.
			if chunk[i] != '\n' || end-n+i == size-1 {
				continue
			}
			if left--; left <= 0 {
				_, err := f.Seek(end-n+i+1, io.SeekStart)
				return err
			}
		}
		end -= n
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}
