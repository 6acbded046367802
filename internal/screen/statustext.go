package screen

import (
	"fmt"
	"strings"
	"time"

	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/unit"
	"ralph/internal/words"
)

// ShowPast prints a run from the record: its start and state, its iterations and its totals.
func ShowPast(t *terminal.Terminal, p *unit.Past, r *run.Run) {
	state := r.Reason(p.Dead && r == p.State.Last())
	if state == "" {
		state = "running"
	}
	t.Printf("%s  %s  %s\n", t.Paint(terminal.Bold, words.Local(r.StartedAt)), stream.Sanitize(r.Start.Harness), words.WithSpaces(state))
	for _, it := range p.State.Rows(r, p.Dead) {
		ShowIteration(t, it)
	}
	total := fmt.Sprintf("%s, %s", words.Count(r.Calls.Count, "call"), words.Tokens(r.Calls.Tokens.Total(), r.Calls.Estimated)+" tokens")
	if r.Calls.CostUSD != nil {
		total += fmt.Sprintf(", $%.2f", *r.Calls.CostUSD)
	}
	t.Printf("  %s\n", t.Paint(terminal.Dim, total))
}

// ShowIteration prints one line with the results of an iteration.
func ShowIteration(t *terminal.Terminal, it run.Row) {
	code, mark := terminal.Green, "✓"
	switch {
	case it.Outcome != "ok":
		code, mark = terminal.Red, "✗"
	case !it.Progress:
		code, mark = terminal.Yellow, "●"
	}
	took := "?"
	if !it.EndedAt.IsZero() {
		took = words.Duration(it.EndedAt.Sub(it.StartedAt.Time))
	}
	parts := []string{string(it.Outcome)}
	if len(it.StoriesPassed) > 0 {
		parts = append(parts, strings.Join(it.StoriesPassed, ", "))
	}
	if n := len(it.Commits); n > 0 {
		parts = append(parts, words.Count(n, "commit"))
	}
	if it.Error != "" {
		parts = append(parts, string(it.Error))
	}
	t.Printf("  %s %3d  %7s  %s\n", t.Paint(code, t.Symbol(mark)), it.N, took, stream.OneLine(strings.Join(parts, "  ")))
}

// ShowStatus prints the present state of a unit and its last run.
func ShowStatus(t *terminal.Terminal, now unit.Current) {
	s, alive, path := now.Status, now.Alive, now.Record.Journal
	word := words.Capital(s.Status)
	switch {
	case alive && s.Status == journal.StatusPaused:
		word += ", WAITING"
	case alive:
		word += ", LIVE"
	case s.Reason == journal.ReasonCrashed:
		word += ", DEAD"
	}
	if why := s.Why(); why != "" {
		word += " (" + why + ")"
	}
	t.Printf("%s  %s\n", t.Paint(terminal.Bold, stream.Sanitize(s.Unit)), t.Paint(terminal.Dim, stream.Sanitize(fmt.Sprintf("%s plan, %s", s.Plan, s.Harness))))
	row := func(name, format string, args ...any) {
		t.Printf("  %-11s %s\n", name, stream.OneLine(fmt.Sprintf(format, args...)))
	}
	if s.Module != "" {
		row("Module:", "%s", s.Module)
	}
	row("Status:", "%s", word)
	if s.Message != "" {
		row("", "%s", s.Message)
	}
	row("Iteration:", "%d/%d", s.Iteration, s.MaxIterations)
	ShowPlan(t, now)
	if s.CurrentStory != "" && s.Active() {
		row("Story:", "%s", journal.Story{ID: string(s.CurrentStory), Title: s.StoryTitle}.Name())
	}
	for _, b := range s.Parked {
		row("Parked:", "%s: %s", b.Story, b.Message)
		row("", "see its work: git diff HEAD...%s", b.Ref)
		row("", "take it up again: ralph unpark %s", stream.ShellWord(b.Story))
	}
	row("API:", "%s", callsUsed(s))
	if total := s.Tokens.Total(); total > 0 {
		spent := words.Tokens(total, s.TokensEstimated)
		if s.CostUSD != nil {
			spent += fmt.Sprintf(", $%.2f", *s.CostUSD)
		}
		row("Tokens:", "%s", spent)
	}
	if now.Budget != "" {
		row("Budget:", "%s", now.Budget)
	}
	if now.Breaker != "" {
		row("Breaker:", "%s", now.Breaker)
	}
	if !s.ResumesAt.IsZero() {
		row("Resumes:", "%s", words.Local(s.ResumesAt.Time))
	}
	row("Started:", "%s", words.Local(s.StartedAt.Time))
	row("Updated:", "%s (%s ago)", words.Local(s.LastUpdated.Time), words.Duration(time.Since(s.LastUpdated.Time)))
	row("Journal:", "%s", path)
}

// ShowPlan prints the progress of the plan and its stories.
func ShowPlan(t *terminal.Terminal, now unit.Current) {
	s := now.Status
	if s.StoriesTotal == 0 {
		return
	}
	items := journal.PlanKind(s.Plan).Items()
	t.Printf("  %-11s %d/%d %s\n", "Progress:", s.StoriesComplete, s.StoriesTotal, items)
	writeStories(t, t.Out, now.Items, strings.Repeat(" ", 14))
}

// callsUsed formats the calls in the ledger, as the run saw it last.
func callsUsed(s run.Status) string {
	if s.APICallsLimit == 0 {
		return fmt.Sprintf("%d calls, no limit", s.APICallsUsed)
	}
	text := fmt.Sprintf("%d/%d", s.APICallsUsed, s.APICallsLimit)
	now := time.Now()
	if until := s.RateLimitResetsAt.Time; until.After(now) {
		text += " (resets in " + timeLeft(until, now) + ")"
	}
	return text
}
