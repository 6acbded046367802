package stream

import (
	"io"

	"github.com/valyala/fastjson"
)

// SessionTokens estimates the tokens of a session from the agent's session file. Use it for
// agents with no token counts in their output.
func SessionTokens(file io.Reader) (Tokens, error) {
	r := NewReader(FormatText, nil)
	r.dialect = (*session).sessionFile
	_, err := io.Copy(r, file)
	r.Close()
	return r.session.tally.total(), err
}

// sessionFile reads one line of a session file: of Codex, Gemini CLI or Copilot CLI.
func (s *session) sessionFile(kind string, l *fastjson.Value) {
	switch kind {
	case "event_msg": // of Codex, with the sum of the session
		if usage := l.Get("payload", "info", "total_token_usage"); usage != nil {
			s.tally.note("", codexUsage(usage), 0)
		}
	case "gemini": // one message, which may be written more than once
		usage := l.Get("tokens")
		cached := count(usage.Get("cached"))
		s.tally.note(text(l.Get("id"), maxDetail), Tokens{
			Input:  max(0, count(usage.Get("input"))-cached),
			Output: count(usage.Get("output")) + count(usage.Get("thoughts")), CacheRead: cached,
		}, 0)
	case "session.usage_record": // of Copilot, one call
		usage := l.Get("data", "usage")
		cached := count(usage.Get("cacheReadTokens"))
		written := count(usage.Get("cacheWriteTokens"))
		s.tally.note(text(l.Get("id"), maxDetail), Tokens{
			Input:  max(0, count(usage.Get("inputTokens"))-cached-written),
			Output: count(usage.Get("outputTokens")), CacheRead: cached, CacheWrite: written,
		}, 0)
	}
}
