package stream

import (
	"strings"
	"time"
)

// synthetic is the model of the messages that Claude Code writes itself, to
// report that the provider failed.
const synthetic = "<synthetic>"

// claude reads one line of Claude Code's stream-json output.
func (s *session) claude(kind string, l line) {
	switch kind {
	case "assistant":
		s.claudeAssistant(l)
	case "user":
		s.claudeUser(l)
	case "system":
		s.claudeSystem(l)
	case "rate_limit_event":
		s.limit(claudeLimit(l.get("rate_limit_info")))
		s.claudeWindows(l.get("rate_limit_info", "unifiedWindows"))
	case "result":
		if s.accepts(l) {
			s.claudeResult(l)
		}
	}
}

// claudeSystem reads the session's start and the retries.
func (s *session) claudeSystem(l line) {
	switch {
	case l.get("subtype").is("init"):
		s.sum.PlanMode = s.sum.PlanMode || l.get("permissionMode").is("plan")
		s.start(l.get("session_id").str(maxDetail), l.get("model").str(maxDetail))
	case l.get("subtype").is("api_retry"):
		s.again(Retry{
			Attempt: int(l.get("attempt").count()), Max: int(l.get("max_retries").count()),
			Delay:  time.Duration(l.get("retry_delay_ms").number() * float64(time.Millisecond)),
			Status: int(l.get("error_status").count()), Class: l.get("error").str(maxDetail),
		})
	}
}

// claudeMessage is what an assistant's line holds besides its blocks.
type claudeMessage struct{ id, model, content, usage value }

func newClaudeMessage(v value) (m claudeMessage) {
	for key, val := range v.members() {
		switch string(key) {
		case "id":
			m.id = val
		case "model":
			m.model = val
		case "content":
			m.content = val
		case "usage":
			m.usage = val
		}
	}
	return m
}

// claudeAssistant reads one block of a message. A top-level error marks the
// carrier of a failure; anything else that the model says is no failure,
// however much it sounds like one.
func (s *session) claudeAssistant(l line) {
	m, sub := newClaudeMessage(l.get("message")), l.get("parent_tool_use_id").isString()
	if class := l.get("error"); class.isString() || m.model.is(synthetic) {
		if !sub {
			s.fail(claudeText(m.content), class.str(maxDetail), 0)
		}
		return
	}
	if !sub && (s.failed || s.sum.ErrorClass != "") {
		s.recovered()
	}
	written := 0
	for block := range m.content.elements() {
		written += s.claudeBlock(block, sub)
	}
	if m.usage.exists() {
		usage := claudeUsage(m.usage)
		s.tally.note(m.id.raw(), usage, written)
		if !sub {
			s.context = usage.Input + usage.CacheRead + usage.CacheWrite
		}
	}
}

// claudeBlock reads one block of a message and returns how much the model wrote for it.
func (s *session) claudeBlock(block value, sub bool) (written int) {
	var kind, name, body value
	for key, val := range block.members() {
		switch string(key) {
		case "type":
			kind = val
		case "name":
			name = val
		case "text", "input", "thinking":
			body = val
		}
	}
	switch {
	case kind.is("text"):
		s.say(body.str(maxText), sub)
	case kind.is("tool_use"):
		s.tool(name.str(maxDetail), body, sub)
	}
	return len(body.raw())
}

// claudeText is the text of all blocks of a message's content.
func claudeText(content value) string {
	var texts []string
	for block := range content.elements() {
		if text := block.get("text").str(maxError); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// claudeUser reads the tools' answers, which stand in messages of the user. They
// are most of what a session prints.
func (s *session) claudeUser(l line) {
	sub := l.get("parent_tool_use_id").isString()
	for block := range l.get("message", "content").elements() {
		if !block.get("type").is("tool_result") {
			continue
		}
		content := block.get("content")
		for part := range content.elements() {
			content = part.get("text")
			break
		}
		s.toolResult(content.firstLine(maxDetail), block.get("is_error").isTrue(), sub)
	}
}

// claudeLimit reads the state of a subscription's limits. A rejected window
// refuses no call while the account's paid overage serves it, and a rejection
// that names neither window nor reset is a rate limit of the moment.
func claudeLimit(info value) Limit {
	l := claudeWindow(info.get("rateLimitType").str(maxDetail), info)
	named := l.Window != "" || !l.ResetsAt.IsZero()
	l.Rejected = named && info.get("status").is("rejected") && !info.get("isUsingOverage").isTrue()
	return l
}

// claudeWindow reads how much of a window is used, and when it begins anew.
func claudeWindow(name string, info value) Limit {
	l := Limit{Window: name, Utilization: -1}
	if used := info.get("utilization"); used.exists() && !used.isNull() {
		if n := used.number(); n >= 0 && n <= 100 { // a share; what else is there is no number of the provider's
			l.Utilization = n
		}
	}
	if epoch := info.get("resetsAt").count(); epoch > 0 {
		l.ResetsAt = fromEpoch(epoch)
	}
	return l
}

// claudeWindows reads the state of all windows, which newer versions tell
// beside that of the nearest one.
func (s *session) claudeWindows(all value) {
	for name, info := range all.members() {
		s.window(claudeWindow(string(name[:min(len(name), maxDetail)]), info))
	}
}

// claudeResult reads the terminal event. The subtype is "success" on every
// error of the provider too: is_error alone tells.
func (s *session) claudeResult(l line) {
	text := l.get("result")
	r := Result{
		IsError: l.get("is_error").isTrue(), Status: int(l.get("api_error_status").count()),
		Subtype: l.get("subtype").str(maxDetail), Reason: l.get("terminal_reason").str(maxDetail),
		Turns: int(l.get("num_turns").count()), Denied: claudeDenied(l.get("permission_denials")),
	}
	s.listsDenied = true
	r.Tokens, r.ContextMax = claudeTotals(l)
	r.Context = s.context
	if cost := l.get("total_cost_usd"); cost.exists() && !cost.isNull() {
		r.CostUSD, r.HasCost = cost.number(), true
	}
	switch {
	case strings.HasPrefix(r.Reason, "aborted"):
		// What the CLI says itself is a diagnostic for its authors.
		r.Error = "the session was interrupted"
	case r.IsError:
		r.Error = firstOf(text.str(maxError), strings.TrimSpace(joined(l.get("errors"))), r.Subtype)
	default:
		r.Final = text.str(maxFinal)
	}
	if s.sum.Session == "" {
		s.sum.Session = l.get("session_id").str(maxDetail)
	}
	s.finish(r, text.isString())
}

// claudeTotals reads the session's own count of tokens, and how many fit into
// the model's context.
func claudeTotals(l line) (Tokens, int) {
	var models Tokens
	window := int64(0)
	for _, use := range l.get("modelUsage").members() {
		models = models.Add(Tokens{
			Input: use.get("inputTokens").count(), Output: use.get("outputTokens").count(),
			CacheRead: use.get("cacheReadInputTokens").count(), CacheWrite: use.get("cacheCreationInputTokens").count(),
		})
		window = max(window, use.get("contextWindow").count())
	}
	if usage := claudeUsage(l.get("usage")); usage != (Tokens{}) {
		return usage, int(window)
	}
	return models, int(window)
}

func claudeUsage(usage value) (t Tokens) {
	for key, val := range usage.members() {
		switch string(key) {
		case "input_tokens":
			t.Input = val.count()
		case "output_tokens":
			t.Output = val.count()
		case "cache_read_input_tokens":
			t.CacheRead = val.count()
		case "cache_creation_input_tokens":
			t.CacheWrite = val.count()
		}
	}
	return t
}

// claudeDenied reads which tool calls were not permitted.
func claudeDenied(list value) []Denial {
	var denied []Denial
	for d := range list.elements() {
		if len(denied) == maxDenied {
			break
		}
		denied = append(denied, Denial{Tool: d.get("tool_name").str(maxDetail), Detail: toolDetail(d.get("tool_input"))})
	}
	return denied
}
