package feature

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Flags are the flags of "ralph run" that a submission may carry. What is not set
// is left to ralph, and to the settings on the host. Those that ask the user,
// show a screen or say what to do at a limit are not here: the fleet decides them.
type Flags struct {
	Text          string  `help:"What to do, in words: in addition to the plan, or in place of one." placeholder:"TEXT" group:"run" json:"text,omitempty"`
	MaxIterations int     `short:"n" aliases:"max" help:"Iterations, on all hosts together." placeholder:"N" group:"run" json:"maxIterations,omitempty"`
	MinIterations int     `help:"Ignore the completion promise before this many iterations." placeholder:"N" group:"run" json:"minIterations,omitempty"`
	Timeout       string  `short:"t" aliases:"iteration-timeout" help:"Per iteration; a bare number is minutes." placeholder:"D" group:"run" json:"timeout,omitempty"`
	IdleTimeout   string  `help:"End an iteration that shows no sign of life for so long." placeholder:"D" group:"run" json:"idleTimeout,omitempty"`
	RateLimit     *int    `short:"r" help:"Calls per clock hour of the whole account; 0 is off." placeholder:"N" group:"run" json:"rateLimit,omitempty"`
	Harness       string  `aliases:"agent" help:"Coding agent." placeholder:"NAME" group:"run" json:"harness,omitempty"`
	Model         string  `help:"Model." placeholder:"ID" group:"run" json:"model,omitempty"`
	Done          string  `help:"How done is recognised: prd, tasks or manual." enum:",prd,tasks,manual" default:"" placeholder:"HOW" group:"run" json:"done,omitempty"`
	Change        string  `help:"Work on this change of Ito or OpenSpec." placeholder:"ID" group:"run" json:"change,omitempty"`
	StallLimit    int     `name:"stall-threshold" aliases:"no-progress" help:"Iterations without progress that end the feature." placeholder:"N" group:"run" json:"stallThreshold,omitempty"`
	SameError     int     `help:"Equal errors in a row that end the feature." placeholder:"N" group:"run" json:"sameError,omitempty"`
	MaxTokens     int64   `help:"End after the iteration that spends more." placeholder:"N" group:"run" json:"maxTokens,omitempty"`
	MaxCost       float64 `help:"End after the iteration that costs more in all, in US dollars." placeholder:"USD" group:"run" json:"maxCost,omitempty"`
	Pause         string  `name:"pause" help:"Between iterations; a bare number is seconds." placeholder:"D" group:"run" json:"pause,omitempty"`

	AcceptBaseline  bool `help:"Finish even if checks that failed before the run still fail." group:"run" json:"acceptBaseline,omitempty"`
	SkipPermissions bool `name:"dangerously-skip-permissions" aliases:"allow-all,yolo" help:"Let the agent do everything without asking." group:"run" json:"skipPermissions,omitempty"`
	TrustPromise    bool `help:"Accept the promise even while stories are open." group:"run" json:"trustPromise,omitempty"`
	ResetCircuit    bool `help:"Close the circuit breaker that the last run left open." group:"run" json:"resetCircuit,omitempty"`
	SkipPreflight   bool `help:"Start in spite of what preflight finds." group:"run" json:"skipPreflight,omitempty"`
}

// Validate refuses at the submission what ralph would refuse on the host.
func (f Flags) Validate() error {
	for flag, n := range map[string]int{"max-iterations": f.MaxIterations, "min-iterations": f.MinIterations,
		"stall-threshold": f.StallLimit, "same-error": f.SameError} {
		if n < 0 {
			return fmt.Errorf("--%s must be more than 0, not %d", flag, n)
		}
	}
	for flag, d := range map[string]string{"timeout": f.Timeout, "idle-timeout": f.IdleTimeout, "pause": f.Pause} {
		if !isDuration(d) {
			return fmt.Errorf("--%s: %q is no duration: write a number, or one like 90s, 15m or 1h30m", flag, d)
		}
	}
	switch {
	case f.RateLimit != nil && *f.RateLimit < 0:
		return fmt.Errorf("--rate-limit must be at least 0, not %d", *f.RateLimit)
	case f.MaxTokens < 0:
		return fmt.Errorf("--max-tokens must be more than 0, not %d", f.MaxTokens)
	case f.MaxCost < 0:
		return errors.New("--max-cost must be more than 0")
	}
	return nil
}

func isDuration(s string) bool {
	if s == "" {
		return true
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		return n >= 0
	}
	d, err := time.ParseDuration(s)
	return err == nil && d >= 0
}

// Args are the arguments of "ralph run" for a turn that continues after what is spent.
func (f Flags) Args(spent Spent) []string {
	args := []string{"run", "--json", "--no-interactive", "--no-archive", "--on-limit", "exit"}
	text := func(flag, value string) {
		if value != "" {
			args = append(args, flag+"="+value)
		}
	}
	number := func(flag string, n int) {
		if n > 0 {
			args = append(args, fmt.Sprintf("%s=%d", flag, n))
		}
	}
	on := func(flag string, is bool) {
		if is {
			args = append(args, flag)
		}
	}
	number("--max-iterations", f.iterations(spent))
	number("--min-iterations", f.MinIterations-spent.Iterations)
	number("--stall-threshold", f.StallLimit)
	number("--same-error", f.SameError)
	if f.RateLimit != nil {
		args = append(args, fmt.Sprintf("--rate-limit=%d", *f.RateLimit))
	}
	if f.MaxTokens > 0 {
		args = append(args, fmt.Sprintf("--max-tokens=%d", max(1, f.MaxTokens-spent.Tokens.Input-spent.Tokens.Output)))
	}
	if f.MaxCost > 0 {
		args = append(args, fmt.Sprintf("--max-cost=%g", max(1e-6, f.MaxCost-spent.CostUSD)))
	}
	text("--timeout", f.Timeout)
	text("--idle-timeout", f.IdleTimeout)
	text("--harness", f.Harness)
	text("--model", f.Model)
	text("--done", f.Done)
	text("--change", f.Change)
	text("--pause", f.Pause)
	on("--accept-baseline", f.AcceptBaseline)
	on("--dangerously-skip-permissions", f.SkipPermissions)
	on("--trust-promise", f.TrustPromise)
	on("--reset-circuit", f.ResetCircuit && spent.Iterations == 0)
	on("--skip-preflight", f.SkipPreflight)
	if f.Text != "" {
		args = append(args, "--", f.Text)
	}
	return args
}

// iterations is how many a turn may do: 0 leaves it to ralph.
func (f Flags) iterations(spent Spent) int {
	budget := f.MaxIterations
	if budget == 0 {
		budget = spent.Limits.MaxIterations
	}
	if spent.Carried() {
		// One at a time, while the rows of the last host count: each run begins its own.
		return 1
	}
	if budget == 0 {
		return 0
	}
	return max(1, budget-spent.Iterations)
}
