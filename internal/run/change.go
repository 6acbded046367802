package run

import (
	"fmt"
	"slices"
	"strconv"

	"ralph/internal/journal"
)

// Changeable are the settings that the user can change while a run goes on.
type Changeable struct {
	journal.Rules

	TimeoutSeconds float64 // of an iteration
	IdleSeconds    float64
}

// ChangeableKeys are their keys in the settings.
func ChangeableKeys() []string {
	return []string{"defaults.max_iterations", "defaults.min_iterations", "defaults.timeout_minutes", "defaults.idle_timeout_minutes",
		"defaults.pause_seconds", "circuit_breaker.no_progress_threshold", "circuit_breaker.same_error_threshold", "budget.max_tokens",
		"budget.max_cost_usd", "budget.max_time", "budget.max_account", "usage_limit.action", "usage_limit.max_wait_hours", "model"}
}

// Set changes all the settings, or none of them. The values are as the settings have them:
// texts, or numbers in the unit of the key.
func (c *Changeable) Set(values []journal.Setting) error {
	changed := *c
	for _, v := range values {
		if err := changed.set(v.Key, v.Value); err != nil {
			return err
		}
	}
	*c = changed
	return nil
}

func (c *Changeable) set(key, value string) error {
	n, err := strconv.ParseFloat(value, 64)
	text := key == "model" || key == "usage_limit.action"
	if err != nil && !text || !slices.Contains(ChangeableKeys(), key) {
		return fmt.Errorf("%s cannot be set to %q", key, value)
	}
	switch key {
	case "defaults.max_iterations":
		c.MaxIterations = int(n)
	case "defaults.min_iterations":
		c.MinIterations = int(n)
	case "defaults.timeout_minutes":
		c.TimeoutSeconds = 60 * n
	case "defaults.idle_timeout_minutes":
		c.IdleSeconds = 60 * n
	case "defaults.pause_seconds":
		c.PauseSeconds = n
	case "circuit_breaker.no_progress_threshold":
		c.NoProgress = int(n)
	case "circuit_breaker.same_error_threshold":
		c.SameError = int(n)
	case "budget.max_tokens":
		c.MaxTokens = int64(n)
	case "budget.max_cost_usd":
		c.MaxCostUSD = n
	case "budget.max_time":
		c.MaxTimeSeconds = 60 * n
	case "budget.max_account":
		c.MaxAccount = n
	case "usage_limit.action":
		c.OnLimit = value
	case "usage_limit.max_wait_hours":
		c.MaxWaitHours = n
	case "model":
		c.Model = value
	}
	return nil
}

// set shows what the user changed: a run's start holds the settings that apply now.
func (r *Run) set(values []journal.Setting) {
	c := Changeable{TimeoutSeconds: r.Start.TimeoutSeconds}
	if r.Start.Rules != nil {
		c.Rules = *r.Start.Rules
	}
	c.Model = r.Start.Model
	c.MaxIterations, c.NoProgress, c.SameError = r.Start.MaxIterations, r.Start.StallThreshold, r.Start.SameError
	if c.Set(values) != nil {
		return
	}
	r.Start.MaxIterations, r.Start.StallThreshold, r.Start.SameError = c.MaxIterations, c.NoProgress, c.SameError
	r.Start.TimeoutSeconds, r.Start.Model, r.Start.Rules = c.TimeoutSeconds, c.Model, &c.Rules
}
