package stream

import (
	"fmt"
	"strings"
	"time"
)

// describeRetry says what the agent is waiting for.
func describeRetry(r *Retry) string {
	if r == nil {
		return "waiting"
	}
	reason := strings.ReplaceAll(plain(r.Class), "_", " ")
	switch {
	case r.Class == "overloaded" || r.Status == 529:
		reason = "provider overloaded"
	case r.Class == "rate_limit" || r.Status == 429:
		reason = "rate limit of the provider"
	case r.Class == "unknown" || reason == "":
		reason = "no answer from the provider"
	}
	text := fmt.Sprintf("waiting: %s, attempt %d", reason, r.Attempt)
	if r.Max > 0 {
		text += fmt.Sprintf(" of %d", r.Max)
	}
	if r.Delay > 0 {
		text += ", next in " + max(r.Delay.Round(time.Second), time.Second).String()
	}
	return text
}

// describeUsage returns what a session took, empty where the agent does not report it.
func describeUsage(r *Result) string {
	var parts []string
	if t := r.Tokens; t != (Tokens{}) {
		parts = append(parts, fmt.Sprintf("%d tokens in, %d out", t.Input, t.Output))
		if t.CacheRead+t.CacheWrite > 0 {
			parts = append(parts, fmt.Sprintf("cache %d read, %d written", t.CacheRead, t.CacheWrite))
		}
	}
	if r.HasCost && r.CostUSD > 0 {
		parts = append(parts, fmt.Sprintf("$%.4f", r.CostUSD))
	}
	switch {
	case r.Context > 0 && r.ContextMax > 0:
		parts = append(parts, fmt.Sprintf("context %d%% full", 100*r.Context/int64(r.ContextMax)))
	case r.Context > 0:
		parts = append(parts, fmt.Sprintf("context %d tokens", r.Context))
	}
	switch {
	case r.Turns == 1:
		parts = append(parts, "1 turn")
	case r.Turns > 1:
		parts = append(parts, fmt.Sprintf("%d turns", r.Turns))
	}
	return strings.Join(parts, ", ")
}
