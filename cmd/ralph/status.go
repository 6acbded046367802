package main

import (
	"fmt"
	"strings"
	"time"

	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/run"
	"ralph/internal/stream"
	"ralph/internal/terminal"
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
	now, err := p.standing(a.t)
	if err != nil {
		return err
	}
	if now.record == nil {
		return nothingYet(a.t, p, c.JSON)
	}
	if c.JSON {
		data, err := now.status.JSON(&now.alive)
		if err != nil {
			return err
		}
		_, err = a.t.Out.Write(data)
		return err
	}
	showStatus(a.t, now)
	if len(now.status.Recent) > 0 && now.status.Change != "" {
		a.t.Printf("Recent:\n")
		for _, it := range now.status.Recent {
			showIteration(a.t, it)
		}
	}
	return nil
}

// recentIterations is how many iterations the status of a change shows.
const recentIterations = 5

// standing is how far the last run of a unit is at this moment.
type standing struct {
	record *record    // nil where no run of the unit has begun
	status run.Status // corrected for a process that is dead or suspended
	alive  bool       // its loop is at work
	budget string     // how much of the run's budgets is used, empty where it has none
}

// standing reads the unit's record, and looks whether its process lives.
func (p *place) standing(t *terminal.Terminal) (now standing, err error) {
	if now.record, err = p.record(); err != nil || now.record == nil {
		return now, err
	}
	s, err := now.record.fold(t, run.KeepNone)
	if err != nil {
		return now, err
	}
	now.status = s.Status()
	if now.status.Status == "" { // its first run has taken the lock, and has not begun
		return standing{}, nil
	}
	now.status, now.alive = corrected(now.status)
	when := time.Now()
	if !now.alive {
		when = now.status.LastUpdated.Time
	}
	now.budget = s.Budget(when)
	recent := s.History(!now.alive)
	now.status.Recent = recent[max(0, len(recent)-recentIterations):]
	return now, nil
}

// corrected is what the journal tells of a run, held against what the system knows of
// its process; alive tells whether that is there.
func corrected(s run.Status) (now run.Status, alive bool) {
	if !s.Active() {
		return s, false
	}
	switch loopID(s).State() {
	case proc.Gone:
		return s.Crashed(), false
	case proc.Suspended:
		return s.Suspended(), true
	}
	return s, true
}

// loopID is the process that the journal names.
func loopID(s run.Status) proc.ID { return proc.ID{PID: int(s.PID), Start: s.PIDStart} }

// loopAlive reports whether that process is there.
func loopAlive(s run.Status) bool { return loopID(s).Alive() }

func nothingYet(t *terminal.Terminal, p *place, asJSON bool) error {
	if asJSON {
		t.Printf("null\n")
		return nil
	}
	t.Printf("no run of %s yet; start one with '%s'\n", nameOf(p), p.startHint())
	return nil
}

func nameOf(p *place) string {
	if p.unit == "" {
		return "this worktree"
	}
	return stream.OneLine(p.unit)
}

func showStatus(t *terminal.Terminal, now standing) {
	s, alive, path := now.status, now.alive, now.record.journal
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
	if now.budget != "" {
		row("Budget:", "%s", now.budget)
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

// state is what the record of the unit says, an empty state where it never ran.
func (p *place) state(t *terminal.Terminal) (*run.State, error) {
	r, err := p.record()
	if err != nil || r == nil {
		return &run.State{}, err
	}
	return r.fold(t, run.KeepNone)
}
