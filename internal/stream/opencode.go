package stream

import (
	"cmp"

	"github.com/valyala/fastjson"
)

// openCode reads one line of opencode run --format json. It has no terminal
// event: the step that ends with "stop" is the last one.
func (s *session) openCode(kind string, l *fastjson.Value) {
	if s.sum.Session == "" {
		s.start(text(l.Get("sessionID"), maxDetail), "")
	}
	part := l.Get("part")
	switch kind {
	case "step_start":
		s.recovered()
		s.reopen()
	case "text":
		s.speak(text(part.Get("text"), maxFinal))
		s.hush()
	case "tool_use":
		s.openCodeTool(part)
	case "step_finish":
		s.openCodeStep(part)
	case "error":
		s.openCodeError(l.Get("error"))
	}
}

// openCodeTool reads a tool's call and answer, which are on one line.
func (s *session) openCodeTool(part *fastjson.Value) {
	state := part.Get("state")
	s.tool(text(part.Get("tool"), maxDetail), state.Get("input"), false)
	code := state.Get("metadata", "exit")
	failed := is(state.Get("status"), "error") || code.Exists() && number(code) != 0
	output := state.Get("output")
	if !isString(output) {
		output = state.Get("error")
	}
	s.toolResult(firstLine(output), failed, false)
}

// openCodeStep adds up what the steps cost, each once.
func (s *session) openCodeStep(part *fastjson.Value) {
	if id := text(part.Get("id"), maxDetail); id == "" || id != s.step {
		s.step = id
		tokens := part.Get("tokens")
		usage := Tokens{
			Input:  count(tokens.Get("input")),
			Output: count(tokens.Get("output")) + count(tokens.Get("reasoning")),
			// The provider counts these apart from the input already.
			CacheRead: count(tokens.Get("cache", "read")), CacheWrite: count(tokens.Get("cache", "write")),
		}
		s.tally.done, s.context = s.tally.done.Add(usage), usage.Input+usage.CacheRead+usage.CacheWrite
		if cost := part.Get("cost"); cost.Exists() {
			s.sum.CostUSD, s.sum.HasCost = AddCost(s.sum.CostUSD, number(cost)), true
		}
	}
	r := s.openCodeTotals()
	switch reason := text(part.Get("reason"), maxDetail); reason {
	case "stop":
		r.Final = s.final.String()
		s.finish(r, true)
	case "length", "content-filter":
		r.IsError, r.Error = true, "the answer ended early: "+reason
		s.finish(r, false)
	}
}

// openCodeError reads the error carrier. Its body is the provider's answer as it came.
func (s *session) openCodeError(e *fastjson.Value) {
	data := e.Get("data")
	if limit, ok := limitInBody(text(data.Get("responseBody"), maxError)); ok {
		s.limit(limit)
	}
	name := text(e.Get("name"), maxDetail)
	s.fail(cmp.Or(text(data.Get("message"), maxError), name), name, int(count(data.Get("statusCode"))))
}

// limitInBody reads the reset from a provider's answer that says the account's limit is used up.
func limitInBody(body string) (Limit, bool) {
	answer, err := fastjson.Parse(body)
	if err != nil {
		return Limit{}, false
	}
	if inner := answer.Get("error"); inner.GetObject() != nil {
		answer = inner
	}
	if !is(answer.Get("type"), "usage_limit_reached") {
		return Limit{}, false
	}
	return Limit{Rejected: true, Utilization: -1, ResetsAt: fromEpoch(count(answer.Get("resets_at")))}, true
}

// close ends the stream. Only OpenCode ends a failed session without a terminal event.
func (s *session) close(f Format) {
	s.hush()
	if f == FormatOpenCode && s.failed && !s.sum.Terminal {
		r := s.openCodeTotals()
		r.IsError, r.Error, r.Status = true, s.sum.LastError, s.sum.Status
		s.finish(r, false)
	}
}

// openCodeTotals is a result with what the steps so far took.
func (s *session) openCodeTotals() Result {
	return Result{Tokens: s.tally.total(), CostUSD: s.sum.CostUSD, HasCost: s.sum.HasCost, Context: s.context}
}
