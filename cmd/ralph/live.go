package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ralph/internal/agent"
	"ralph/internal/journal"
	"ralph/internal/launch"
	"ralph/internal/preflight"
	"ralph/internal/ratelimit"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/words"
)

// livePrompt asks for as little as can be.
const livePrompt = "This is a test of the connection. Use no tools. Reply with the single word: ready\n"

// liveReport is what the live call came to.
type liveReport struct {
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

// live sends the agent one short prompt, as a run would. It counts in the ledger like
// every call.
func (e *examination) live(h agent.Harness) error {
	if e.around.settings == nil {
		return e.noCall("the settings cannot be read, and a run would call another agent than the built-in settings do", "Correct the settings first.")
	}
	if h.PlaysScript() {
		// Its script would run in the user's repository.
		e.add(preflight.Check{ID: "live", Severity: preflight.OK, Message: h.Name + " was not called: it plays a script, and cannot answer"})
		return nil
	}
	s := e.around.settings
	ledger := ratelimit.OpenUser(e.app.home, h.Name, s.Defaults.RateLimitPerHour)
	until, note, err := ledger.LimitedUntil(time.Now())
	if err != nil {
		return err
	}
	if !until.IsZero() {
		return e.noCall(fmt.Sprintf("the provider's limit is reached until %s: %s", words.Local(until), note),
			fmt.Sprintf("If it is over: ralph limits --clear %s", h.Name))
	}
	if err := h.Present(os.Environ()); err != nil {
		return e.noCall(err.Error(), "")
	}
	grant, err := ledger.Take(e.app.ctx, time.Now())
	if err != nil {
		return err
	}
	if !grant.OK {
		return e.noCall(fmt.Sprintf("%d of %d calls of this hour are used", grant.Used, grant.Limit), "Try again at "+words.Local(grant.ResetsAt)+".")
	}
	o, err := e.call(h)
	if err != nil {
		return e.noCall(err.Error(), "")
	}
	if o.Kind == journal.OutcomeUsageLimit && o.ResetsAt.After(time.Now()) {
		if err := ledger.SetLimited(e.app.ctx, o.ResetsAt, o.Message); err != nil {
			return err
		}
	}
	e.told(h, o)
	return nil
}

// call is the call itself.
func (e *examination) call(h agent.Harness) (agent.Outcome, error) {
	dir, err := os.MkdirTemp("", "ralph-doctor-")
	if err != nil {
		return agent.Outcome{}, err
	}
	defer os.RemoveAll(dir)
	work := dir
	if e.around.repo != nil { // where a run would call it: its settings there count
		work = e.around.repo.Root
	}
	if !e.cmd.JSON {
		e.app.t.Printf("%s %s is asked for a word\n", e.app.t.Symbol("…"), h.Name)
	}
	defer e.app.t.Slowly("waiting for its answer (at most " + words.Duration(time.Duration(e.cmd.Timeout)) + ")")()
	return agent.Run(e.app.ctx, e.guardian, agent.Call{
		Harness: h, Prompt: []byte(livePrompt), Dir: work, Env: os.Environ(),
		Options: launch.Caller(h, e.around.settings, e.around.repo).Options,
		Limits:  agent.Limits{Timeout: time.Duration(e.cmd.Timeout)}, Log: filepath.Join(dir, "live.log"),
	})
}

// told is what became of the call.
func (e *examination) told(h agent.Harness, o agent.Outcome) {
	sum := o.Summary
	r := &liveReport{Harness: h.Name, Outcome: o.Kind, Message: o.Message, Hint: o.Hint, Reply: strings.TrimSpace(o.Final), Model: sum.Model,
		Tokens: sum.Tokens, TokensEstimated: sum.Estimated, DurationSeconds: o.Duration.Seconds()}
	parts := []string{words.Duration(o.Duration)}
	if r.Model != "" {
		parts = append(parts, r.Model)
	}
	if total := r.Tokens.Total(); total > 0 {
		parts = append(parts, words.Tokens(total, r.TokensEstimated)+" tokens")
	}
	if sum.HasCost {
		cost := sum.CostUSD
		r.CostUSD = &cost
		parts = append(parts, fmt.Sprintf("$%.4f", cost))
	}
	e.report.Live = r
	about := "(" + strings.Join(parts, ", ") + ")"
	if o.Kind == journal.OutcomeOK {
		e.add(preflight.Check{ID: "live", Severity: preflight.OK, Message: fmt.Sprintf("%s answered: %s %s", h.Name, terminal.Shortened(stream.OneLine(r.Reply), 80), about)})
		return
	}
	hint := o.Hint
	switch {
	case hint != "":
	case o.Kind == journal.OutcomeUsageLimit && !o.ResetsAt.IsZero():
		hint = "It resets at " + words.Local(o.ResetsAt) + "; until then no loop calls it."
	case o.Kind == journal.OutcomeTransient:
		hint = "The provider is overloaded or out of reach: try again in a minute. A run would."
	case o.Kind == journal.OutcomeTimeout:
		hint = "Give it more with --timeout, or call it by hand and see what it waits for: " + strings.Join(h.Command, " ")
	default:
		hint = "Call it by hand and see what it says: " + strings.Join(h.Command, " ")
	}
	e.add(preflight.Check{ID: "live", Severity: preflight.Error, Message: fmt.Sprintf("%s did not answer: %s: %s %s", h.Name, strings.ReplaceAll(string(o.Kind), "_", " "), o.Message, about), Hint: hint})
}

// noCall says why the agent was not called.
func (e *examination) noCall(why, hint string) error {
	e.add(preflight.Check{ID: "live", Severity: preflight.Error, Message: "The agent was not called: " + why, Hint: hint})
	return nil
}
