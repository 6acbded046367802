package stream

import (
	"bytes"
	"strings"

	"github.com/valyala/fastjson"
)

// textTail is how much of a plain text counts as the agent's final message.
const textTail = 256 << 10

// Reader parses an agent's output as it arrives and emits events. Its memory is bounded for
// any length of output or line. It is not safe for concurrent use.
type Reader struct {
	format  Format
	session *session
	dialect func(s *session, kind string, line *fastjson.Value)
	partial assembler
	parser  fastjson.Parser

	text   headTail // the raw end of a plain text, or of what may prove to be one
	isJSON bool     // an event was read: this is no plain text
	torn   bool     // a line looked like an event and could not be read as one: this is no plain text either
	closed bool
}

// NewReader returns a reader for the format. It calls emit for each event as soon as its line
// is complete. emit may be nil.
func NewReader(format Format, emit func(Event)) *Reader {
	dialects := map[Format]func(*session, string, *fastjson.Value){
		FormatClaude: (*session).claude, FormatCodex: (*session).codex, FormatOpenCode: (*session).openCode,
		FormatGemini: (*session).gemini, FormatCopilot: (*session).copilot,
	}
	return &Reader{format: format, dialect: dialects[format], session: newSession(emit), text: headTail{tailMax: textTail}}
}

// Write parses the next piece of the output. It never fails and does not keep p.
func (r *Reader) Write(p []byte) (int, error) {
	if r.closed {
		return len(p), nil
	}
	if !r.isJSON {
		r.text.write(p)
	}
	if r.dialect == nil {
		r.writeText(p)
	} else {
		r.writeLines(p)
	}
	return len(p), nil
}

// Close parses a last line without a line end. In a JSON format such a line counts as broken,
// because agents end each line.
func (r *Reader) Close() {
	if r.closed {
		return
	}
	r.closed = true
	if !r.partial.empty() {
		last, ok := r.partial.take()
		if last = bytes.TrimSpace(last); len(last) > 0 || !ok {
			r.lastLine(last)
		}
	}
	r.session.close(r.format)
	sum := &r.session.sum
	sum.Plain = r.dialect != nil && !r.isJSON && !r.torn && sum.Lines > 0
	if sum.Plain || r.dialect == nil {
		sum.Final, sum.HasFinal = r.text.String(), sum.Lines > 0
	}
}

// Summary returns the summary of the output so far. It is complete after Close.
func (r *Reader) Summary() Summary { return r.session.summary() }

// lastLine reads the line that was open when the output ended.
func (r *Reader) lastLine(last []byte) {
	r.session.sum.Lines++
	switch {
	case r.dialect == nil:
		r.session.say(string(last), false)
	case bytes.HasPrefix(last, []byte(`{"`)):
		r.torn = true
		r.session.sum.Broken++
	default:
		r.noEvent(last)
	}
}

// writeLines hands each complete line to the dialect.
func (r *Reader) writeLines(p []byte) {
	for {
		n := bytes.IndexByte(p, '\n')
		if n < 0 {
			r.partial.add(p)
			return
		}
		whole, ok := p[:n], true
		if !r.partial.empty() {
			r.partial.add(p[:n])
			whole, ok = r.partial.take()
		}
		p = p[n+1:]
		if ok {
			r.event(whole)
		} else {
			r.session.sum.Lines++
			r.session.sum.Broken++
		}
	}
}

// event reads one line of a JSON format.
func (r *Reader) event(raw []byte) {
	raw = trim(raw, r.session.sum.Lines == 0)
	if len(raw) == 0 {
		return
	}
	r.session.sum.Lines++
	line, err := r.parser.ParseBytes(raw)
	if err != nil || line.Type() != fastjson.TypeObject {
		r.noEvent(raw)
		return
	}
	kind := text(line.Get("type"), maxDetail)
	if kind == "" {
		r.torn = r.torn || looksLikeEvent(raw, r.session.sum.Lines)
		return
	}
	r.isJSON, r.session.sum.Started = true, true
	if decides(kind) && fastjson.ValidateBytes(raw) != nil {
		r.session.sum.Broken++
		return
	}
	r.dialect(r.session, kind, line)
}

// decides reports whether events of this type decide how a session ended. The parser
// accepts bytes in strings and numbers that JSON does not; these lines must be exact.
func decides(kind string) bool {
	switch kind {
	case "result", "turn.completed", "turn.failed", "step_finish", "error":
		return true
	}
	return false
}

// noEvent notes a line that is no JSON object. A warning of a runtime or an
// error message in plain words is shown; the middle of a torn event is not.
func (r *Reader) noEvent(raw []byte) {
	r.session.sum.Broken++
	r.torn = r.torn || looksLikeEvent(raw, r.session.sum.Lines)
	if raw[0] != '{' && !bytes.Contains(raw, []byte(`":`)) {
		r.session.say(strings.ToValidUTF8(string(raw[:min(len(raw), maxError)]), "\uFFFD"), false)
	}
}

// looksLikeEvent reports whether a line is a damaged event, or one of another protocol.
// A plain text may quote JSON too. n is the line's number, from 1.
func looksLikeEvent(raw []byte, n int) bool {
	return n == 1 && bytes.HasPrefix(raw, []byte(`{"`)) || bytes.HasPrefix(raw, []byte(`{"type":"`))
}

// trim takes white space off a line, and the byte order mark off the first one.
func trim(raw []byte, first bool) []byte {
	if first {
		raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	}
	return bytes.TrimSpace(raw)
}

// writeText emits the complete lines of a plain text.
func (r *Reader) writeText(p []byte) {
	for len(p) > 0 {
		piece := p[:min(len(p), maxText)]
		p = p[len(piece):]
		r.session.sum.Started = true
		r.session.sum.Lines += bytes.Count(piece, []byte("\n"))
		open := &r.partial.buf
		n := bytes.LastIndexByte(piece, '\n')
		*open = append(*open, piece[:max(n, 0)]...)
		if n >= 0 || len(*open) > maxText {
			r.session.emit(Event{Kind: KindText, Text: string(*open)})
			*open = (*open)[:0]
		}
		*open = append(*open, piece[n+1:]...)
	}
}
