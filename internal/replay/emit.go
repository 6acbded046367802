package replay

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// emitter prints the session's lines in the shapes of Claude Code's
// "--output-format stream-json". Lines are written at once, each with one call.
// Write errors are ignored: an agent without a reader continues.
type emitter struct {
	w       io.Writer
	dir     string
	model   string
	session string
	started time.Time
	tools   int // tool calls so far
	turns   int // messages of the model so far
	last    string
}

// ownModel is what the stream names as the session's model where none was asked for.
const ownModel = "replay"

func newEmitter(w io.Writer, dir, model string) *emitter {
	return &emitter{w: w, dir: dir, model: cmp.Or(model, ownModel), session: newID(), started: time.Now()}
}

// newID returns a random identifier in the form of a UUID.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// block is one content block of a message.
type block struct {
	Type      string         `json:"type"`
	Text      string         `json:"text,omitempty"`
	ID        string         `json:"id,omitempty"`
	Name      string         `json:"name,omitempty"`
	Input     map[string]any `json:"input,omitempty"`
	ToolUseID string         `json:"tool_use_id,omitempty"`
	Content   string         `json:"content,omitempty"`
	IsError   bool           `json:"is_error,omitempty"`
}

// message is the "message" of an assistant or user line.
type message struct {
	ID      string  `json:"id,omitempty"`
	Type    string  `json:"type,omitempty"`
	Role    string  `json:"role"`
	Model   string  `json:"model,omitempty"`
	Content []block `json:"content"`
	Usage   *usage  `json:"usage,omitempty"`
}

// usage counts tokens under the provider's names.
type usage struct {
	Input      int64 `json:"input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	Output     int64 `json:"output_tokens"`
}

// tokens are the tokens that a script's result reports.
type tokens struct {
	Input      int64 `yaml:"input"`
	CacheWrite int64 `yaml:"cache_write"`
	CacheRead  int64 `yaml:"cache_read"`
	Output     int64 `yaml:"output"`
}

// line is one line of the stream other than the result.
type line struct {
	Type    string   `json:"type"`
	Subtype string   `json:"subtype,omitempty"`
	CWD     string   `json:"cwd,omitempty"`
	Tools   []string `json:"tools,omitempty"`
	Model   string   `json:"model,omitempty"`
	Message *message `json:"message,omitempty"`
	Session string   `json:"session_id"`
	UUID    string   `json:"uuid"`
	Error   string   `json:"error,omitempty"` // class of a synthetic message
	*retry
	Limit *limitInfo `json:"rate_limit_info,omitempty"`
}

// retry is the body of a system line of the subtype api_retry.
type retry struct {
	Attempt int     `json:"attempt"`
	Max     int     `json:"max_retries"`
	DelayMS float64 `json:"retry_delay_ms"`
	Status  int     `json:"error_status"`
}

// limitInfo is the state of the account's usage limit.
type limitInfo struct {
	Status   string `json:"status"`
	ResetsAt int64  `json:"resetsAt"` // Unix seconds
	Window   string `json:"rateLimitType"`
}

func (e *emitter) init() {
	e.emit(line{Type: "system", Subtype: "init", CWD: e.dir, Model: e.model,
		Tools: []string{"Bash", "Edit", "Read", "Write"}})
}

// text prints something the agent says.
func (e *emitter) text(text string) {
	e.last = text
	e.turns++
	e.assistant(block{Type: "text", Text: text})
}

// tool prints a tool call and returns its id for the answer.
func (e *emitter) tool(name string, input map[string]any) string {
	e.tools++
	id := fmt.Sprintf("toolu_replay_%04d", e.tools)
	e.turns++
	e.assistant(block{Type: "tool_use", ID: id, Name: name, Input: input})
	return id
}

// answer prints the result of a tool call.
func (e *emitter) answer(id, text string, failed bool) {
	e.emit(line{Type: "user", Message: &message{Role: "user", Content: []block{
		{Type: "tool_result", ToolUseID: id, Content: text, IsError: failed}}}})
}

// call prints a tool call together with its answer.
func (e *emitter) call(name string, input map[string]any, answer string) {
	e.answer(e.tool(name, input), answer, false)
}

func (e *emitter) assistant(b block) {
	e.emit(line{Type: "assistant", Message: &message{
		ID: fmt.Sprintf("msg_replay_%04d", e.turns), Type: "message", Role: "assistant",
		Model: e.model, Content: []block{b}, Usage: &usage{}}})
}

// synthetic prints the message that Claude Code puts in the place of the
// model's when its provider refused the call.
func (e *emitter) synthetic(class, text string) {
	e.turns++
	e.emit(line{Type: "assistant", Error: class, Message: &message{
		ID: newID(), Type: "message", Role: "assistant", Model: "<synthetic>",
		Content: []block{{Type: "text", Text: text}}, Usage: &usage{}}})
}

func (e *emitter) emit(l line) {
	l.Session, l.UUID = e.session, newID()
	e.write(l)
}

// write prints v as a line of JSON, with <, > and & as they are: users read
// these lines, and search them for a promise.
func (e *emitter) write(v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return // the values of a script's 'tool' step are checked when it is read
	}
	_, _ = e.w.Write(b.Bytes())
}

// result is the terminal event of the stream. Claude Code also calls a refusal by its
// provider a "success": only is_error distinguishes them.
type result struct {
	Type       string   `json:"type"`
	Subtype    string   `json:"subtype"`
	IsError    bool     `json:"is_error"`
	Status     *int     `json:"api_error_status"`
	DurationMS int64    `json:"duration_ms"`
	Turns      int      `json:"num_turns"`
	Text       *string  `json:"result,omitempty"` // absent when the session was interrupted
	Session    string   `json:"session_id"`
	CostUSD    float64  `json:"total_cost_usd"`
	Usage      usage    `json:"usage"`
	Denials    []denial `json:"permission_denials"`
	Reason     string   `json:"terminal_reason"`
	UUID       string   `json:"uuid"`
	Errors     []string `json:"errors,omitempty"`
}

// denial is a tool call that the agent was not permitted to make.
type denial struct {
	Tool  string         `json:"tool_name"`
	ID    string         `json:"tool_use_id"`
	Input map[string]any `json:"tool_input"`
}

func (r *result) succeed(final string) {
	r.Subtype, r.Reason, r.Text = "success", "completed", &final
}

// refuse makes r the result of a call that the provider refused.
func (r *result) refuse(status int, text string) {
	r.succeed(text)
	r.IsError, r.Status = true, &status
}

// result prints the terminal event.
func (e *emitter) result(r result) {
	r.Type, r.Session, r.UUID = "result", e.session, newID()
	r.DurationMS = time.Since(e.started).Milliseconds()
	r.Turns = e.turns
	if r.Denials == nil {
		r.Denials = []denial{}
	}
	e.write(r)
}

// interrupted prints the end of a session that was sent an INT.
func (e *emitter) interrupted(inTool bool, r result) {
	note := "[Request interrupted by user]"
	r.Reason = "aborted_streaming"
	if inTool {
		note = "[Request interrupted by user for tool use]"
		r.Reason = "aborted_tools"
	}
	e.emit(line{Type: "user", Message: &message{Role: "user",
		Content: []block{{Type: "text", Text: note}}}})
	r.Subtype, r.IsError, r.Text = "error_during_execution", true, nil
	r.Errors = []string{"the session was interrupted"}
	e.result(r)
}
