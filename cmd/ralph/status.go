package main

import (
	"ralph/internal/screen"
	"ralph/internal/terminal"
	"ralph/internal/unit"
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
	now, err := p.Current(screen.Notes(a.t))
	if err != nil {
		return err
	}
	if c.JSON {
		data, err := now.Status.JSON(&now.Alive)
		if err != nil {
			return err
		}
		_, err = a.t.Out.Write(data)
		return err
	}
	if now.Record == nil {
		err = nothingYet(a.t, p, false)
		screen.ShowPlan(a.t, now)
		return err
	}
	screen.ShowStatus(a.t, now)
	if len(now.Status.Recent) > 0 && now.Status.Change != "" {
		a.t.Printf("Recent:\n")
		for _, it := range now.Status.Recent {
			screen.ShowIteration(a.t, it)
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
