package conformance

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"time"

	"ralph/internal/stream"
)

const (
	// textKept and tailKept bound what is kept of the output, in bytes.
	textKept = 4 << 20
	tailKept = 8 << 10
)

// formats are all that ralph reads.
var formats = []stream.Format{stream.FormatClaude, stream.FormatCodex, stream.FormatOpenCode, stream.FormatGemini, stream.FormatCopilot, stream.FormatText}

// heard is what the command printed.
type heard struct {
	text    string // the beginning of standard output
	stderr  string // its end
	read    map[stream.Format]stream.Summary
	longest int           // line of standard output, in bytes
	first   time.Duration // until the first byte; 0 where there was none
	silence time.Duration // longest time without a byte
}

// listener reads the output with every reader at once.
type listener struct {
	mu      sync.Mutex
	heard   heard
	readers map[stream.Format]*stream.Reader
	text    bytes.Buffer
	stderr  []byte
	line    int // bytes of the line that is open
	began   time.Time
	last    time.Time
}

func newListener(began time.Time) *listener {
	l := &listener{readers: map[stream.Format]*stream.Reader{}, began: began, last: began}
	for _, f := range formats {
		l.readers[f] = stream.NewReader(f, nil)
	}
	return l
}

func (l *listener) read(f *os.File, isErr bool) {
	buf := make([]byte, 64<<10)
	for {
		n, err := f.Read(buf)
		if n > 0 {
			l.take(buf[:n], isErr, time.Now())
		}
		if err != nil {
			return
		}
	}
}

func (l *listener) take(p []byte, isErr bool, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.heard.first == 0 {
		l.heard.first = now.Sub(l.began)
	}
	l.heard.silence, l.last = max(l.heard.silence, now.Sub(l.last)), now
	if isErr {
		l.stderr = append(l.stderr, p...)
		l.stderr = l.stderr[max(0, len(l.stderr)-tailKept):]
		return
	}
	l.text.Write(p[:min(len(p), textKept-l.text.Len())])
	for _, r := range l.readers {
		_, _ = r.Write(p)
	}
	for {
		n := bytes.IndexByte(p, '\n')
		if n < 0 {
			l.line += len(p)
			l.heard.longest = max(l.heard.longest, l.line)
			return
		}
		l.heard.longest = max(l.heard.longest, l.line+n)
		l.line, p = 0, p[n+1:]
	}
}

// end is all that was heard.
func (l *listener) end() heard {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.heard
	h.text, h.stderr = l.text.String(), strings.TrimSpace(strings.ToValidUTF8(string(l.stderr), "\ufffd"))
	h.read = map[stream.Format]stream.Summary{}
	for f, r := range l.readers {
		r.Close()
		h.read[f] = r.Summary()
	}
	return h
}

// has tells whether the answer is in the output: as it stands there, or put
// together from pieces by one of the readers.
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

// recognise finds the format that understands the output best, by where the answer
// is: a reader of another format finds no final message in it.
func (h heard) recognise(answer string) stream.Format {
	for _, f := range formats {
		if s := h.read[f]; f != stream.FormatText && !s.Plain && s.Terminal && s.HasFinal && strings.Contains(s.Final, answer) {
			return f
		}
	}
	return stream.FormatText
}

// isJSON tells whether the output is JSON lines, of whatever form.
func (h heard) isJSON() bool {
	s := h.read[stream.FormatClaude]
	return s.Started && !s.Plain
}

// carrier is the text in which a failure is told, as a run would find it.
func (h heard) carrier(f stream.Format) string {
	s := h.read[f]
	for _, text := range []string{s.Result.Error, s.LastError, h.stderr, s.Final} {
		if text = lastLine(text); text != "" {
			return text
		}
	}
	return ""
}

func lastLine(text string) string {
	const longest = 200
	text = strings.TrimSpace(text)
	text = strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	return strings.ToValidUTF8(text[:min(len(text), longest)], "")
}
