package fakeapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// responses answers as OpenAI's Responses API does. It knows streams alone: Codex
// asks for nothing else.
func (a answer) responses(w http.ResponseWriter, r *http.Request, _ bool) {
	if a.reply.fault != none {
		a.refuseOpenAI(w)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	id := fmt.Sprintf("resp_fake_%06d", a.number)
	send := func(event string, fields map[string]any) {
		fields["type"] = event
		sse(w, event, fields)
	}
	send("response.created", map[string]any{"response": map[string]any{"id": id, "status": "in_progress", "output": []any{}}})
	for i, b := range a.reply.blocks {
		send("response.output_item.done", map[string]any{"output_index": i, "item": a.item(i, b)})
	}
	if a.reply.fate != complete {
		a.meetFate(r)
		return
	}
	send("response.completed", map[string]any{"response": map[string]any{"id": id, "status": "completed", "output": []any{}, "usage": map[string]any{
		"input_tokens": InputTokens + CacheReadTokens, "input_tokens_details": map[string]any{"cached_tokens": CacheReadTokens},
		"output_tokens": OutputTokens, "output_tokens_details": map[string]any{"reasoning_tokens": 0},
		"total_tokens": InputTokens + CacheReadTokens + OutputTokens}}})
}

// item is block i of the reply in the API's form.
func (a answer) item(i int, b block) map[string]any {
	if b.tool == "" {
		return map[string]any{"id": fmt.Sprintf("msg_fake_%06d_%d", a.number, i), "type": "message", "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": b.text, "annotations": []any{}}}}
	}
	name, args := a.call(b)
	return map[string]any{"id": fmt.Sprintf("fc_fake_%06d_%d", a.number, i), "type": "function_call", "status": "completed",
		"call_id": fmt.Sprintf("call_fake_%06d_%d", a.number, i), "name": name, "arguments": jsonText(args)}
}

// refuseOpenAI writes an error as OpenAI's APIs do.
func (a answer) refuseOpenAI(w http.ResponseWriter) {
	refuse := func(status int, fields map[string]any) {
		writeJSON(w, status, map[string]any{"error": fields})
	}
	switch a.reply.fault {
	case unauthorized:
		refuse(http.StatusUnauthorized, map[string]any{"type": "invalid_request_error", "code": "invalid_api_key", "message": "Incorrect API key provided: sk-fake."})
	case overloaded:
		refuse(http.StatusServiceUnavailable, map[string]any{"type": "server_error", "code": "server_is_overloaded", "message": "Overloaded"})
	case limited:
		refuse(http.StatusTooManyRequests, map[string]any{"type": "usage_limit_reached", "message": "The usage limit has been reached", "plan_type": "plus",
			"resets_at": a.reply.resets.Unix(), "resets_in_seconds": int(time.Until(a.reply.resets).Seconds())})
	default:
		refuse(a.reply.status, map[string]any{"type": a.reply.class, "message": a.reply.message})
	}
}

// jsonText is v as JSON in a string.
func jsonText(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(http.ErrAbortHandler) // a test scripted an input that is no JSON
	}
	return string(data)
}
