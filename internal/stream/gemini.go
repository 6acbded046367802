package stream

import (
	"cmp"
	"strings"

	"github.com/valyala/fastjson"
)

// gemini reads one line of Gemini CLI's stream-json output.
func (s *session) gemini(kind string, l *fastjson.Value) {
	switch kind {
	case "init":
		s.start(text(l.Get("session_id"), maxDetail), text(l.Get("model"), maxDetail))
	case "message":
		s.geminiMessage(l)
	case "tool_use":
		s.tool(text(l.Get("tool_name"), maxDetail), l.Get("parameters"), false)
	case "tool_result":
		output := l.Get("output")
		if !isString(output) {
			output = l.Get("error", "message")
		}
		s.toolResult(firstLine(output), is(l.Get("status"), "error"), false)
	case "error":
		message := text(l.Get("message"), maxError)
		s.fail(message, text(l.Get("severity"), maxDetail), statusIn(message))
	case "result":
		s.geminiResult(l)
	}
}

// geminiMessage reads a piece of an answer. The prompt is echoed as a message too.
func (s *session) geminiMessage(l *fastjson.Value) {
	if !is(l.Get("role"), "assistant") {
		s.hush()
		s.final.reset()
		return
	}
	s.recovered()
	if !l.Get("delta").GetBool() {
		s.final.reset()
		s.hush()
	}
	s.speak(text(l.Get("content"), maxFinal))
}

// geminiResult reads the terminal event.
func (s *session) geminiResult(l *fastjson.Value) {
	stats := l.Get("stats")
	cached, input := count(stats.Get("cached")), count(stats.Get("input"))
	if !stats.Exists("input") {
		input = max(0, count(stats.Get("input_tokens"))-cached)
	}
	r := Result{Tokens: Tokens{Input: input, Output: count(stats.Get("output_tokens")), CacheRead: cached}}
	if is(l.Get("status"), "success") {
		r.Final = strings.TrimSuffix(s.final.String(), "\n")
		s.finish(r, true)
		return
	}
	r.IsError = true
	r.Error = cmp.Or(text(l.Get("error", "message"), maxError), text(l.Get("status"), maxDetail))
	r.Status = statusIn(r.Error)
	s.fail(r.Error, text(l.Get("error", "type"), maxDetail), r.Status)
	s.finish(r, false)
}
