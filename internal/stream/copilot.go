package stream

import (
	"cmp"

	"github.com/valyala/fastjson"
)

// copilot reads one line of GitHub Copilot CLI's JSON output.
func (s *session) copilot(kind string, l *fastjson.Value) {
	data := l.Get("data")
	switch kind {
	case "session.tools_updated":
		s.start(s.sum.Session, text(data.Get("model"), maxDetail))
	case "assistant.message":
		s.copilotMessage(data)
	case "tool.execution_start":
		s.tool(text(data.Get("toolName"), maxDetail), data.Get("arguments"), false)
	case "tool.execution_complete":
		content := data.Get("result", "content")
		if !isString(content) {
			content = data.Get("error", "message")
		}
		s.toolResult(firstLine(content), data.Exists("success") && !data.GetBool("success"), false)
	case "model.call_failure":
		s.status = int(count(data.Get("statusCode")))
		if limit, ok := limitInBody(text(data.Get("errorMessage"), maxError)); ok {
			s.limit(limit)
		}
	case "assistant.turn_retry":
		s.retry++
		s.again(Retry{Attempt: s.retry, Status: s.status, Class: text(data.Get("reason"), maxDetail)})
	case "session.error":
		s.fail(text(data.Get("message"), maxError), text(data.Get("errorType"), maxDetail), int(count(data.Get("statusCode"))))
	case "abort":
		s.aborted = true
	case "result":
		s.copilotResult(l)
	}
}

// copilotMessage reads a message that is complete; its pieces came before it.
func (s *session) copilotMessage(data *fastjson.Value) {
	sub := isString(data.Get("parentToolCallId"))
	content := data.Get("content")
	if sub {
		s.say(text(content, maxText), sub)
		return
	}
	s.recovered()
	s.final.reset()
	s.speak(text(content, maxFinal))
	s.hush()
}

// copilotResult reads the terminal event, which has no tokens. A session
// that was interrupted ends with exit code 0.
func (s *session) copilotResult(l *fastjson.Value) {
	s.sum.Session = text(l.Get("sessionId"), maxDetail)
	code := l.Get("exitCode")
	r := Result{IsError: s.failed || s.aborted || !isNumber(code) || number(code) != 0}
	if s.aborted {
		r.Error = "the session was interrupted"
	}
	if !r.IsError {
		r.Final = s.final.String()
	} else {
		r.Error, r.Status = cmp.Or(s.sum.LastError, r.Error, "the session failed"), s.sum.Status
	}
	s.finish(r, true)
}
