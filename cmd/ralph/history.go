package main

import (
	"fmt"
	"strings"

	"ralph/internal/run"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/unit"
	"ralph/internal/words"
)

// historyCmd is "ralph history".
type historyCmd struct {
	unitArg
	JSON bool `help:"Print JSON."`
}

// Run carries the command out.
func (c *historyCmd) Run(a *app) error {
	p, err := c.place(a)
	if err != nil {
		return err
	}
	was, err := p.Past(told(a.t))
	if err != nil {
		return err
	}
	if c.JSON {
		return terminal.PrintJSON(a.t, was.State.History(was.Dead))
	}
	if was.Record == nil {
		return nothingYet(a.t, p, false)
	}
	return terminal.Page(a.t, func(t *terminal.Terminal) error {
		if was.Record.Archive != "" {
			t.Printf("%s\n", t.Paint(terminal.Dim, "archived as "+stream.Sanitize(was.Record.Archive)))
		}
		for _, r := range was.State.Past() {
			showPast(t, &was, r)
		}
		return nil
	})
}

func showPast(t *terminal.Terminal, p *unit.Past, r *run.Run) {
	state := r.Reason(p.Dead && r == p.State.Last())
	if state == "" {
		state = "at work"
	}
	t.Printf("%s  %s  %s\n", t.Paint(terminal.Bold, words.Local(r.StartedAt)), stream.Sanitize(r.Start.Harness), words.Spaced(state))
	for _, it := range p.State.Rows(r, p.Dead) {
		showIteration(t, it)
	}
	total := fmt.Sprintf("%s, %s", words.Count(r.Calls.Count, "call"), words.Tokens(r.Calls.Tokens.Total(), r.Calls.Estimated)+" tokens")
	if r.Calls.CostUSD != nil {
		total += fmt.Sprintf(", $%.2f", *r.Calls.CostUSD)
	}
	t.Printf("  %s\n", t.Paint(terminal.Dim, total))
}

func showIteration(t *terminal.Terminal, it run.Row) {
	code, mark := terminal.Green, "✓"
	switch {
	case it.Outcome != "ok":
		code, mark = terminal.Red, "✗"
	case len(it.StoriesPassed) == 0:
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
