package agent

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"ralph/internal/stream"
)

// TestCountFromSession reads what the agents keep about a session that was cut off.
func TestCountFromSession(t *testing.T) {
	const id = "0264c5e7-6b0c-4b43-9180-f3038934ead4"
	used := stream.Tokens{Input: 24, Output: 84, CacheRead: 13578}
	for _, c := range []struct {
		harness, path, text string
		sum, want           stream.Summary
	}{
		{"codex", ".codex/sessions/2026/11/22/rollout-2026-11-22T09-50-00-" + id + ".jsonl",
			`{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":6801,"cached_input_tokens":6789,"output_tokens":42}}}}` + "\n" +
				`{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":13602,"cached_input_tokens":13578,"output_tokens":84}}}}` + "\n" +
				`{"type":"event_msg","payload":{"type":"agent_message","message":"Sleeping."}}` + "\n",
			stream.Summary{Session: id}, stream.Summary{Tokens: used, Estimated: true}},
		{"gemini", ".gemini/tmp/repo/chats/session-2026-11-22T09-52-0264c5e7.jsonl",
			`{"id":"a","type":"gemini","tokens":{"input":1,"output":1}}` + "\n" +
				`{"id":"a","type":"gemini","tokens":{"input":6801,"output":42,"cached":6789}}` + "\n" + `{"$set":{}}` + "\n" +
				`{"id":"b","type":"gemini","tokens":{"input":6801,"output":40,"cached":6789,"thoughts":2}}` + "\n",
			stream.Summary{Session: id}, stream.Summary{Tokens: used, Estimated: true}},
		{"copilot", ".copilot/session-state/" + id + "/events.jsonl",
			`{"type":"session.usage_record","id":"1","data":{"usage":{"inputTokens":6801,"outputTokens":42,"cacheReadTokens":6789,"cacheWriteTokens":0}}}` + "\n" +
				`{"type":"session.usage_record","id":"2","data":{"usage":{"inputTokens":6801,"outputTokens":42,"cacheReadTokens":6789,"cacheWriteTokens":0}}}` + "\n",
			stream.Summary{Session: id}, stream.Summary{Tokens: used, Estimated: true}},
		{"copilot", ".copilot/session-state/" + id + "/events.jsonl", "not JSON\n", stream.Summary{Session: id}, stream.Summary{}},
		{"copilot", ".copilot/session-state/" + id + "/events.jsonl", "FIFO", stream.Summary{Session: id}, stream.Summary{}},
		{"copilot", ".copilot/secret/events.jsonl",
			`{"type":"session.usage_record","id":"1","data":{"usage":{"inputTokens":5}}}` + "\n", stream.Summary{Session: "../secret"}, stream.Summary{}},
		{"codex", ".codex/sessions/2026/11/22/rollout-" + id + ".jsonl",
			`{"type":"event_msg","payload":{"info":{"total_token_usage":{"input_tokens":5}}}}` + "\n",
			stream.Summary{Session: id, Tokens: stream.Tokens{Output: 7}}, stream.Summary{Tokens: stream.Tokens{Output: 7}}},
	} {
		home := t.TempDir()
		path := filepath.Join(home, c.path)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil && c.text == "FIFO" {
			err = syscall.Mkfifo(path, 0o600)
		} else if err == nil {
			err = os.WriteFile(path, []byte(c.text), 0o600)
		}
		h, ok := Find(Builtin(""), c.harness)
		if err != nil || !ok {
			t.Fatal(err)
		}
		h.CountFromSession([]string{"HOME=" + home}, &c.sum)
		if c.sum.Tokens != c.want.Tokens || c.sum.Estimated != c.want.Estimated {
			t.Errorf("%s %s: %+v, estimated %v", c.harness, c.text, c.sum.Tokens, c.sum.Estimated)
		}
	}
}
