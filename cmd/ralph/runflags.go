package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// runFlags are the flags of every command that starts a loop. A flag of a setting has no
// default here: the settings decide.
type runFlags struct {
	loopFlags
	JSON bool `help:"Print only the journal's events, one JSON line each."`
}

// loopFlags are those that say how the loop works, wherever it does.
type loopFlags struct {
	MaxIterations *int     `group:"Limits:" short:"n" aliases:"max" help:"Iterations in this run (default 20; tasks and text plans 10)." placeholder:"N"`
	MinIterations *int     `group:"Limits:" help:"Ignore the completion promise before this many iterations (default 1)." placeholder:"N"`
	Timeout       *minutes `group:"Limits:" short:"t" aliases:"iteration-timeout" help:"Time limit of an iteration: minutes, or 90s, 1h30m (default 15; tasks and text plans 45)." placeholder:"D"`
	IdleTimeout   *minutes `group:"Limits:" help:"End an iteration that shows no activity for this long (default off)." placeholder:"D"`
	RateLimit     *int     `group:"Limits:" short:"r" help:"Calls per clock hour of this agent by all your loops; 0 is no limit (default 100)." placeholder:"N"`
	Prompt        string   `group:"Plan:" predictor:"file" short:"p" help:"Prompt template (default: the feature's prompt.md, else the built-in one)." placeholder:"FILE"`
	Harness       string   `group:"Agent:" predictor:"harness" aliases:"agent" help:"Coding agent: claude, codex, opencode, gemini, copilot, replay, or one from the settings." placeholder:"NAME"`
	Model         string   `group:"Agent:" help:"Model (default: the agent's own)." placeholder:"ID"`
	Done          string   `group:"Plan:" help:"What decides that the plan is done: prd, tasks or manual (default: the plan that exists)." type:"choice" enum:",prd,tasks,manual" default:"" placeholder:"HOW"`

	changeFlags
	Status bool `group:"Plan:" help:"Show the status of the change, as 'ralph status --change ID', and start nothing."`

	AcceptBaseline bool       `help:"Accept quality checks that already fail before the run."`
	StallThreshold *int       `group:"Limits:" aliases:"no-progress" help:"Iterations without progress that end the run (default 3; tasks and text plans 2)." placeholder:"N"`
	SameError      *int       `group:"Limits:" help:"Equal errors in a row that end the run (default 5)." placeholder:"N"`
	OnLimit        string     `group:"Limits:" help:"At the provider's usage limit: ask, wait or exit (default ask)." type:"choice" enum:",ask,wait,exit" default:"" placeholder:"HOW"`
	MaxTokens      *int64     `group:"Limits:" help:"End the run after the iteration that exceeds N tokens (input and output, without cache)." placeholder:"N"`
	MaxCost        *float64   `group:"Limits:" help:"End the run after the iteration that exceeds this cost in US dollars." placeholder:"USD"`
	MaxTime        *minutes   `group:"Limits:" help:"Start no iteration after this time, waits included: minutes, or 90s, 6h." placeholder:"D"`
	Until          *clockTime `group:"Limits:" help:"Start no iteration after this time of day, such as 07:30." placeholder:"HH:MM"`
	MaxAccount     *float64   `group:"Limits:" help:"Start no iteration when this share of the provider's limit is used (claude)." placeholder:"PERCENT"`
	Pause          *seconds   `group:"Limits:" help:"Pause between iterations (default 2s)." placeholder:"D"`

	DangerouslySkipPermissions bool `group:"Agent:" aliases:"allow-all,yolo" help:"Let the agent do everything without a question."`
	TrustPromise               bool `group:"Agent:" help:"Accept the completion promise even while stories are open."`
	NoInteractive              bool `help:"Never ask a question."`
	NoArchive                  bool `help:"Do not archive a finished feature."`
	ResetCircuit               bool `help:"Close the circuit breaker that the last run left open."`
	SkipPreflight              bool `help:"Start even if preflight finds errors."`
	DryRun                     bool `help:"Show plan, settings, call and prompt. Start nothing, write nothing."`
	Verbose                    bool `short:"v" help:"Show the results of tools and the output of failed checks."`
}

// Validate refuses numbers that make no sense; kong calls it.
func (f *loopFlags) Validate() error {
	for _, n := range []struct {
		flag  string
		value *int
		least int
	}{
		{"--max-iterations", f.MaxIterations, 1}, {"--min-iterations", f.MinIterations, 1}, {"--rate-limit", f.RateLimit, 0},
		{"--stall-threshold", f.StallThreshold, 1}, {"--same-error", f.SameError, 1},
	} {
		if n.value != nil && *n.value < n.least {
			return fmt.Errorf("%s must be at least %d, not %d", n.flag, n.least, *n.value)
		}
	}
	if f.Timeout != nil && *f.Timeout <= 0 {
		return errors.New("--timeout must be more than 0")
	}
	if f.MaxTokens != nil && *f.MaxTokens < 1 {
		return fmt.Errorf("--max-tokens must be at least 1, not %d", *f.MaxTokens)
	}
	if f.MaxCost != nil && *f.MaxCost <= 0 {
		return fmt.Errorf("--max-cost must be more than 0, not %g", *f.MaxCost)
	}
	if f.MaxTime != nil && *f.MaxTime <= 0 {
		return errors.New("--max-time must be more than 0")
	}
	if f.MaxAccount != nil && (*f.MaxAccount <= 0 || *f.MaxAccount > 100) {
		return fmt.Errorf("--max-account must be more than 0 and at most 100, not %g", *f.MaxAccount)
	}
	return nil
}

// clockTime is a time of day on the command line.
type clockTime struct{ hour, minute int }

// Decode implements kong.MapperValue.
func (c *clockTime) Decode(ctx *kong.DecodeContext) error {
	var text string
	if err := popValue(ctx, "time", &text); err != nil {
		return err
	}
	t, err := time.Parse("15:04", strings.TrimSpace(text))
	if err != nil {
		return fmt.Errorf("%q is not a time of day: write one such as 07:30", text)
	}
	c.hour, c.minute = t.Hour(), t.Minute()
	return nil
}

// after returns the first such time after now.
func (c *clockTime) after(now time.Time) time.Time {
	t := time.Date(now.Year(), now.Month(), now.Day(), c.hour, c.minute, 0, 0, now.Location())
	if !t.After(now) {
		t = time.Date(now.Year(), now.Month(), now.Day()+1, c.hour, c.minute, 0, 0, now.Location())
	}
	return t
}

// minutes is a duration on the command line; a bare number is minutes.
type minutes time.Duration

// Decode implements kong.MapperValue.
func (m *minutes) Decode(ctx *kong.DecodeContext) error {
	d, err := parseDuration(ctx, time.Minute)
	*m = minutes(d)
	return err
}

// seconds is a duration on the command line; a bare number is seconds.
type seconds time.Duration

// Decode implements kong.MapperValue.
func (s *seconds) Decode(ctx *kong.DecodeContext) error {
	d, err := parseDuration(ctx, time.Second)
	*s = seconds(d)
	return err
}

func parseDuration(ctx *kong.DecodeContext, unit time.Duration) (time.Duration, error) {
	var s string
	if err := popValue(ctx, "duration", &s); err != nil {
		return 0, err
	}
	s = strings.TrimSpace(s)
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		// The largest duration is 292 years; a number beyond it would wrap round.
		if !(n >= 0 && n <= 1e6) { // not a number is neither
			return 0, fmt.Errorf("%q is out of range", s)
		}
		return time.Duration(n * float64(unit)), nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a duration: write a number, or one like 90s, 15m or 1h30m", s)
	}
	return d, nil
}
