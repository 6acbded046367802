package monitor

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"ralph/internal/journal"
	"ralph/internal/stream"
)

const (
	backlog   = 256 << 10 // of a log that is there already, in bytes: the rest is left out
	maxUnread = 32 << 20  // of a log that grows faster than it can be shown
	readSize  = 64 << 10
	maxOpen   = 32 // tracked calls: not every agent prints the results
)

// news is what a log had to say since the last time.
type news struct {
	log    string // which log, as [state] names it
	lines  []line
	tool   *tool // that the agent is waiting for, nil if none
	limits []stream.Limit
	wrote  time.Time // when the log was written last
}

// tool is a call of the agent that has not been answered.
type tool struct {
	name, detail string
	since        time.Time
}

// tail follows one log of an agent's output.
type tail struct {
	name    string
	paths   []string // where it may be, the likeliest first
	format  stream.Format
	printer *stream.Printer
	said    bytes.Buffer // what the printer made of the last event
	reader  *stream.Reader
	file    *os.File
	offset  int64
	skip    bool // up to the end of the line: reading began in its middle
	now     time.Time
	open    []tool // calls without an answer
	news    news
}

func newTail(name string, paths []string, format stream.Format, opts stream.PrinterOptions) *tail {
	t := &tail{name: name, paths: paths, format: format}
	t.printer = stream.NewPrinter(&t.said, opts)
	t.reset()
	return t
}

// reset starts a new log.
func (t *tail) reset() {
	t.reader = stream.NewReader(t.format, t.event)
	t.open = nil
}

// follow sends what is in the log, and then whatever is added to it, until ctx
// is done. send may block: what is added meanwhile comes next, or is left out
// where it is too much.
func (t *tail) follow(ctx context.Context, send func(news)) {
	wake := journal.Watch(ctx, filepath.Dir(t.paths[0]))
	defer t.close()
	for ok := true; ok; _, ok = <-wake {
		for ctx.Err() == nil && t.read() {
			send(t.take())
		}
	}
}

// take hands out the news.
func (t *tail) take() news {
	n := t.news
	n.log, n.tool = t.name, nil
	if len(t.open) > 0 {
		last := t.open[len(t.open)-1]
		n.tool = &last
	}
	t.news = news{}
	return n
}

// read reads a piece of the new output, and reports whether there was any.
func (t *tail) read() bool {
	size, wrote, ok := t.reopen()
	if !ok || size == t.offset {
		return false
	}
	most, keep := int64(maxUnread), int64(backlog)
	if t.offset == 0 {
		most = backlog
	}
	if size-t.offset > most {
		t.offset, t.skip = size-keep, true
		t.reset()
	}
	buf := make([]byte, min(readSize, size-t.offset))
	n, err := t.file.ReadAt(buf, t.offset)
	if n == 0 || err != nil && err != io.EOF {
		return false
	}
	t.offset += int64(n)
	t.now, t.news.wrote = wrote, wrote
	buf = buf[:n]
	if t.skip {
		_, rest, found := bytes.Cut(buf, []byte("\n"))
		t.skip, buf = !found, rest
	}
	_, _ = t.reader.Write(buf)
	return true
}

// reopen opens the log, if it is not open or its name is another file's now.
func (t *tail) reopen() (size int64, wrote time.Time, ok bool) {
	for _, path := range t.paths {
		named, err := os.Stat(path)
		if err != nil {
			continue
		}
		if t.file != nil {
			mine, err := t.file.Stat()
			if err == nil && os.SameFile(mine, named) && mine.Size() >= t.offset {
				return mine.Size(), mine.ModTime(), true
			}
			t.close()
			t.reset()
		}
		file, err := os.Open(path)
		if err != nil {
			continue
		}
		t.file, t.offset, t.skip = file, 0, false
		return named.Size(), named.ModTime(), true
	}
	if t.file == nil {
		return 0, time.Time{}, false
	}
	// Its name is gone; its last lines may still come.
	mine, err := t.file.Stat()
	return mine.Size(), mine.ModTime(), err == nil
}

func (t *tail) close() {
	if t.file != nil {
		t.file.Close()
		t.file = nil
	}
}

// event takes up one event of the agent.
func (t *tail) event(e stream.Event) {
	switch e.Kind {
	case stream.KindTool:
		t.open = append(t.open[max(0, len(t.open)-maxOpen+1):], tool{plainLine(e.Tool), plainLine(e.Detail), t.now})
	case stream.KindToolResult:
		// The answer does not say to which call: calls are mostly answered in order.
		if len(t.open) > 0 {
			t.open = t.open[1:]
		}
	case stream.KindStart, stream.KindResult, stream.KindError:
		t.open = nil
	case stream.KindText:
		if !e.Sub {
			t.open = nil // the agent speaks when it has its answers
		}
	case stream.KindLimit:
		if e.Limit != nil {
			t.news.limits = append(t.news.limits, *e.Limit)
		}
	}
	t.printer.Event(e)
	if t.printer.Flush() == nil && t.said.Len() > 0 {
		t.news.lines = append(t.news.lines, split(t.said.String(), t.now)...)
		if n := len(t.news.lines) - maxLines; n > 0 {
			t.news.lines = t.news.lines[n:]
		}
	}
	t.said.Reset()
}
