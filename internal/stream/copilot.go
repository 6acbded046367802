package stream

// copilot reads one line of GitHub Copilot CLI's JSON output.
func (s *session) copilot(kind string, l line) {
	data := l.get("data")
	switch kind {
	case "session.tools_updated":
		s.start(s.sum.Session, data.get("model").str(maxDetail))
	case "assistant.message":
		s.copilotMessage(data)
	case "tool.execution_start":
		s.tool(data.get("toolName").str(maxDetail), data.get("arguments"), false)
	case "tool.execution_complete":
		content := data.get("result", "content")
		if !content.isString() {
			content = data.get("error", "message")
		}
		s.toolResult(content.firstLine(maxDetail), string(data.get("success").raw()) == "false", false)
	case "model.call_failure":
		s.status = int(data.get("statusCode").count())
		if limit, ok := limitInBody(data.get("errorMessage").str(maxError)); ok {
			s.limit(limit)
		}
	case "assistant.turn_retry":
		s.retry++
		s.again(Retry{Attempt: s.retry, Status: s.status, Class: data.get("reason").str(maxDetail)})
	case "session.error":
		s.fail(data.get("message").str(maxError), data.get("errorType").str(maxDetail), int(data.get("statusCode").count()))
	case "abort":
		s.aborted = true
	case "result":
		if s.accepts(l) {
			s.copilotResult(l)
		}
	}
}

// copilotMessage reads a message that is complete; its pieces came before it.
func (s *session) copilotMessage(data value) {
	sub := data.get("parentToolCallId").isString()
	text := data.get("content")
	if sub {
		s.say(text.str(maxText), sub)
		return
	}
	s.recovered()
	s.final.reset()
	s.speak(text.str(maxFinal))
	s.hush()
}

// copilotResult reads the terminal event, which tells no tokens. A session
// that was interrupted ends with exit code 0.
func (s *session) copilotResult(l line) {
	s.sum.Session = l.get("sessionId").str(maxDetail)
	code := l.get("exitCode")
	r := Result{IsError: s.failed || s.aborted || !code.exists() || code.number() != 0}
	if s.aborted {
		r.Reason, r.Error = "aborted", "the session was interrupted"
	}
	if !r.IsError {
		r.Final = s.final.String()
	} else {
		r.Error, r.Status = firstOf(s.sum.LastError, r.Error, "the session failed"), s.sum.Status
	}
	s.finish(r, true)
}
