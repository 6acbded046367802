package stream

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// codex reads one line of codex exec --json.
func (s *session) codex(kind string, l line) {
	switch kind {
	case "thread.started":
		s.start(l.get("thread_id").str(maxDetail), "")
	case "turn.started":
		s.reopen()
	case "item.started":
		s.codexItem(l.get("item"), false)
	case "item.completed":
		s.codexItem(l.get("item"), true)
	case "error":
		s.codexError(l.get("message").str(maxError))
	case "turn.completed", "turn.failed":
		if s.accepts(l) {
			s.codexEnd(l)
		}
	}
}

// codexItem reads a message or a tool's call. An item of type error is a mere
// warning: turns that hold one succeed.
func (s *session) codexItem(item value, completed bool) {
	switch kind := item.get("type").str(maxDetail); kind {
	case "agent_message":
		if completed {
			s.recovered()
			s.final.reset()
			s.speak(item.get("text").str(maxFinal))
			s.hush()
		}
	case "command_execution":
		if !completed {
			s.tool("shell", item, false)
			return
		}
		if item.get("status").is("declined") {
			s.deny("shell")
		}
		code := item.get("exit_code")
		s.toolResult(item.get("aggregated_output").firstLine(maxDetail), code.exists() && code.number() != 0, false)
	case "mcp_tool_call":
		if !completed {
			s.tool(item.get("tool").str(maxDetail), item.get("arguments"), false)
		}
	case "file_change":
		if completed {
			s.tool(kind, codexChanges(item), false)
		}
	case "web_search":
		if completed {
			s.tool(kind, item, false)
		}
	}
}

// codexChanges is the first file that an item changed, or the item itself.
func codexChanges(item value) value {
	for change := range item.get("changes").elements() {
		return change
	}
	return item
}

var reconnecting = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^Reconnecting\.\.\. (?:(\d+)/(\d+)|waiting for network)`)
})

// codexError reads the error carrier, on which tries that go on are told too.
func (s *session) codexError(text string) {
	m := reconnecting().FindStringSubmatch(text)
	if m == nil {
		s.fail(text, "", statusIn(text))
		return
	}
	attempt, _ := strconv.Atoi(m[1]) // none while the network is away: that goes on for as long as it is
	most, _ := strconv.Atoi(m[2])
	reason := strings.Trim(text[len(m[0]):], " ()")
	s.again(Retry{Attempt: attempt, Max: most, Status: statusIn(text), Class: oneLine(reason)})
}

// codexEnd reads the terminal event. Its input tokens include the cached ones.
func (s *session) codexEnd(l line) {
	if message := l.get("error", "message").str(maxError); message != "" || l.get("type").is("turn.failed") {
		s.fail(message, "", statusIn(message))
		s.finish(Result{IsError: true, Error: message, Status: statusIn(message)}, false)
		return
	}
	usage := l.get("usage")
	cached := usage.get("cached_input_tokens").count()
	s.finish(Result{Final: s.final.String(), Tokens: Tokens{
		Input:  max(0, usage.get("input_tokens").count()-cached),
		Output: usage.get("output_tokens").count(), CacheRead: cached,
		CacheWrite: usage.get("cache_write_input_tokens").count(),
	}}, true)
}

var statusWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\bstatus:?|"code":|\(HTTP) ?([1-5]\d\d)\b`)
})

// statusIn is the HTTP status that an error message names, or 0.
func statusIn(text string) int {
	m := statusWords().FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	status, _ := strconv.Atoi(m[1])
	return status
}
