package conformance

import (
	"bytes"
	"strings"
	"time"

	"ralph/internal/stream"
)

// textKept bounds how much is kept of standard output, in bytes.
const textKept = 4 << 20

// formats are all that ralph reads.
var formats = []stream.Format{stream.FormatClaude, stream.FormatCodex, stream.FormatOpenCode, stream.FormatGemini, stream.FormatCopilot, stream.FormatText}

// heard is what the command printed on standard output.
type heard struct {
	text    string // the beginning
	read    map[stream.Format]stream.Summary
	longest int           // line, in bytes
	first   time.Duration // until the first byte; 0 where none existed
	silence time.Duration // longest time without a byte
}

// listener reads the output with every reader at once.
type listener struct {
	heard   heard
	readers map[stream.Format]*stream.Reader
	text    bytes.Buffer
	line    int // bytes of the line that is open
	began   time.Time
	last    time.Time
}

func newListener() *listener {
	now := time.Now()
	l := &listener{readers: map[stream.Format]*stream.Reader{}, began: now, last: now}
	for _, f := range formats {
		l.readers[f] = stream.NewReader(f, nil)
	}
	return l
}

// take reads the next piece of the output.
func (l *listener) take(p []byte) {
	now := time.Now()
	if l.heard.first == 0 {
		l.heard.first = now.Sub(l.began)
	}
	l.heard.silence, l.last = max(l.heard.silence, now.Sub(l.last)), now
	l.text.Write(p[:min(len(p), textKept-l.text.Len())])
	for _, r := range l.readers {
		_, _ = r.Write(p)
	}
	for i, part := range bytes.Split(p, []byte("\n")) {
		if i > 0 {
			l.line = 0
		}
		l.line += len(part)
		l.heard.longest = max(l.heard.longest, l.line)
	}
}

// end returns all that was heard.
func (l *listener) end() heard {
	h := l.heard
	h.text, h.read = l.text.String(), map[stream.Format]stream.Summary{}
	for f, r := range l.readers {
		r.Close()
		h.read[f] = r.Summary()
	}
	return h
}

// has reports whether the answer is in the output: as it is, or assembled from
// pieces by one of the readers.
func (h heard) has(answer string) bool {
	if strings.Contains(h.text, answer) {
		return true
	}
	for _, s := range h.read {
		if strings.Contains(s.Final, answer) {
			return true
		}
	}
	return false
}

// recognise returns the format that reads the answer as the final message: a reader
// of another format finds none in the output.
func (h heard) recognise(answer string) stream.Format {
	for _, f := range formats {
		if s := h.read[f]; f != stream.FormatText && !s.Plain && s.Terminal && s.HasFinal && strings.Contains(s.Final, answer) {
			return f
		}
	}
	return stream.FormatText
}

// isJSON reports whether the output is JSON lines, of whatever form.
func (h heard) isJSON() bool {
	s := h.read[stream.FormatClaude]
	return s.Started && !s.Plain
}
