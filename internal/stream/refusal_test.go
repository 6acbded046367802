package stream

import (
	"strings"
	"testing"
)

// TestRefusals: what each agent prints when it was not permitted a tool, asks a
// person, or only plans.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name   string
		format Format
		stream string
		denied string
		asked  bool
		plan   bool
	}{
		{"claude", FormatClaude, `{"type":"result","subtype":"success","is_error":false,"result":"x","permission_denials":[{"tool_name":"Bash","tool_input":{"command":"ls"}}]}`, "Bash", false, false},
		{"claude, a tool that only says so", FormatClaude, `{"type":"user","message":{"content":[{"type":"tool_result","is_error":true,"content":"Tool execution denied by policy"}]}}
{"type":"result","subtype":"success","is_error":false,"result":"x","permission_denials":[]}`, "", false, false},
		{"claude in plan mode", FormatClaude, `{"type":"system","subtype":"init","session_id":"s","permissionMode":"plan"}`, "", false, true},
		{"claude asks", FormatClaude, `{"type":"assistant","message":{"id":"1","content":[{"type":"tool_use","name":"AskUserQuestion","input":{}}]}}`, "", true, false},
		{"opencode", FormatOpenCode, `{"type":"tool_use","sessionID":"s","part":{"tool":"bash","state":{"status":"error","input":{"command":"ls"},"error":"The user rejected permission to use this specific tool call."}}}
{"type":"step_finish","sessionID":"s","part":{"id":"1","reason":"stop"}}`, "bash", false, false},
		{"opencode read it", FormatOpenCode, `{"type":"tool_use","sessionID":"s","part":{"tool":"read","state":{"status":"completed","output":"The user rejected permission to use this specific tool call."}}}`, "", false, false},
		{"gemini in plan mode", FormatGemini, `{"type":"tool_use","tool_name":"write_file","parameters":{}}
{"type":"tool_result","status":"error","output":"Tool execution denied by policy. You are in Plan Mode and cannot modify source code."}
{"type":"result","status":"success","stats":{}}`, "write_file", false, true},
		{"copilot", FormatCopilot, `{"type":"tool.execution_start","data":{"toolName":"bash","arguments":{"command":"ls"}}}
{"type":"tool.execution_complete","data":{"success":false,"error":{"message":"Permission denied and could not request permission from user"}}}
{"type":"result","exitCode":0}`, "bash", false, false},
		{"copilot asks", FormatCopilot, `{"type":"tool.execution_start","data":{"toolName":"ask_user","arguments":{}}}`, "", true, false},
		{"codex", FormatCodex, `{"type":"item.started","item":{"type":"command_execution","command":"rm -r x"}}
{"type":"item.completed","item":{"type":"command_execution","command":"rm -r x","aggregated_output":"","exit_code":null,"status":"declined"}}
{"type":"turn.completed","usage":{}}`, "shell", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := NewReader(c.format, nil)
			_, _ = r.Write([]byte(c.stream + "\n"))
			r.Close()
			s := r.Summary()
			var denied []string
			for _, d := range s.Denied {
				denied = append(denied, d.Tool)
			}
			if got := strings.Join(denied, " "); got != c.denied || s.Asked != c.asked || s.PlanMode != c.plan {
				t.Errorf("denied %q, asked %v, plan mode %v", got, s.Asked, s.PlanMode)
			}
		})
	}
}

// TestCommandOfATool: the whole line of shell, not only its beginning.
func TestCommandOfATool(t *testing.T) {
	long := strings.Repeat("a", 1000) + " --no-verify"
	for format, line := range map[Format]string{
		FormatClaude: `{"type":"assistant","message":{"id":"1","content":[{"type":"tool_use","name":"Bash","input":{"description":"x","command":"` + long + `"}}]}}`,
		FormatCodex:  `{"type":"item.started","item":{"type":"command_execution","command":"` + long + `"}}`,
		FormatGemini: `{"type":"tool_use","tool_name":"run_shell_command","parameters":{"command":"` + long + `"}}`,
	} {
		var got string
		r := NewReader(format, func(e Event) {
			if e.Kind == KindTool {
				got = e.Command
			}
		})
		_, _ = r.Write([]byte(line + "\n"))
		r.Close()
		if got != long {
			t.Errorf("%v: %d bytes of %d", format, len(got), len(long))
		}
	}
}
