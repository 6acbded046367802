package stream

// Format is the shape of an agent's output, named as in the settings. An unknown one is read as text.
type Format string

// The formats that a Reader understands, each named after the agent that
// prints it and the option that asks for it.
const (
	FormatText     Format = "text"     // plain text; only the exit code shows success
	FormatClaude   Format = "claude"   // claude -p --output-format stream-json --verbose
	FormatCodex    Format = "codex"    // codex exec --json
	FormatOpenCode Format = "opencode" // opencode run --format json
	FormatGemini   Format = "gemini"   // gemini --output-format stream-json
	FormatCopilot  Format = "copilot"  // copilot --output-format json
)

// ReportsTokens reports whether the agent's output has the number of tokens of a session.
func (f Format) ReportsTokens() bool { return f != FormatText && f != FormatCopilot }

// ReportsCost reports whether the agent's output has the cost of a session.
func (f Format) ReportsCost() bool { return f == FormatClaude || f == FormatOpenCode }

// ReportsAccount reports whether the agent's output shows the used share of the account's
// limits.
func (f Format) ReportsAccount() bool { return f == FormatClaude }
