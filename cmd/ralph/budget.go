package main

import (
	"errors"
	"fmt"

	"ralph/internal/agent"
	"ralph/internal/hint"
)

// usageError is a mistake on the command line that only shows together with the settings.
type usageError struct{ error }

// checkBudgets refuses budgets of the command line that an agent of the run cannot
// be measured against; preflight refuses those of the settings.
func (r *resolved) checkBudgets() error {
	for _, c := range r.callers() {
		if fault, remedy := r.unmeasured(c.Harness); fault != "" && (r.flags.MaxCost != nil || r.flags.MaxTokens != nil || r.flags.MaxAccount != nil) {
			return hint.With(usageError{errors.New(fault)}, remedy)
		}
	}
	return nil
}

// unmeasured returns which limit or choice of the run cannot work with this agent, and what
// works instead.
func (r *resolved) unmeasured(h agent.Harness) (fault, hint string) {
	b := r.settings.Budget
	name := func(given bool, flag, key string) string {
		if given {
			return flag
		}
		return "the setting budget." + key
	}
	cost, tokens := name(r.flags.MaxCost != nil, "--max-cost", "max_cost_usd"), name(r.flags.MaxTokens != nil, "--max-tokens", "max_tokens")
	switch {
	case len(r.settings.Escalate) > 0 && h.Name == r.harness.Name && h.ModelFlag == "" && len(h.ModelArgs) == 0:
		return fmt.Sprintf("the setting escalate cannot work: ralph does not know how agent '%s' takes a model", h.Name),
			fmt.Sprintf("set harnesses.%s.model_args, such as [--model, \"{model}\"]", h.Name)
	case b.MaxAccount > 0 && !h.Output.ReportsAccount():
		return fmt.Sprintf("%s cannot work: agent '%s' does not report how much of its account is used",
			name(r.flags.MaxAccount != nil, "--max-account", "max_account"), h.Name), "limit the run with --max-time or --until"
	case b.MaxTokens > 0 && !h.ReportsTokens():
		return fmt.Sprintf("%s cannot work: agent '%s' does not report tokens", tokens, h.Name),
			"limit the run with --max-iterations or --max-time"
	case b.MaxCostUSD > 0 && !h.Output.ReportsCost() && h.ReportsTokens():
		return fmt.Sprintf("%s cannot work: agent '%s' does not report its cost", cost, h.Name), "limit its tokens with --max-tokens N"
	case b.MaxCostUSD > 0 && !h.Output.ReportsCost():
		return fmt.Sprintf("%s cannot work: agent '%s' does not report its cost", cost, h.Name),
			"limit the run with --max-iterations or --max-time"
	}
	return "", ""
}
