package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"ralph/internal/journal"
	"ralph/internal/words"
)

// reasonText says a reason in words; one of a newer program reads as it is.
func reasonText(reason string) string {
	if text := journal.Reason(reason).Text(); text != "" {
		return text
	}
	return words.WithSpaces(reason)
}

// Active reports whether the journal has no end of the run yet.
func (s Summary) Active() bool {
	return s.Status == journal.StatusRunning || s.Status == journal.StatusPaused
}

// Done reports whether the run ended because its plan was done.
func (s Summary) Done() bool { return s.Status == journal.StatusCompleted }

// Outcome describes the end of the run, or its present state, in one sentence.
func (s Summary) Outcome() string {
	switch {
	case s.Done():
		return "Done: " + cmp.Or(s.Message, reasonText(s.Reason)) + "."
	case s.Status == journal.StatusPaused:
		return "Waiting: " + cmp.Or(s.Message, reasonText(s.Reason)) + "."
	case s.Active():
		return "Running: " + words.Count(s.Ended, "iteration") + " ended so far."
	}
	return "Not done: " + cmp.Or(s.Message, reasonText(s.Reason)) + "."
}

// Span returns the time from the start of the run to its end or last event, by the wall clock.
func (s Summary) Span() time.Duration {
	end := s.EndedAt
	if end.IsZero() {
		end = s.UpdatedAt
	}
	return end.Sub(s.StartedAt.Time)
}

// Figures lists the figures of the run as short texts: stories, iterations, commits, time,
// tokens, cost. plan decides whether the items are called stories or tasks.
func (s Summary) Figures(plan journal.PlanKind) []string {
	var facts []string
	if s.Total > 0 {
		facts = append(facts, fmt.Sprintf("%d of %d %s", s.Complete, s.Total, plan.Items()))
	}
	facts = append(facts, words.Count(s.Ended, "iteration"), words.Count(s.Commits, "commit"), words.Duration(s.Span()))
	if n := s.Tokens.Total(); n > 0 {
		facts = append(facts, words.Tokens(n, s.TokensEstimated)+" tokens")
	}
	if s.CostUSD != nil {
		facts = append(facts, words.Cost(*s.CostUSD))
	}
	return facts
}

// short is a commit's hash as people know it.
func short(commit string) string { return commit[:min(len(commit), 8)] }

// atCommit names the commit on which something was proved; empty in a repository without
// commits.
func atCommit(commit string) string {
	if commit == "" {
		return " without a commit"
	}
	return " at " + short(commit)
}

// lines are a text's lines, at most so many of the last ones.
func lines(text string, most int) []string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return all[max(0, len(all)-most):]
}

// some joins the first of a list and says how many are left out.
func some(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}
