package agent

import (
	"strings"
	"testing"
	"time"

	"ralph/internal/journal"
	"ralph/internal/proc"
)

// TestHindered: agents that report success and may not have worked.
func TestHindered(t *testing.T) {
	for _, c := range []struct {
		name, harness, out string
		says, hint         string
	}{
		{"denied", "claude", `{"type":"result","subtype":"success","is_error":false,"result":"All done.","permission_denials":[{"tool_name":"Bash","tool_input":{}},{"tool_name":"Edit","tool_input":{}},{"tool_name":"Bash","tool_input":{}}]}`,
			"not permitted to use Bash, Edit (3 denied)", "claude.allowed_tools"},
		{"denied opencode", "opencode", `{"type":"tool_use","sessionID":"s","part":{"tool":"bash","state":{"status":"error","error":"The user rejected permission to use this specific tool call."}}}
{"type":"step_finish","sessionID":"s","part":{"id":"1","reason":"stop"}}`, "not permitted to use bash", "opencode.json"},
		{"plan mode", "claude", `{"type":"system","subtype":"init","session_id":"s","permissionMode":"plan"}
{"type":"result","subtype":"success","is_error":false,"result":"The plan: ..."}`, "plan mode", "permissions.defaultMode"},
		{"a question", "claude", `{"type":"result","subtype":"success","is_error":false,"result":"I looked around.\n\n**Shall I use tabs or spaces?**"}`,
			"question: **Shall I use tabs or spaces?", "context add"},
		{"a question in Chinese", "claude", `{"type":"result","subtype":"success","is_error":false,"result":"要继续吗？"}`, "要继续吗？", "context add"},
		{"a question in plain text", "claude", "Which one do you want?\n", "Which one do you want?", "context add"},
		{"an answer", "claude", `{"type":"result","subtype":"success","is_error":false,"result":"Why? Because. Done."}`, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, _ := Find(Builtin("ralph"), c.harness)
			o := outcomeOf(h, endItself, proc.Exit{}, read(t, h, []byte(c.out+"\n")), "", Limits{}, time.Now())
			if o.Kind != journal.OutcomeOK {
				t.Fatalf("outcome is %s: %s", o.Kind, o.Message)
			}
			if !strings.Contains(o.Message, c.says) || (c.says == "") != (o.Message == "") {
				t.Errorf("message %q, want %q in it", o.Message, c.says)
			}
			if !strings.Contains(o.Hint, c.hint) || (c.hint == "") != (o.Hint == "") {
				t.Errorf("hint %q, want %q in it", o.Hint, c.hint)
			}
		})
	}
}

// TestEveryHarnessKnowsItsPermission: if an agent was denied a tool, the hint names the
// setting.
func TestEveryHarnessKnowsItsPermission(t *testing.T) {
	for _, h := range Builtin("ralph") {
		if h.Permission == "" {
			t.Errorf("%s does not say what helps", h.Name)
		}
	}
}

func TestQuestion(t *testing.T) {
	for final, want := range map[string]string{
		"Done.": "", "": "", "Should I use X or Y?": "Should I use X or Y?", "**Which one?**": "**Which one?",
		"Should I use X or Y? Please let me know.":              "Should I use X or Y?",
		"Done so far.\nX or Y?\n\nPlease let me know.\n":        "X or Y?",
		"Why did it fail? The key was missing.":                 "",
		"See http://localhost/?a=1":                             "",
		"All done. Let me know if you want something else.":     "",
		"どうしますか？":                                               "どうしますか？",
		"Is it right?\nIt is.\nPlease merge it and confirm it.": "",
	} {
		if got := question(final); got != want {
			t.Errorf("%q: %q, want %q", final, got, want)
		}
	}
}
