package main

import (
	"fmt"
	"strings"

	"ralph/internal/journal"
	"ralph/internal/stream"
)

// historyCmd is "ralph history".
type historyCmd struct {
	unitArg
	JSON bool `help:"Print the iterations as a JSON array."`
}

// Run carries the command out.
func (c *historyCmd) Run(a *app) error {
	p, err := c.place(a)
	if err != nil {
		return err
	}
	r, err := p.record()
	if err != nil {
		return err
	}
	var h journal.History
	var s journal.Status
	if r != nil {
		if err := r.scan(a.t, h.Apply, s.Apply); err != nil {
			return err
		}
	}
	dead := s.Active() && !loopAlive(s)
	if c.JSON {
		return printJSON(a.t, h.Iterations(dead))
	}
	if r == nil {
		return nothingYet(a.t, p, false)
	}
	return page(a.t, func(t *terminal) error {
		if r.archive != "" {
			t.printf("%s\n", t.paint(dim, "archived as "+stream.Sanitize(r.archive)))
		}
		for _, run := range h.Runs(dead) {
			showRun(t, run)
		}
		return nil
	})
}

func showRun(t *terminal, run journal.Run) {
	state := "at work"
	switch {
	case run.End != nil:
		state = run.End.Reason
	case run.Crashed:
		state = journal.ReasonCrashed
	}
	t.printf("%s  %s  %s\n", t.paint(bold, clock(run.StartedAt)), stream.Sanitize(run.Start.Harness), strings.ReplaceAll(state, "_", " "))
	for _, it := range run.Iterations {
		showIteration(t, it)
	}
	total := fmt.Sprintf("%s, %s", plural(run.Calls, "call"), tokens(run.Tokens.Total(), run.Estimated)+" tokens")
	if run.CostUSD != nil {
		total += fmt.Sprintf(", $%.2f", *run.CostUSD)
	}
	t.printf("  %s\n", t.paint(dim, total))
}

func showIteration(t *terminal, it journal.Iteration) {
	code, mark := green, "✓"
	switch {
	case it.Outcome != "ok":
		code, mark = red, "✗"
	case len(it.StoriesPassed) == 0:
		code, mark = yellow, "●"
	}
	took := "?"
	if !it.EndedAt.IsZero() {
		took = duration(it.EndedAt.Sub(it.StartedAt.Time))
	}
	parts := []string{it.Outcome}
	if len(it.StoriesPassed) > 0 {
		parts = append(parts, strings.Join(it.StoriesPassed, ", "))
	}
	if n := len(it.Commits); n > 0 {
		parts = append(parts, plural(n, "commit"))
	}
	if it.Error != "" {
		parts = append(parts, string(it.Error))
	}
	t.printf("  %s %3d  %7s  %s\n", t.paint(code, t.symbol(mark)), it.N, took, oneLine(strings.Join(parts, "  ")))
}
