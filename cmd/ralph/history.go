package main

import (
	"encoding/json"
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
	p, err := here(a.ctx, c.Unit)
	if err != nil {
		return err
	}
	events, err := p.events(a.t)
	if err != nil {
		return err
	}
	var h journal.History
	var s journal.Status
	for _, e := range events {
		h.Apply(e)
		s.Apply(e)
	}
	dead := s.Active() && !loopAlive(s)
	if c.JSON {
		enc := json.NewEncoder(a.t.out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(h.Iterations(dead))
	}
	if len(events) == 0 {
		return nothingYet(a.t, p, false)
	}
	for _, run := range h.Runs(dead) {
		showRun(a.t, run)
	}
	return nil
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
