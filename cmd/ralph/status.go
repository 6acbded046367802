package main

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

// statusCmd is "ralph status".
type statusCmd struct {
	unitArg
	JSON bool `help:"Print status.json, corrected for a dead or suspended process."`
}

// Run carries the command out.
func (c *statusCmd) Run(a *app) error {
	p, err := c.place(a)
	if err != nil {
		return err
	}
	now, err := p.Standing(told(a.t))
	if err != nil {
		return err
	}
	if now.Record == nil {
		return nothingYet(a.t, p, c.JSON)
	}
	if c.JSON {
		data, err := now.Status.JSON(&now.Alive)
		if err != nil {
			return err
		}
		_, err = a.t.Out.Write(data)
		return err
	}
	showStatus(a.t, now)
	if len(now.Status.Recent) > 0 && now.Status.Change != "" {
		a.t.Printf("Recent:\n")
		for _, it := range now.Status.Recent {
			showIteration(a.t, it)
		}
	}
	return nil
}

func nothingYet(t *terminal.Terminal, p *unit.Place, asJSON bool) error {
	if asJSON {
		t.Printf("null\n")
		return nil
	}
	t.Printf("no run of %s yet; start one with '%s'\n", unit.Name(p), p.StartHint())
	return nil
}

func showStatus(t *terminal.Terminal, now unit.Standing) {
	s, alive, path := now.Status, now.Alive, now.Record.Journal
	word := strings.ToUpper(string(s.Status[:1])) + string(s.Status[1:])
	switch {
	case alive && s.Status == journal.StatusPaused:
		word += ", WAITING"
	case alive:
		word += ", LIVE"
	case s.Reason == journal.ReasonCrashed:
		word += ", DEAD"
	}
	if s.Reason != "" {
		word += " (" + strings.ReplaceAll(string(s.Reason), "_", " ") + ")"
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
	if s.StoriesTotal > 0 {
		row("Progress:", "%d/%d %s", s.StoriesComplete, s.StoriesTotal, words.Items(string(s.Plan)))
	}
	if s.CurrentStory != "" && s.Active() {
		row("Story:", "%s", journal.Story{ID: string(s.CurrentStory), Title: s.StoryTitle}.Name())
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
	if !s.ResumesAt.IsZero() {
		row("Resumes:", "%s", words.Local(s.ResumesAt.Time))
	}
	row("Started:", "%s", words.Local(s.StartedAt.Time))
	row("Updated:", "%s (%s ago)", words.Local(s.LastUpdated.Time), words.Duration(time.Since(s.LastUpdated.Time)))
	row("Journal:", "%s", path)
}

// calls shows the ledger as the run saw it last.
func callsUsed(s run.Status) string {
	if s.APICallsLimit == 0 {
		return fmt.Sprintf("%d calls, no limit", s.APICallsUsed)
	}
	text := fmt.Sprintf("%d/%d", s.APICallsUsed, s.APICallsLimit)
	if left := time.Until(s.RateLimitResetsAt.Time); left > 0 {
		text += fmt.Sprintf(" (resets in %s)", words.Duration(left.Round(time.Minute)))
	}
	return text
}
