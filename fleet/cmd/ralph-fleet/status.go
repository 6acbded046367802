package main

import (
	"fmt"
	"time"

	"ralph/fleet/internal/engine"
)

// featureArg names a feature.
type featureArg struct {
	Feature string `arg:"" help:"The feature: its id, as 'list' shows it, or its branch."`
}

// statusCmd is "ralph-fleet status".
type statusCmd struct {
	featureArg
	JSON bool `help:"Print all that is known as JSON."`
}

// Run carries the command out.
func (c *statusCmd) Run(a *app) error {
	e, closeEngine, err := a.connect()
	if err != nil {
		return err
	}
	defer closeEngine()
	v, err := e.Find(a.ctx, c.Feature)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(v)
	}
	return table(a.out, details(v, time.Now()))
}

// details is what the user may want to know of a feature.
func details(v engine.View, now time.Time) [][]string {
	s, p := v.Standing, v.Progress()
	rows := [][]string{{"Feature:", v.ID}}
	row := func(name, format string, args ...any) {
		rows = append(rows, []string{name, fmt.Sprintf(format, args...)})
	}
	row("Repository:", "%s", s.Submission.Repo)
	row("Branch:", "%s", s.Submission.Branch)
	if s.Reason != "" {
		row("State:", "%s (%s)", v.State, s.Reason)
	} else {
		row("State:", "%s", v.State)
	}
	if text := note(v, now); text != "" {
		row("", "%s", text)
	}
	switch {
	case p.Host != "" && v.Live != nil:
		row("Host:", "%s, turn %d", p.Host, s.Turn)
	case p.Host != "":
		row("Last host:", "%s, turn %d", p.Host, s.Turn)
	}
	if p.Iteration > 0 {
		row("Iteration:", "%d/%d", p.Iteration, p.MaxIterations)
	}
	if p.StoriesTotal > 0 {
		row("Stories:", "%s %s", stories(p.Stories, p.StoriesTotal), p.Story)
	}
	row("Spent:", "%d calls, %d commits, %d tokens, $%.2f", p.Spent.Calls, p.Spent.Commits, p.Spent.Tokens.Input+p.Spent.Tokens.Output, p.Spent.CostUSD)
	row("Submitted:", "%s", clock(v.Started, now))
	if !p.Pushed.IsZero() {
		row("Pushed:", "%s", clock(p.Pushed, now))
	}
	if v.Live != nil && !v.HeardAt.IsZero() {
		row("Heard:", "%s", clock(v.HeardAt, now))
	}
	if !v.Ended.IsZero() {
		row("Ended:", "%s", clock(v.Ended, now))
	}
	return rows
}
