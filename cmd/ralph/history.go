package main

import (
	"ralph/internal/screen"
	"ralph/internal/stream"
	"ralph/internal/terminal"
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
	was, err := p.Past(screen.Notes(a.t))
	if err != nil {
		return err
	}
	if c.JSON {
		return terminal.PrintJSON(a.t, was.State.History(was.Dead))
	}
	if len(was.State.Runs) == 0 {
		return nothingYet(a.t, p, false)
	}
	return terminal.Buffered(a.t, func(t *terminal.Terminal) error {
		if was.Record.Archive != "" {
			t.Printf("%s\n", t.Paint(terminal.Dim, "archived as "+stream.Sanitize(was.Record.Archive)))
		}
		for _, r := range was.State.Past() {
			screen.ShowPast(t, &was, r)
		}
		return nil
	})
}
