package stream

import "strings"

// refusals are the answers of agents to a tool call that was not permitted, where
// no terminal event lists them: OpenCode, Gemini CLI and Copilot CLI in this order.
var refusals = [...]string{
	"rejected permission to use this specific tool call",
	"specified a rule which prevents you from using this specific tool call",
	"Tool execution denied by policy",
	"Permission denied and could not request permission from user",
}

// noteTool notes tools with names that show that the agent asks the user, or only plans.
func (s *session) noteTool(name string) {
	s.lastTool = name
	switch name {
	case "AskUserQuestion", "ask_user", "request_user_input", "question":
		s.sum.Asked = true
	case "ExitPlanMode", "exit_plan_mode":
		s.sum.PlanMode = true
	}
}

// noteRefusal takes note of a failed tool call that was not permitted.
func (s *session) noteRefusal(answer string) {
	for _, text := range refusals {
		if strings.Contains(answer, text) {
			s.deny(s.lastTool)
		}
	}
	if strings.Contains(answer, "You are in Plan Mode") {
		s.sum.PlanMode = true
	}
}

func (s *session) deny(tool string) {
	if len(s.denied) < maxDenied {
		s.denied = append(s.denied, Denial{Tool: tool})
	}
}
