package stream

// Summary is the result of a whole stream. Only Final contains text that the agent read or
// wrote. The fields about failures come from the agent's own failure reports.
type Summary struct {
	Started  bool   // at least one event was read
	Terminal bool   // a terminal event was read; without one a JSON stream broke off
	Result   Result // of the last terminal event
	Session  string
	Model    string

	LastError  string  // the failure reported last; empty after a success
	ErrorClass string  // the agent's own word for it, such as "rate_limit"
	Status     int     // HTTP status of it, 0 where unknown
	Retries    int     // attempts of the agent to reach its provider again
	Limits     []Limit // as reported last, one for each known window of the account
	Rejected   *Limit  // the last one that refused a call, nil if none

	Final     string // the agent's final message, or the end of a plain text
	HasFinal  bool   // false where the stream broke off or the session failed
	Tokens    Tokens
	Estimated bool // Tokens was counted on the way: the session reported no totals
	CostUSD   float64
	HasCost   bool
	Denied    []Denial
	Asked     bool // it called a tool that asks the user
	PlanMode  bool // it was in a mode in which it only plans

	Lines  int  // lines that are not empty
	Broken int  // lines of a JSON format that are no JSON object, or were too long
	Plain  bool // a JSON format in which nothing was JSON: Final is the end of the text
}
