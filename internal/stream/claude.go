package stream

import (
	"cmp"
	"strings"
	"time"

	"github.com/valyala/fastjson"
)

// synthetic is the model of the messages that Claude Code writes itself, to
// report that the provider failed.
const synthetic = "<synthetic>"

// claude reads one line of Claude Code's stream-json output.
func (s *session) claude(kind string, l *fastjson.Value) {
	switch kind {
	case "assistant":
		s.claudeAssistant(l)
	case "user":
		s.claudeUser(l)
	case "system":
		s.claudeSystem(l)
	case "rate_limit_event":
		s.limit(claudeLimit(l.Get("rate_limit_info")))
		s.claudeWindows(l.Get("rate_limit_info", "unifiedWindows"))
	case "result":
		s.claudeResult(l)
	}
}

// claudeSystem reads the session's start and the retries.
func (s *session) claudeSystem(l *fastjson.Value) {
	switch {
	case is(l.Get("subtype"), "init"):
		s.sum.PlanMode = s.sum.PlanMode || is(l.Get("permissionMode"), "plan")
		s.start(text(l.Get("session_id"), maxDetail), text(l.Get("model"), maxDetail))
	case is(l.Get("subtype"), "api_retry"):
		s.again(Retry{
			Attempt: int(count(l.Get("attempt"))), Max: int(count(l.Get("max_retries"))),
			Delay:  time.Duration(number(l.Get("retry_delay_ms")) * float64(time.Millisecond)),
			Status: int(count(l.Get("error_status"))), Class: text(l.Get("error"), maxDetail),
		})
	}
}

// claudeAssistant reads one block of a message. A top-level error marks the
// carrier of a failure; anything else that the model says is no failure,
// however much it sounds like one.
func (s *session) claudeAssistant(l *fastjson.Value) {
	m, sub := l.Get("message"), isString(l.Get("parent_tool_use_id"))
	content, usage := m.Get("content"), m.Get("usage")
	if class := l.Get("error"); isString(class) || is(m.Get("model"), synthetic) {
		if !sub {
			s.fail(claudeText(content), text(class, maxDetail), 0)
		}
		return
	}
	if !sub && (s.failed || s.sum.ErrorClass != "") {
		s.recovered()
	}
	written := 0
	for _, block := range content.GetArray() {
		written += s.claudeBlock(block, sub)
	}
	if usage != nil {
		usage := claudeUsage(usage)
		s.tally.note(text(m.Get("id"), maxDetail), usage, written)
		if !sub {
			s.context = usage.Input + usage.CacheRead + usage.CacheWrite
		}
	}
}

// claudeBlock reads one block of a message and returns how many bytes the model wrote for it.
func (s *session) claudeBlock(block *fastjson.Value, sub bool) (written int) {
	switch kind := block.Get("type"); {
	case is(kind, "text"):
		s.say(text(block.Get("text"), maxText), sub)
		return len(block.GetStringBytes("text"))
	case is(kind, "tool_use"):
		input := block.Get("input")
		s.tool(text(block.Get("name"), maxDetail), input, sub)
		return len(encoded(input))
	}
	return len(block.GetStringBytes("thinking"))
}

// claudeText is the text of all blocks of a message's content.
func claudeText(content *fastjson.Value) string {
	var texts []string
	for _, block := range content.GetArray() {
		if said := text(block.Get("text"), maxError); said != "" {
			texts = append(texts, said)
		}
	}
	return strings.Join(texts, "\n")
}

// claudeUser reads the tools' answers, which are messages of the user. They are most
// of what a session prints.
func (s *session) claudeUser(l *fastjson.Value) {
	sub := isString(l.Get("parent_tool_use_id"))
	for _, block := range l.Get("message", "content").GetArray() {
		if !is(block.Get("type"), "tool_result") {
			continue
		}
		content := block.Get("content")
		if first := content.Get("0"); first != nil {
			content = first.Get("text")
		}
		s.toolResult(firstLine(content), block.Get("is_error").GetBool(), sub)
	}
}

// claudeLimit reads the state of a subscription's limits. A rejected window
// refuses no call while the account's paid overage serves it, and a rejection
// that names neither window nor reset is a rate limit of the moment.
func claudeLimit(info *fastjson.Value) Limit {
	l := claudeWindow(text(info.Get("rateLimitType"), maxDetail), info)
	named := l.Window != "" || !l.ResetsAt.IsZero()
	l.Rejected = named && is(info.Get("status"), "rejected") && !info.Get("isUsingOverage").GetBool()
	return l
}

// claudeWindow reads how much of a window is used, and when it resets.
func claudeWindow(name string, info *fastjson.Value) Limit {
	l := Limit{Window: name, Utilization: -1, ResetsAt: fromEpoch(count(info.Get("resetsAt")))}
	if used := info.Get("utilization"); isNumber(used) {
		if n := number(used); n >= 0 && n <= 100 { // a share; what else is there is no number of the provider's
			l.Utilization = n
		}
	}
	return l
}

// claudeWindows reads the state of all windows, which newer versions report in
// addition to the nearest one.
func (s *session) claudeWindows(all *fastjson.Value) {
	all.GetObject().Visit(func(name []byte, info *fastjson.Value) {
		s.window(claudeWindow(string(cutMiddle(name, maxDetail)), info))
	})
}

// claudeResult reads the terminal event. The subtype is "success" on every
// error of the provider too: only is_error decides.
func (s *session) claudeResult(l *fastjson.Value) {
	final := l.Get("result")
	r := Result{
		IsError: l.Get("is_error").GetBool(), Status: int(count(l.Get("api_error_status"))), Context: s.context,
		Turns: int(count(l.Get("num_turns"))), Denied: claudeDenied(l.Get("permission_denials")),
	}
	s.listsDenied = true
	r.Tokens, r.ContextMax = claudeTotals(l)
	if cost := l.Get("total_cost_usd"); isNumber(cost) {
		r.CostUSD, r.HasCost = number(cost), true
	}
	switch {
	case strings.HasPrefix(text(l.Get("terminal_reason"), maxDetail), "aborted"):
		// What the CLI says itself is a diagnostic for its authors.
		r.Error = "the session was interrupted"
	case r.IsError:
		r.Error = cmp.Or(text(final, maxError), strings.TrimSpace(words(l.Get("errors"), maxError)), text(l.Get("subtype"), maxDetail))
	default:
		r.Final = text(final, maxFinal)
	}
	if s.sum.Session == "" {
		s.sum.Session = text(l.Get("session_id"), maxDetail)
	}
	s.finish(r, isString(final))
}

// claudeTotals reads the session's own count of tokens, and how many fit into
// the model's context.
func claudeTotals(l *fastjson.Value) (Tokens, int) {
	var models Tokens
	window := int64(0)
	l.GetObject("modelUsage").Visit(func(_ []byte, use *fastjson.Value) {
		models = models.Add(Tokens{
			Input: count(use.Get("inputTokens")), Output: count(use.Get("outputTokens")),
			CacheRead: count(use.Get("cacheReadInputTokens")), CacheWrite: count(use.Get("cacheCreationInputTokens")),
		})
		window = max(window, count(use.Get("contextWindow")))
	})
	if usage := claudeUsage(l.Get("usage")); usage != (Tokens{}) {
		return usage, int(window)
	}
	return models, int(window)
}

func claudeUsage(usage *fastjson.Value) Tokens {
	return Tokens{
		Input: count(usage.Get("input_tokens")), Output: count(usage.Get("output_tokens")),
		CacheRead: count(usage.Get("cache_read_input_tokens")), CacheWrite: count(usage.Get("cache_creation_input_tokens")),
	}
}

// claudeDenied reads which tool calls were not permitted.
func claudeDenied(list *fastjson.Value) []Denial {
	var denied []Denial
	for _, d := range list.GetArray() {
		if len(denied) == maxDenied {
			break
		}
		denied = append(denied, Denial{Tool: text(d.Get("tool_name"), maxDetail), Detail: toolDetail(d.Get("tool_input"))})
	}
	return denied
}
