package stream

import (
	"fmt"
	"strings"
)

// Format is the shape of an agent's output.
type Format uint8

// The formats that a Reader understands, each named after the agent that
// prints it and the option that asks for it.
const (
	FormatText     Format = iota // plain text; only the exit code shows success
	FormatClaude                 // claude -p --output-format stream-json --verbose
	FormatCodex                  // codex exec --json
	FormatOpenCode               // opencode run --format json
	FormatGemini                 // gemini --output-format stream-json
	FormatCopilot                // copilot --output-format json
	formatCount
)

// formatNames is what the settings call the formats.
var formatNames = [formatCount]string{"text", "claude", "codex", "opencode", "gemini", "copilot"}

// String returns the format's name in the settings.
func (f Format) String() string {
	if f >= formatCount {
		return fmt.Sprintf("Format(%d)", uint8(f))
	}
	return formatNames[f]
}

// ReportsTokens reports whether the agent's output has the number of tokens of a session.
func (f Format) ReportsTokens() bool { return f != FormatText && f != FormatCopilot }

// ReportsCost reports whether the agent's output has the cost of a session.
func (f Format) ReportsCost() bool { return f == FormatClaude || f == FormatOpenCode }

// ReportsAccount reports whether the agent's output shows the used share of the account's
// limits.
func (f Format) ReportsAccount() bool { return f == FormatClaude }

// ParseFormat returns the format with that name, ignoring case.
func ParseFormat(name string) (Format, error) {
	for f, known := range formatNames {
		if strings.EqualFold(name, known) {
			return Format(f), nil
		}
	}
	return 0, fmt.Errorf("unknown output format %q: it is one of %s", name, strings.Join(formatNames[:], ", "))
}
