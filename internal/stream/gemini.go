package stream

import "strings"

// gemini reads one line of Gemini CLI's stream-json output.
func (s *session) gemini(kind string, l line) {
	switch kind {
	case "init":
		s.start(l.get("session_id").str(maxDetail), l.get("model").str(maxDetail))
	case "message":
		s.geminiMessage(l)
	case "tool_use":
		s.tool(l.get("tool_name").str(maxDetail), l.get("parameters"), false)
	case "tool_result":
		output := l.get("output")
		if !output.isString() {
			output = l.get("error", "message")
		}
		s.toolResult(output.firstLine(maxDetail), l.get("status").is("error"), false)
	case "error":
		text := l.get("message").str(maxError)
		s.fail(text, l.get("severity").str(maxDetail), statusIn(text))
	case "result":
		if s.accepts(l) {
			s.geminiResult(l)
		}
	}
}

// geminiMessage reads a piece of an answer. The prompt is echoed as a message too.
func (s *session) geminiMessage(l line) {
	if !l.get("role").is("assistant") {
		s.hush()
		s.final.reset()
		return
	}
	s.recovered()
	if !l.get("delta").isTrue() {
		s.final.reset()
		s.hush()
	}
	s.speak(l.get("content").str(maxFinal))
}

// geminiResult reads the terminal event.
func (s *session) geminiResult(l line) {
	stats := l.get("stats")
	cached, input := stats.get("cached").count(), stats.get("input").count()
	if !stats.get("input").exists() {
		input = max(0, stats.get("input_tokens").count()-cached)
	}
	r := Result{Tokens: Tokens{Input: input, Output: stats.get("output_tokens").count(), CacheRead: cached}}
	if l.get("status").is("success") {
		r.Final = strings.TrimSuffix(s.final.String(), "\n")
		s.finish(r, true)
		return
	}
	r.IsError = true
	r.Error = firstOf(l.get("error", "message").str(maxError), l.get("status").str(maxDetail))
	r.Status = statusIn(r.Error)
	s.fail(r.Error, l.get("error", "type").str(maxDetail), r.Status)
	s.finish(r, false)
}
