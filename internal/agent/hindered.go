package agent

import (
	"fmt"
	"slices"
	"strings"
)

// hindered says what may have kept an agent from working that reports no error:
// it only planned, was denied its tools, or asked a question that nobody answers.
// Whether it worked all the same, its caller knows.
func (o *Outcome) hindered(h Harness) {
	s := o.Summary
	switch {
	case s.PlanMode:
		o.Message = "the agent was in plan mode: it says what it would do, and does nothing"
		o.Hint = "take plan mode out of the agent's own settings (Claude Code: permissions.defaultMode), or run with --dangerously-skip-permissions"
	case len(s.Denied) > 0:
		o.Message = "the agent was not permitted to use " + deniedTools(o)
		o.Hint = h.Permission
	case s.Asked || o.HasFinal && question(o.Final) != "":
		o.Message = "the agent ended with a question"
		if q := question(o.Final); q != "" {
			o.Message += ": " + q
		}
		o.Hint = "nobody answers during a run: decide it in the plan, or with 'ralph context add'"
	}
}

// deniedTools names each tool once.
func deniedTools(o *Outcome) string {
	var tools []string
	for _, d := range o.Summary.Denied {
		if !slices.Contains(tools, d.Tool) {
			tools = append(tools, d.Tool)
		}
	}
	return fmt.Sprintf("%s (%d denied)", strings.Join(tools, ", "), len(o.Summary.Denied))
}

// question is the last line of a message where that asks something.
func question(final string) string {
	line := strings.TrimRight(lastLine(final), " *_`\"')]")
	for _, mark := range []string{"?", "？", "؟"} {
		if strings.HasSuffix(line, mark) {
			return line
		}
	}
	return ""
}
