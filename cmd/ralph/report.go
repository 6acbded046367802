package main

import (
	"fmt"
	"os"
	"path/filepath"

	"ralph/internal/account"
	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/screen"
	"ralph/internal/terminal"
	"ralph/internal/unit"
)

// reportCmd is "ralph report".
type reportCmd struct {
	Args []string `arg:"" optional:"" name:"run-unit" predictor:"unit" help:"Id of a run (default: the last one), and the unit (default: the loop of this worktree, else this branch)."`
	changeFlag
	HTML string `predictor:"file" help:"Write one HTML file to open or send; - is standard output." placeholder:"FILE" xor:"form"`
	MD   bool   `name:"md" help:"Print Markdown." xor:"form"`
	JSON bool   `help:"Print JSON." xor:"form"`
}

// split takes the arguments apart: what looks like the id of a run is one.
func (c *reportCmd) split() (run, unit string, err error) {
	args := c.Args
	if len(args) > 0 && journal.IsRunID(args[0]) {
		run, args = args[0], args[1:]
	}
	switch len(args) {
	case 0:
		return run, "", nil
	case 1:
		return run, args[0], nil
	}
	return "", "", fmt.Errorf("%q is not a run; runs are named after their start, like 20261121-140203", args[0])
}

// Validate implements kong's check of a command's values.
func (c *reportCmd) Validate() error {
	_, _, err := c.split()
	return err
}

// Run carries the command out.
func (c *reportCmd) Run(a *app) error {
	run, name, err := c.split()
	if err != nil {
		return err
	}
	p, err := unitArg{name, c.Change}.place(a)
	if err != nil {
		return err
	}
	acc, err := account.Read(screen.Notes(a.t), p, run)
	if err != nil {
		return err
	}
	switch {
	case acc == nil && c.HTML != "":
		return hint.With(fmt.Errorf("there is no run of %s to report on", unit.Name(p)), "start one with 'ralph run'")
	case acc == nil:
		return nothingYet(a.t, p, c.JSON)
	case c.JSON:
		return terminal.PrintJSON(a.t, acc.Report)
	case c.MD:
		return terminal.Buffered(a.t, func(t *terminal.Terminal) error { return acc.Markdown(t.Out) })
	case c.HTML != "":
		return c.html(a.t, acc)
	}
	return terminal.Buffered(a.t, func(t *terminal.Terminal) error { screen.ShowReport(t, acc); return nil })
}

// html writes the page.
func (c *reportCmd) html(t *terminal.Terminal, acc *account.Account) error {
	if c.HTML == "-" {
		return terminal.Buffered(t, func(t *terminal.Terminal) error {
			dir, err := os.Getwd()
			if err != nil {
				return err
			}
			return acc.HTML(t.Out, acc.PageOptions(dir))
		})
	}
	path, err := filepath.Abs(c.HTML)
	if err != nil {
		return err
	}
	if err := acc.WritePage(path); err != nil {
		return err
	}
	t.Printf("%s\n", c.HTML)
	return nil
}
