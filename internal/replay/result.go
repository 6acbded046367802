package replay

import "time"

// result is the terminal event of the stream. Claude Code calls a refusal by
// its provider a "success" too: only is_error tells them apart.
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
