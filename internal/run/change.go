package run

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ralph/internal/journal"
)

// Changeable holds the settings that the user can change in a running loop.
type Changeable struct {
	journal.RunRules

	TimeoutSeconds float64 // of an iteration
	IdleSeconds    float64
}

// ChangeableKeys returns the keys of the settings that the user can change in a running loop.
func ChangeableKeys() []string {
	return append(commonKeys(), "defaults.timeout_minutes", "defaults.idle_timeout_minutes", "defaults.pause_seconds",
		"budget.max_time", "budget.max_account", "model")
}

// ReplayKeys returns the keys of the settings that [Replay] can apply to a finished run.
func ReplayKeys() []string { return append(commonKeys(), "on_stuck") }

func commonKeys() []string {
	return []string{"defaults.max_iterations", "defaults.min_iterations", "circuit_breaker.no_progress_threshold",
		"circuit_breaker.same_error_threshold", "budget.max_tokens", "budget.max_cost_usd", "usage_limit.action", "usage_limit.max_wait_hours"}
}

// FindKey finds the key that a user's input names, and returns "" if no key matches. The
// input is the key's path, its last part or the name of its flag.
func FindKey(keys []string, name string) string {
	name = strings.ReplaceAll(strings.TrimSpace(name), "-", "_")
	flags := map[string]string{"timeout": "timeout_minutes", "idle_timeout": "idle_timeout_minutes", "pause": "pause_seconds",
		"stall_threshold": "no_progress_threshold", "same_error": "same_error_threshold", "max_cost": "max_cost_usd", "on_limit": "action"}
	last := flags[name]
	for _, key := range keys {
		_, short, _ := strings.Cut(key, ".")
		if name == key || name != "" && name == short && short != "action" || last != "" && last == short {
			return key
		}
	}
	return ""
}

// Set changes all the given settings, or none if a value is not valid. A value is a text, or
// a number in the unit of its key.
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

// ValueError reports a value that a setting does not accept.
type ValueError struct{ Key, Value, Want string }

func (e *ValueError) Error() string {
	return fmt.Sprintf("%s cannot be set to %q: it must be %s", e.Key, e.Value, e.Want)
}

func (c *Changeable) set(key, value string) error {
	wrong := &ValueError{key, value, "a number from 0 up"}
	switch {
	case key == "model":
		c.Model = value
		return nil
	case key == "usage_limit.action":
		if !slices.Contains([]string{LimitAsk, LimitWait, LimitExit}, value) {
			wrong.Want = "ask, wait or exit"
			return wrong
		}
		c.OnLimit = value
		return nil
	case key == "on_stuck": // of a replay
		if value != StuckStop && value != StuckPark {
			wrong.Want = "stop or park"
			return wrong
		}
		c.OnStuck = value
		return nil
	case !slices.Contains(ChangeableKeys(), key):
		return fmt.Errorf("%s cannot be set to %q", key, value)
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || !(n >= 0) {
		return wrong
	}
	whole := map[string]*int{
		"defaults.max_iterations": &c.MaxIterations, "defaults.min_iterations": &c.MinIterations,
		"circuit_breaker.no_progress_threshold": &c.NoProgress,
		"circuit_breaker.same_error_threshold":  &c.SameError,
	}
	minutes := map[string]*float64{ // kept in seconds
		"defaults.timeout_minutes":      &c.TimeoutSeconds,
		"defaults.idle_timeout_minutes": &c.IdleSeconds, "budget.max_time": &c.MaxTimeSeconds,
	}
	other := map[string]*float64{
		"defaults.pause_seconds": &c.PauseSeconds, "budget.max_cost_usd": &c.MaxCostUSD,
		"budget.max_account": &c.MaxAccount, "usage_limit.max_wait_hours": &c.MaxWaitHours,
	}
	switch {
	case (whole[key] != nil || key == "budget.max_tokens") && n != math.Trunc(n):
		return wrong
	case key == "budget.max_tokens":
		c.MaxTokens = int64(n)
	case whole[key] != nil:
		*whole[key] = int(n)
	case minutes[key] != nil:
		*minutes[key] = 60 * n
	default:
		*other[key] = n
	}
	return nil
}

// set shows what the user changed: a run's start holds the settings that apply now.
func (r *Run) set(values []journal.Setting) {
	c := Changeable{TimeoutSeconds: r.Start.TimeoutSeconds}
	if r.Start.Rules != nil {
		c.RunRules = *r.Start.Rules
	}
	c.Model = r.Start.Model
	c.MaxIterations, c.NoProgress, c.SameError = r.Start.MaxIterations, r.Start.StallThreshold, r.Start.SameError
	if c.Set(values) != nil {
		return
	}
	r.Start.MaxIterations, r.Start.StallThreshold, r.Start.SameError = c.MaxIterations, c.NoProgress, c.SameError
	r.Start.TimeoutSeconds, r.Start.Model, r.Start.Rules = c.TimeoutSeconds, c.Model, &c.RunRules
}
