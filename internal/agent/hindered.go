package agent

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// hindered says what may have kept an agent from working that reports no error:
// it only planned, was denied its tools, or asked a question that no one answers.
// Whether it worked all the same, its caller knows.
func (o *Outcome) hindered(h Harness) {
	s := o.Summary
	switch {
	case s.PlanMode:
		o.Message = "the agent was in plan mode: it describes what it would do, and does nothing"
		o.Hint = "turn off plan mode in the agent's own settings (Claude Code: permissions.defaultMode), or run with --dangerously-skip-permissions"
	case len(s.Denied) > 0:
		o.Message = "the agent was not permitted to use " + deniedTools(o)
		o.Hint = h.Permission
	case s.Asked || o.HasFinal && question(o.Final) != "":
		o.Message = "the agent ended with a question"
		if q := question(o.Final); q != "" {
			o.Message += ": " + q
		}
		o.Hint = "no one answers during a run: write the decision into the plan, or use 'ralph context add'"
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

// courtesy is what may follow a question.
var courtesy = regexp.MustCompile(`(?i)\b(?:please|let me know|tell me|waiting|confirm|your (?:choice|decision|answer|call|preference))\b`)

// question returns the question that a message ends with, empty where it does not.
// A request for the answer may follow it.
func question(final string) string {
	rest := final
	for range 2 { // the last line, or the one before a line of courtesy
		line := strings.TrimRight(lastLine(rest), " *_`\"')]")
		at := strings.LastIndexAny(line, "?？؟")
		switch {
		case at >= 0:
			_, size := utf8.DecodeRuneInString(line[at:])
			if at+size < len(line) && !courtesy.MatchString(line[at+size:]) {
				return ""
			}
			return line[:at+size]
		case !courtesy.MatchString(line):
			return ""
		}
		rest = strings.TrimSpace(rest)
		rest = rest[:max(0, strings.LastIndexByte(rest, '\n'))]
	}
	return ""
}
