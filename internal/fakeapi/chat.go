package fakeapi

import (
	"fmt"
	"net/http"
)

// chat answers as OpenAI's Chat Completions API does.
func (a answer) chat(w http.ResponseWriter, r *http.Request, stream bool) {
	switch {
	case a.reply.fault != none:
		a.refuseOpenAI(w)
	case stream:
		a.chatStream(w, r)
	case a.reply.fate == complete:
		message := a.chatMessage()
		message["role"] = "assistant"
		writeJSON(w, http.StatusOK, a.completion("chat.completion", map[string]any{"message": message, "finish_reason": a.finishReason()}, true))
	default:
		a.meetFate(r)
	}
}

func (a answer) chatStream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta map[string]any, finish any, usage bool) {
		sse(w, "", a.completion("chat.completion.chunk", map[string]any{"delta": delta, "finish_reason": finish}, usage))
	}
	send(map[string]any{"role": "assistant", "content": ""}, nil, false)
	send(a.chatMessage(), nil, false)
	if a.reply.fate != complete {
		a.meetFate(r)
		return
	}
	send(map[string]any{}, a.finishReason(), true)
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}

// completion is an object of the API with one choice.
func (a answer) completion(object string, choice map[string]any, usage bool) map[string]any {
	choice["index"] = 0
	c := map[string]any{"id": fmt.Sprintf("chatcmpl-fake-%06d", a.number), "object": object, "created": 1, "model": a.model, "choices": []any{choice}}
	if usage {
		c["usage"] = map[string]any{"prompt_tokens": InputTokens + CacheReadTokens, "completion_tokens": OutputTokens,
			"total_tokens": InputTokens + CacheReadTokens + OutputTokens, "prompt_tokens_details": map[string]any{"cached_tokens": CacheReadTokens}}
	}
	return c
}

// chatMessage is text and tool calls of the reply.
func (a answer) chatMessage() map[string]any {
	message, text := map[string]any{}, ""
	var calls []any
	for i, b := range a.reply.blocks {
		if b.tool == "" {
			text += b.text
			continue
		}
		name, args := a.call(b)
		calls = append(calls, map[string]any{"index": len(calls), "id": fmt.Sprintf("call_fake_%06d_%d", a.number, i), "type": "function",
			"function": map[string]any{"name": name, "arguments": jsonText(args)}})
	}
	if text != "" {
		message["content"] = text
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return message
}

func (a answer) finishReason() string {
	if a.reply.callsTools() {
		return "tool_calls"
	}
	return "stop"
}
