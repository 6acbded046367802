// Package stream parses the output of coding agents while they work. A Reader per output
// format turns bytes into events, and a Printer turns events into lines for people. The
// package knows nothing of processes, plans or files.
package stream

import (
	"math"
	"time"
)

// Kind is the kind of an Event.
type Kind uint8

// The kinds of event that a reader emits.
const (
	KindStart      Kind = iota + 1 // the session began: Session and Model are set where known
	KindText                       // the agent spoke: Text
	KindTool                       // the agent calls a tool: Tool and Detail
	KindToolResult                 // a tool answered: Text (its first line), Failed
	KindRetry                      // the agent itself is trying its provider again: Retry
	KindLimit                      // the state of the account's limits: Limit
	KindError                      // the agent reported a failure on its error carrier: Text
	KindResult                     // the terminal event: Result
)

// Event is one event in an agent's output. Its strings have a limited length and may contain
// control characters, which a Printer removes.
type Event struct {
	Kind    Kind
	Text    string
	Tool    string
	Detail  string // the tool call's argument in one line
	Command string // the line of shell that a tool runs, empty for other tools
	Failed  bool   // the tool's answer was an error
	Sub     bool   // it happened in a subagent
	Session string
	Model   string
	Retry   *Retry
	Limit   *Limit
	Result  *Result
}

// Retry is one retry of the agent's call to its provider.
type Retry struct {
	Attempt, Max int
	Delay        time.Duration
	Status       int    // HTTP status, 0 where unknown
	Class        string // the agent's own word, such as "rate_limit" or "overloaded"
}

// Limit is the state of a provider's usage limit, as the agent reports it. Agents report it on
// success too. Only Rejected means that the provider refused a call.
type Limit struct {
	Rejected    bool
	ResetsAt    time.Time // zero where unknown
	Window      string    // such as "five_hour" or "seven_day"
	Utilization float64   // 0 to 1, negative where unknown
}

// Result is the terminal event of an agent's session, with its tokens and cost.
type Result struct {
	IsError    bool
	Status     int    // HTTP status of the provider's answer, 0 where none
	Final      string // the final message; its middle is cut out beyond a megabyte
	Error      string // what went wrong, in the agent's words
	Tokens     Tokens
	CostUSD    float64
	HasCost    bool
	Turns      int
	Denied     []Denial
	Context    int64 // tokens in the context at the last answer of the main session, 0 where unknown
	ContextMax int   // size of the model's context window in tokens, 0 where unknown
}

// Denial is a tool call that the agent was not allowed to make.
type Denial struct {
	Tool   string
	Detail string
}

// Tokens counts the tokens of a session. Input excludes cached tokens, as in the providers'
// bills.
type Tokens struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
}

// Add returns the sum of t and u.
func (t Tokens) Add(u Tokens) Tokens {
	return Tokens{
		Input: t.Input + u.Input, Output: t.Output + u.Output,
		CacheRead: t.CacheRead + u.CacheRead, CacheWrite: t.CacheWrite + u.CacheWrite,
	}
}

// AddCost adds two costs in dollars and removes the rounding error, so that 0.1 and 0.2 give
// 0.3.
func AddCost(a, b float64) float64 { return math.Round((a+b)*1e9) / 1e9 }

// Total returns the tokens that count for a budget: input and output, without cache.
func (t Tokens) Total() int64 { return t.Input + t.Output }
