package stream

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"
)

// codex reads one line of codex exec --json.
func (s *session) codex(kind string, l *fastjson.Value) {
	switch kind {
	case "thread.started":
		s.start(text(l.Get("thread_id"), maxDetail), "")
	case "turn.started":
		s.reopen()
	case "item.started":
		s.codexItem(l.Get("item"), false)
	case "item.completed":
		s.codexItem(l.Get("item"), true)
	case "error":
		s.codexError(text(l.Get("message"), maxError))
	case "turn.completed", "turn.failed":
		s.codexEnd(l)
	}
}

// codexItem reads a message or a tool's call. An item of type error is a mere
// warning: turns that hold one succeed.
func (s *session) codexItem(item *fastjson.Value, completed bool) {
	switch kind := text(item.Get("type"), maxDetail); kind {
	case "agent_message":
		if completed {
			s.recovered()
			s.final.reset()
			s.speak(text(item.Get("text"), maxFinal))
			s.hush()
		}
	case "command_execution":
		if !completed {
			s.tool("shell", item, false)
			return
		}
		if is(item.Get("status"), "declined") {
			s.deny("shell")
		}
		code := item.Get("exit_code")
		s.toolResult(firstLine(item.Get("aggregated_output")), number(code) != 0, false)
	case "mcp_tool_call":
		if !completed {
			s.tool(text(item.Get("tool"), maxDetail), item.Get("arguments"), false)
		}
	case "file_change":
		if completed {
			s.tool(kind, cmp.Or(item.Get("changes", "0"), item), false) // the first changed file
		}
	case "web_search":
		if completed {
			s.tool(kind, item, false)
		}
	}
}

var reconnecting = regexp.MustCompile(`^Reconnecting\.\.\. (?:(\d+)/(\d+)|waiting for network)`)

// codexError reads the error carrier, which also reports retries.
func (s *session) codexError(text string) {
	m := reconnecting.FindStringSubmatch(text)
	if m == nil {
		s.fail(text, "", statusIn(text))
		return
	}
	attempt, _ := strconv.Atoi(m[1]) // none while there is no network: Codex waits without an end
	most, _ := strconv.Atoi(m[2])
	reason := strings.Trim(text[len(m[0]):], " ()")
	s.again(Retry{Attempt: attempt, Max: most, Status: statusIn(text), Class: oneLine(reason)})
}

// codexEnd reads the terminal event.
func (s *session) codexEnd(l *fastjson.Value) {
	if message := text(l.Get("error", "message"), maxError); message != "" || is(l.Get("type"), "turn.failed") {
		s.fail(message, "", statusIn(message))
		s.finish(Result{IsError: true, Error: message, Status: statusIn(message)}, false)
		return
	}
	s.finish(Result{Final: s.final.String(), Tokens: codexUsage(l.Get("usage"))}, true)
}

// codexUsage reads the tokens of a session. The input includes the cached ones.
func codexUsage(usage *fastjson.Value) Tokens {
	cached := count(usage.Get("cached_input_tokens"))
	return Tokens{
		Input:  max(0, count(usage.Get("input_tokens"))-cached),
		Output: count(usage.Get("output_tokens")), CacheRead: cached,
		CacheWrite: count(usage.Get("cache_write_input_tokens")),
	}
}

var statusWords = regexp.MustCompile(`(?:\bstatus:?|"code":|\(HTTP) ?([1-5]\d\d)\b`)

// statusIn is the HTTP status that an error message names, or 0.
func statusIn(text string) int {
	m := statusWords.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	status, _ := strconv.Atoi(m[1])
	return status
}
