package fakeapi

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// What each message says it cost, in tokens. Tests may rely on the figures.
const (
	InputTokens      = 12
	OutputTokens     = 42
	CacheReadTokens  = 6789
	CacheWriteTokens = 345
)

// shell is the script's name for the tool that runs commands; the agents have
// names of their own.
const shell = "Bash"

// answer is a reply on its way out.
type answer struct {
	model  string
	number int // distinguishes the ids of messages and tool calls
	reply  Reply
	tools  []string // those that the agent offers to the model
}

// messages answers as Anthropic's Messages API does.
func (a answer) messages(w http.ResponseWriter, r *http.Request, stream bool) {
	w.Header().Set("Request-Id", fmt.Sprintf("req_fake_%06d", a.number))
	switch {
	case a.reply.fault != none:
		for key, values := range a.reply.header {
			w.Header()[key] = values
		}
		writeError(w, a.reply.status, a.reply.class, a.reply.message)
	case stream:
		a.stream(w, r)
	case a.reply.fate == complete:
		message := a.message(OutputTokens)
		message["content"], message["stop_reason"] = a.content(), a.stopReason()
		writeJSON(w, http.StatusOK, message)
	default:
		a.meetFate(r)
	}
}

// message is the message without its content.
func (a answer) message(output int) map[string]any {
	return map[string]any{
		"id": fmt.Sprintf("msg_fake_%06d", a.number), "type": "message", "role": "assistant",
		"model": a.model, "content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": InputTokens, "output_tokens": output,
			"cache_read_input_tokens": CacheReadTokens, "cache_creation_input_tokens": CacheWriteTokens},
	}
}

func (a answer) content() []any {
	content := make([]any, len(a.reply.blocks))
	for i, b := range a.reply.blocks {
		content[i] = a.block(i, b.text, b.input)
	}
	return content
}

// block returns content block i with the given text or tool input.
func (a answer) block(i int, text string, input map[string]any) map[string]any {
	b := a.reply.blocks[i]
	if b.tool == "" {
		return map[string]any{"type": "text", "text": text}
	}
	if input == nil {
		input = map[string]any{}
	}
	return map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_fake_%06d_%d", a.number, i),
		"name": b.tool, "input": input}
}

func (a answer) stopReason() string {
	if a.reply.callsTools() {
		return "tool_use"
	}
	return "end_turn"
}

// stream sends the message as server-sent events.
func (a answer) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(event string, fields map[string]any) {
		fields["type"] = event
		sse(w, event, fields)
	}
	send("message_start", map[string]any{"message": a.message(1)})
	for i, b := range a.reply.blocks {
		send("content_block_start", map[string]any{"index": i, "content_block": a.block(i, "", nil)})
		send("content_block_delta", map[string]any{"index": i, "delta": b.delta()})
		send("content_block_stop", map[string]any{"index": i})
	}
	if a.reply.fate != complete {
		a.meetFate(r)
		return
	}
	send("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": a.stopReason(), "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": OutputTokens}})
	send("message_stop", map[string]any{})
}

func (b block) delta() map[string]any {
	if b.tool == "" {
		return map[string]any{"type": "text_delta", "text": b.text}
	}
	input, err := json.Marshal(b.input)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return map[string]any{"type": "input_json_delta", "partial_json": string(input)}
}

// call is the name and the arguments of the tool that block b calls, as the agent
// offers it.
func (a answer) call(b block) (name string, args map[string]any) {
	if b.tool != shell {
		return b.tool, b.input
	}
	command, _ := b.input["command"].(string)
	shells := map[string]map[string]any{
		"exec_command":      {"cmd": command},
		"shell_command":     {"command": command},
		"shell":             {"command": []string{"sh", "-c", command}},
		"bash":              b.input,
		"run_shell_command": b.input,
	}
	for _, offered := range a.tools {
		if args, ok := shells[offered]; ok {
			return offered, args
		}
	}
	return b.tool, b.input
}

// sse writes one server-sent event; without a name it has only data.
func sse(w http.ResponseWriter, name string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(http.ErrAbortHandler) // a test scripted an input that is no JSON
	}
	if name != "" {
		_, _ = fmt.Fprintf(w, "event: %s\n", name)
	}
	_, _ = fmt.Fprintf(w, "data: %s\n\n", data)
	_ = http.NewResponseController(w).Flush()
}

// meetFate hangs until the client has gone, or cuts the connection off.
func (a answer) meetFate(r *http.Request) {
	if a.reply.fate == hangs {
		<-r.Context().Done()
	}
	panic(http.ErrAbortHandler) // net/http's way to cut a connection, without a trace in its log
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func writeError(w http.ResponseWriter, status int, class, message string) {
	writeJSON(w, status, map[string]any{"type": "error",
		"error": map[string]any{"type": class, "message": message}})
}
