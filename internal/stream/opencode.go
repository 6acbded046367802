package stream

import "github.com/tidwall/gjson"

// openCode reads one line of opencode run --format json. It has no terminal
// event: the step that ends with "stop" is the last one.
func (s *session) openCode(kind string, l line) {
	if s.sum.Session == "" {
		s.start(l.get("sessionID").str(maxDetail), "")
	}
	part := l.get("part")
	switch kind {
	case "step_start":
		s.recovered()
		s.reopen()
	case "text":
		s.speak(part.get("text").str(maxFinal))
		s.hush()
	case "tool_use":
		s.openCodeTool(part)
	case "step_finish", "error":
		switch {
		case !s.accepts(l):
		case kind == "error":
			s.openCodeError(l.get("error"))
		default:
			s.openCodeStep(part)
		}
	}
}

// openCodeTool reads a tool's call and answer, which stand on one line.
func (s *session) openCodeTool(part value) {
	state := part.get("state")
	s.tool(part.get("tool").str(maxDetail), state.get("input"), false)
	code := state.get("metadata", "exit")
	failed := state.get("status").is("error") || code.exists() && code.number() != 0
	output := state.get("output")
	if !output.isString() {
		output = state.get("error")
	}
	s.toolResult(output.firstLine(maxDetail), failed, false)
}

// openCodeStep adds up what the steps cost, each once.
func (s *session) openCodeStep(part value) {
	if id := part.get("id").str(maxDetail); id == "" || id != s.step {
		s.step = id
		tokens := part.get("tokens")
		usage := Tokens{
			Input:  tokens.get("input").count(),
			Output: tokens.get("output").count() + tokens.get("reasoning").count(),
			// The provider counts these apart from the input already.
			CacheRead: tokens.get("cache", "read").count(), CacheWrite: tokens.get("cache", "write").count(),
		}
		s.tally.done, s.context = s.tally.done.Add(usage), usage.Input+usage.CacheRead+usage.CacheWrite
		if cost := part.get("cost"); cost.exists() {
			s.sum.CostUSD, s.sum.HasCost = s.sum.CostUSD+cost.number(), true
		}
	}
	r := Result{Reason: part.get("reason").str(maxDetail), Tokens: s.tally.total(), CostUSD: s.sum.CostUSD, HasCost: s.sum.HasCost, Context: s.context}
	switch r.Reason {
	case "stop":
		r.Final = s.final.String()
		s.finish(r, true)
	case "length", "content-filter":
		r.IsError, r.Error = true, "the answer ended early: "+r.Reason
		s.finish(r, false)
	}
}

// openCodeError reads the error carrier. Its body is the provider's answer as it came.
func (s *session) openCodeError(e value) {
	data := e.get("data")
	if limit, ok := limitInBody(data.get("responseBody").str(maxError)); ok {
		s.limit(limit)
	}
	name := e.get("name").str(maxDetail)
	s.fail(firstOf(data.get("message").str(maxError), name), name, int(data.get("statusCode").count()))
}

// limitInBody reads the reset from a provider's answer that says the account's limit is used up.
func limitInBody(body string) (Limit, bool) {
	answer := gjson.Parse(body)
	if inner := answer.Get("error"); inner.IsObject() {
		answer = inner
	}
	if answer.Get("type").Str != "usage_limit_reached" {
		return Limit{}, false
	}
	l := Limit{Rejected: true, Utilization: -1}
	if epoch := answer.Get("resets_at").Int(); epoch > 0 {
		l.ResetsAt = fromEpoch(epoch)
	}
	return l, true
}

// close ends the stream. Only OpenCode tells a failed session by its error alone.
func (s *session) close(f Format) {
	s.hush()
	if f == FormatOpenCode && s.failed && !s.sum.Terminal {
		s.finish(Result{
			IsError: true, Error: s.sum.LastError, Status: s.sum.Status,
			Tokens: s.tally.total(), CostUSD: s.sum.CostUSD, HasCost: s.sum.HasCost,
		}, false)
	}
}
