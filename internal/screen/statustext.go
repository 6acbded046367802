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
		total += ", " + words.Cost(*r.Calls.CostUSD)
	}
	t.Printf("  %s\n", t.Paint(terminal.Dim, total))
}

// ShowIteration prints one line with the results of an iteration.
func ShowIteration(t *terminal.Terminal, it run.Row) {
	mark := "✓"
	switch {
	case it.Outcome != journal.OutcomeOK:
		mark = "✗"
	case !it.Progress:
		mark = "●"
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
	t.Printf("  %s %3d  %7s  %s\n", t.Mark(mark), it.N, took, stream.OneLine(strings.Join(parts, "  ")))
}

// ShowStatus prints the present state of a unit and its last run.
func ShowStatus(t *terminal.Terminal, now unit.Current) {
	s := now.Status
	word := words.Capital(s.Status)
	if life := s.Life(now.Alive); life != "" {
		word += ", " + life
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
	row("API:", "%s", s.Calls(time.Now()))
	if s.Tokens.Total() > 0 {
		row("Tokens:", "%s", s.Spent())
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
	row("Journal:", "%s", now.Record.Journal)
}

// ShowPlan prints the progress of the plan and its stories.
func ShowPlan(t *terminal.Terminal, now unit.Current) {
	s := now.Status
	if s.StoriesTotal == 0 {
		return
	}
	t.Printf("  %-11s %s\n", "Progress:", s.Progress())
	writeStories(t, t.Out, now.Items, strings.Repeat(" ", 14))
}
