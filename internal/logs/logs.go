// Package logs shows what an agent did: the log of an attempt, as it was printed or as a screen
// shows it, whole, its end, or as it grows.
package logs

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"

	"ralph/internal/stream"
	"ralph/internal/terminal"
)

// maxRead limits how much of a log [End] reads, in bytes from its end.
const maxRead = 8 << 20

// Options say how a log is shown.
type Options struct {
	Lines  *int // only the last ones; nil for all
	Raw    bool // byte for byte
	Format func(harness string) stream.Format
}

// Show prints the log of an agent to the terminal.
func Show(t *terminal.Terminal, log io.Reader, harness string, o Options) error {
	out := newTail(t.Out, o.Lines)
	var err error
	if o.Raw {
		_, err = io.Copy(out, log)
	} else {
		err = render(t, out, log, o.Format(harness))
	}
	if err != nil {
		return err
	}
	return out.release()
}

// render shows a log as the screen showed it.
func render(t *terminal.Terminal, w io.Writer, log io.Reader, format stream.Format) error {
	p := stream.NewPrinter(w, stream.PrinterOptions{Color: t.Color, ASCII: t.ASCII, Width: t.Width(), Verbose: true})
	r := stream.NewReader(format, p.Event)
	if _, err := io.Copy(r, log); err != nil {
		return err
	}
	r.Close()
	return p.Flush()
}

// End returns the last part of the log at path as plain text. whole reports whether that is
// the entire log.
func End(path string, format stream.Format) (text string, whole bool, err error) {
	// An agent may have replaced the log by a FIFO, which would wait for a writer.
	log, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", false, err
	}
	defer log.Close()
	info, err := log.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return "", false, errors.Join(err, errors.New("it is not a plain file"))
	}
	r, whole, err := lastBytes(log, info.Size(), maxRead)
	if err != nil {
		return "", false, err
	}
	var out strings.Builder
	err = render(&terminal.Terminal{}, &out, r, format)
	return strings.TrimRight(out.String(), "\n"), whole, err
}

// lastBytes returns a reader from the first line that begins in the last bytes of a log.
func lastBytes(log io.ReaderAt, size, most int64) (r *bufio.Reader, whole bool, err error) {
	from := max(size-most, 0)
	if from == 0 {
		return bufio.NewReader(io.NewSectionReader(log, 0, size)), true, nil
	}
	r = bufio.NewReader(io.NewSectionReader(log, from-1, size-from+1)) // the byte before may end a line
	if _, err = r.ReadBytes('\n'); errors.Is(err, io.EOF) {
		err = nil
	}
	return r, false, err
}

// tail holds the last lines of what is written to it until it is released. Then it passes on
// everything.
type tail struct {
	w     io.Writer
	keep  int // lines; less than 0 passes everything on
	lines [][]byte
	open  bool // the last line has no end yet
}

// newTail holds that many lines; nil is all, at once.
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

// release writes the last lines. What comes from now on follows them.
func (t *tail) release() error {
	if t.keep < 0 {
		return nil
	}
	last := t.lines[max(0, len(t.lines)-t.keep):]
	t.keep, t.lines = -1, nil
	_, err := t.w.Write(bytes.Join(last, nil))
	return err
}
