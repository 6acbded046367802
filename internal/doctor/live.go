package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ralph/internal/agent"
	"ralph/internal/journal"
	"ralph/internal/preflight"
	"ralph/internal/ratelimit"
	"ralph/internal/stream"
	"ralph/internal/words"
)

// livePrompt asks for as little as possible.
const livePrompt = "This is a test of the connection. Use no tools. Reply with the single word: ready\n"

// Live describes one short test call of the agent, made as a run would make it.
type Live struct {
	Input
	Options   agent.Options
	RateLimit int // calls an hour
	Timeout   time.Duration
	Waiting   func() (done func()) // called before the call
}

// LiveReport is the result of the test call.
type LiveReport struct {
	Harness         string          `json:"harness"`
	Outcome         journal.Outcome `json:"outcome"`
	Message         string          `json:"message"`
	Hint            string          `json:"hint"`
	Reply           string          `json:"reply"`
	Model           string          `json:"model"`
	Tokens          stream.Tokens   `json:"tokens"`
	TokensEstimated bool            `json:"tokensEstimated"`
	CostUSD         *float64        `json:"costUsd"`
	DurationSeconds float64         `json:"durationSeconds"`
}

// Call makes the test call, unless a limit forbids it. The ledger counts it. The report is nil
// if the agent was not called.
func (l Live) Call(ctx context.Context) (*LiveReport, preflight.Condition, error) {
	h := l.Harnesses[0]
	notCalled := func(why, hint string) (*LiveReport, preflight.Condition, error) {
		return nil, fail("live", "The agent was not called: "+why, hint), nil
	}
	if h.PlaysScript() {
		// Its script would run in the user's repository.
		return nil, ok("live", h.Name+" was not called: it plays a script, and cannot answer"), nil
	}
	ledger := ratelimit.OpenUser(l.Home, h.Name, l.RateLimit)
	until, note, err := ledger.LimitedUntil(time.Now())
	if err != nil {
		return nil, preflight.Condition{}, err
	}
	if !until.IsZero() {
		return notCalled(fmt.Sprintf("the provider's limit is reached until %s: %s", words.Local(until), note),
			"If it is over: ralph limits --clear "+h.Name)
	}
	if err := h.Present(l.Env); err != nil {
		return notCalled(err.Error(), "")
	}
	grant, err := ledger.Take(ctx, time.Now())
	if err != nil {
		return nil, preflight.Condition{}, err
	}
	if !grant.OK {
		return notCalled(fmt.Sprintf("%d of %d calls of this hour are used", grant.Used, grant.Limit), "Try again at "+words.Local(grant.ResetsAt)+".")
	}
	o, err := l.run(ctx, h)
	if err != nil {
		return notCalled(err.Error(), "")
	}
	if o.Kind == journal.OutcomeUsageLimit && o.ResetsAt.After(time.Now()) {
		err = ledger.SetLimited(ctx, o.ResetsAt, o.Message)
	}
	report, finding := liveFinding(h, o)
	return report, finding, err
}

func (l Live) run(ctx context.Context, h agent.Harness) (agent.Outcome, error) {
	dir, err := os.MkdirTemp("", "ralph-doctor-")
	if err != nil {
		return agent.Outcome{}, err
	}
	defer os.RemoveAll(dir)
	work := dir
	if l.Repo != nil { // where a run would call it: its settings there count
		work = l.Repo.Root
	}
	defer l.Waiting()()
	return agent.Run(ctx, l.Probe.Guardian, agent.Call{
		Harness: h, Prompt: []byte(livePrompt), Dir: work, Env: l.Env, Options: l.Options,
		Limits: agent.Limits{Timeout: l.Timeout}, Log: filepath.Join(dir, "live.log"),
	})
}

// liveFinding returns the result of a call, and the finding about it.
func liveFinding(h agent.Harness, o agent.Outcome) (*LiveReport, preflight.Condition) {
	sum := o.Summary
	r := &LiveReport{Harness: h.Name, Outcome: o.Kind, Message: o.Message, Hint: o.Hint, Reply: strings.TrimSpace(o.Final), Model: sum.Model,
		Tokens: sum.Tokens, TokensEstimated: sum.Estimated, DurationSeconds: o.Duration.Seconds()}
	about := words.Duration(o.Duration)
	if r.Model != "" {
		about += ", " + r.Model
	}
	if total := r.Tokens.Total(); total > 0 {
		about += ", " + words.Tokens(total, r.TokensEstimated) + " tokens"
	}
	if sum.HasCost {
		r.CostUSD = &sum.CostUSD
		about += fmt.Sprintf(", $%.4f", sum.CostUSD)
	}
	if o.Kind == journal.OutcomeOK {
		return r, ok("live", fmt.Sprintf("%s answered: %s (%s)", h.Name, ansi.Truncate(stream.OneLine(r.Reply), 80, "…"), about))
	}
	hint, command := o.Hint, strings.Join(h.Command, " ")
	switch {
	case hint != "":
	case o.Kind == journal.OutcomeUsageLimit && !o.ResetsAt.IsZero():
		hint = "It resets at " + words.Local(o.ResetsAt) + "; until then no loop calls it."
	case o.Kind == journal.OutcomeTransient:
		hint = "The provider is overloaded or out of reach: try again in a minute. A run would."
	case o.Kind == journal.OutcomeTimeout:
		hint = "Give it more with --timeout, or call it by hand and see what it waits for: " + command
	default:
		hint = "Call it by hand and see what it says: " + command
	}
	return r, fail("live", fmt.Sprintf("%s did not answer: %s: %s (%s)", h.Name, strings.ReplaceAll(string(o.Kind), "_", " "), o.Message, about), hint)
}
