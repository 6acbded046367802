package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ralph/internal/journal"
	"ralph/internal/words"
)

// budget: no new iteration where the run's tokens, dollars, time or share of the account
// are used up.
func budget(p *Position, s Seen, r journal.RunRules) Step {
	step := Step{Do: DoEnd, Rule: RuleBudget, Reason: journal.ReasonBudget, Facts: facts(p.facts.Last)}
	end, hint := p.endOfTime(r)
	w := p.fullest(s.Time)
	switch {
	case r.MaxTokens > 0 && p.Tokens >= r.MaxTokens:
		step.Message = fmt.Sprintf("%d tokens are spent, the budget is %d; %s", p.Tokens, r.MaxTokens, s.Left)
		step.Hint = "continue with a new budget: ralph run --max-tokens N"
	case r.MaxCostUSD > 0 && p.Cost != nil && *p.Cost >= r.MaxCostUSD:
		step.Message = fmt.Sprintf("$%.2f are spent, the budget is $%.2f; %s", *p.Cost, r.MaxCostUSD, s.Left)
		step.Hint = "continue with a new budget: ralph run --max-cost USD"
	case !end.IsZero() && !s.Time.Before(end):
		step.Message = fmt.Sprintf("the time of this run was over at %s; %s", words.Clock(end, s.Time), s.Left)
		step.Hint = hint
	case r.MaxAccount > 0 && w != nil && used(*w) >= r.MaxAccount:
		step.Message = fmt.Sprintf("%.0f%% of the account's limit%s are used, the budget is %g%%; %s", used(*w), windowName(*w), r.MaxAccount, s.Left)
		step.Hint = "continue with a new budget: ralph run --max-account PERCENT"
		if w.ResetsAt != nil {
			step.Hint = "start ralph again after " + words.Clock(*w.ResetsAt, s.Time) + ", or " + step.Hint
		}
		step.Facts = facts(p.facts.Attempt)
	default:
		return Step{}
	}
	return step
}

// refusedToo: an iteration without a call that was let in ends with the run's time.
func refusedToo(p *Position, s Seen, r journal.RunRules) Step {
	end, hint := p.endOfTime(r)
	if end.IsZero() || s.Time.Before(end) {
		return Step{}
	}
	return outOfTime(p, s, Step{Do: DoEnd, Rule: RuleBudget, Reason: journal.ReasonBudget, Hint: hint, Facts: facts(p.facts.Attempt),
		Message: fmt.Sprintf("the time of this run was over at %s; %s", words.Clock(end, s.Time), s.Left)})
}

// inTime ends the run in place of a wait that lasts longer than the run may.
func inTime(step Step, p *Position, s Seen, r journal.RunRules) Step {
	end, hint := p.endOfTime(r)
	if end.IsZero() || step.Until.Before(end) || step.Do != DoWait && step.Do != DoAsk {
		return step
	}
	return outOfTime(p, s, Step{Do: DoEnd, Rule: RuleBudget, Reason: journal.ReasonBudget, Hint: hint, Facts: step.Facts,
		Message: fmt.Sprintf("the wait until %s is longer than this run may last (until %s): %s; %s",
			words.Clock(step.Until, s.Time), words.Clock(end, s.Time), step.Message, s.Left)})
}

// outOfTime judges what was marked before a refused call, and ends the run then.
func outOfTime(p *Position, s Seen, end Step) Step {
	if p.Open != nil && p.Open.Refused() && s.Marked {
		return Step{Do: DoJudge, Rule: RuleBudget, N: p.Open.N, Facts: end.Facts}
	}
	return end
}

// endOfTime returns when the run's time is over, zero where it has no end, and what the
// user can do then.
func (p *Position) endOfTime(r journal.RunRules) (end time.Time, hint string) {
	if r.MaxTimeSeconds > 0 {
		end, hint = p.began.Add(seconds(r.MaxTimeSeconds)), "continue with a new budget: ralph run --max-time D"
	}
	if r.EndsAt != nil && (end.IsZero() || r.EndsAt.Before(end)) {
		end, hint = *r.EndsAt, "continue with a new budget: ralph run --until HH:MM"
	}
	return end, hint
}

// fullest returns the account's most used window of the agent that was called last; nil if
// the agent has reported no current window.
func (p *Position) fullest(now time.Time) *journal.LimitWindow {
	var most *journal.LimitWindow
	for _, name := range slices.Sorted(maps.Keys(p.windows)) {
		w := p.windows[name]
		if w.ResetsAt != nil && !w.ResetsAt.After(now) {
			continue
		}
		if most == nil || used(w) > used(*most) {
			most = &w
		}
	}
	return most
}

// hearAccount keeps what an agent reported of its account.
func (s *State) hearAccount(harness string, windows []journal.LimitWindow) {
	for _, w := range windows {
		if w.Utilization == nil {
			continue
		}
		of := s.windows[harness]
		put(&of, w.Window, w)
		put(&s.windows, harness, of)
	}
}

// used is the share of a window that is used, in percent.
func used(w journal.LimitWindow) float64 { return 100 * *w.Utilization }

// windowName is the window of a limit in words, with a space before it.
func windowName(w journal.LimitWindow) string {
	if w.Window == "" {
		return ""
	}
	return " (" + strings.ReplaceAll(w.Window, "_", " ") + ")"
}

// Budget returns, as text, how much of each budget the last run has used. It returns "" if
// the run has no budget.
func (s *State) Budget(now time.Time) string {
	if last := s.Last(); last != nil && last.Start.Rules != nil {
		p := s.Position()
		return p.budgets(*last.Start.Rules, now)
	}
	return ""
}

func (p *Position) budgets(r journal.RunRules, now time.Time) string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if r.MaxTimeSeconds > 0 {
		add("%s of %s", minutes(now.Sub(p.began)), minutes(seconds(r.MaxTimeSeconds)))
	}
	if r.EndsAt != nil {
		add("until %s", words.Clock(*r.EndsAt, now))
	}
	if w := p.fullest(now); r.MaxAccount > 0 && w != nil {
		add("%.0f%% of the account%s, at most %g%%", used(*w), windowName(*w), r.MaxAccount)
	} else if r.MaxAccount > 0 {
		add("at most %g%% of the account", r.MaxAccount)
	}
	if r.MaxTokens > 0 {
		add("%d of %d tokens", p.Tokens, r.MaxTokens)
	}
	if r.MaxCostUSD > 0 {
		cost := 0.0
		if p.Cost != nil {
			cost = *p.Cost
		}
		add("$%.2f of $%.2f", cost, r.MaxCostUSD)
	}
	return strings.Join(list, ", ")
}

// minutes shows a span of time, without seconds where it has minutes.
func minutes(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(time.Second).String()
	}
	text := strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
