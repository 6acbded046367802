package agent

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"ralph/internal/stopwatch"
	"ralph/internal/stream"
)

const (
	// readSize is how much of the agent's output is read at once: what a pipe holds.
	readSize = 64 << 10
	// stderrKept bounds what is kept of standard error to find the reason of a
	// failure in.
	stderrKept = 8 << 10
	// heldMax bounds the standard error that waits for the end of a line.
	heldMax = 256 << 10
)

// output takes what an agent prints: every byte to the log in order of arrival,
// events to the screen, the end of standard error to the verdict.
type output struct {
	mu     sync.Mutex // one reader at a time: the log, the events and the tail
	log    *os.File
	broken error // why the log could not be written
	failed chan struct{}

	reader *stream.Reader
	call   Call
	result chan struct{} // closed at the terminal event
	shown  bool

	midLine bool   // standard output is in the middle of a line of the log
	held    []byte // standard error that waits for the end of that line
	tail    []byte

	watch stopwatch.Watch // since the beginning of the turn
	last  atomic.Int64    // when the last byte came, on the watch's time awake
}

func newOutput(c Call, log *os.File) *output {
	o := &output{log: log, call: c, result: make(chan struct{}), failed: make(chan struct{}), watch: stopwatch.Start()}
	o.reader = stream.NewReader(c.Harness.Output, o.event)
	return o
}

func (o *output) event(e stream.Event) {
	if e.Kind == stream.KindResult && !o.shown {
		o.shown = true
		close(o.result)
	}
	if o.call.Event != nil {
		o.call.Event(e)
	}
}

// read copies one of the agent's pipes until its end.
func (o *output) read(f *os.File, isErr bool) {
	size := readSize
	if isErr {
		size = stderrKept
	}
	buf := make([]byte, size)
	for {
		n, err := f.Read(buf)
		if n > 0 {
			o.take(buf[:n], isErr)
		}
		if err != nil {
			return
		}
	}
}

func (o *output) take(p []byte, isErr bool) {
	o.touch()
	o.mu.Lock()
	defer o.mu.Unlock()
	if isErr {
		o.tail = append(o.tail, p...)
		o.tail = slices.Delete(o.tail, 0, max(0, len(o.tail)-stderrKept))
		// A chunk of standard error inside a line of events would break that
		// line for every reader of the log.
		if o.midLine && len(o.held) < heldMax {
			o.held = append(o.held, p...)
			return
		}
		o.write(p)
		return
	}
	if len(o.held) > 0 {
		if i := bytes.IndexByte(p, '\n'); i >= 0 {
			o.write(p[:i+1])
			o.flushHeld()
			o.write(p[i+1:])
		} else {
			o.write(p)
		}
	} else {
		o.write(p)
	}
	o.midLine = p[len(p)-1] != '\n'
	if o.call.Stdout != nil {
		o.call.Stdout(p)
	}
	_, _ = o.reader.Write(p)
	if o.call.Drained != nil {
		o.call.Drained()
	}
}

func (o *output) flushHeld() {
	o.write(o.held)
	o.held = o.held[:0]
}

func (o *output) write(p []byte) {
	if o.broken != nil || len(p) == 0 {
		return
	}
	if _, err := o.log.Write(p); err != nil {
		o.broken = fmt.Errorf("the agent's log cannot be written: %w", err)
		close(o.failed)
	}
}

// close takes the end of the output.
func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flushHeld()
	o.reader.Close()
	if o.call.Drained != nil {
		o.call.Drained()
	}
}

// touch notes a sign of life.
func (o *output) touch() { o.last.Store(int64(o.watch.Passed().Awake)) }

// silence is how long there was no sign of life; a clock that is set changes
// nothing about it.
func (o *output) silence() time.Duration {
	return o.watch.Passed().Awake - time.Duration(o.last.Load())
}

// sentence is the line of an error message that says what is wrong: the last one
// that says it is an error, else the last one. Advice or a stack often follows it.
func sentence(s string) string {
	lines := strings.Split(s, "\n")
	for _, line := range slices.Backward(lines) {
		if line = strings.TrimSpace(line); len(line) > len("error:") && strings.EqualFold(line[:len("error:")], "error:") {
			return lastLine(line)
		}
	}
	for _, line := range slices.Backward(lines) {
		if strings.Contains(line, "Error: ") { // as Node prints it above a stack
			return lastLine(line)
		}
	}
	return lastLine(s)
}

// firstLine is the first line of a text, or all of it in one line where that one
// only opens a JSON value.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if line = strings.TrimSpace(line); strings.HasSuffix(line, "{") || strings.HasSuffix(line, "[") {
		line = strings.Join(strings.Fields(s), " ")
	}
	return lastLine(line)
}

// lastLine is the last line of a text that says something, bounded.
func lastLine(s string) string {
	const longest = 500
	lines := strings.Split(strings.TrimSpace(s), "\n")
	line := strings.TrimSpace(lines[len(lines)-1])
	if len(line) <= longest {
		return line
	}
	cut := longest
	for cut > 0 && !utf8.RuneStart(line[cut]) {
		cut--
	}
	return line[:cut] + "…"
}

// firstSaid is the first line of text in which one of the patterns of the settings is
// found, which were checked when they were read; empty where none is.
func firstSaid(patterns []string, text string) string {
	for _, p := range patterns {
		re, err := regexp.Compile("(?m)" + p) // ^ and $ are of a line, as people expect of output
		if err != nil {
			continue
		}
		if at := re.FindStringIndex(text); at != nil {
			line, _, _ := strings.Cut(text[strings.LastIndexByte(text[:at[0]], '\n')+1:], "\n")
			return strings.TrimSpace(line)
		}
	}
	return ""
}
