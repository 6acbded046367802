package main

import (
	"slices"

	"github.com/charmbracelet/x/ansi"

	"ralph/internal/screen"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/unit"
	"ralph/internal/words"
)

// listCmd is "ralph list".
type listCmd struct {
	Active bool `help:"Leave out loops that have ended."`
	JSON   bool `help:"Print JSON."`
}

// widestUnit is the width of the column of units. A longer name moves only its own line.
const widestUnit = 40

// Run carries the command out.
func (c *listCmd) Run(a *app) error {
	list, err := loops(a)
	if err != nil {
		return err
	}
	if c.Active {
		list = slices.DeleteFunc(list, func(l unit.Loop) bool { return !l.Alive })
	}
	if c.JSON {
		return terminal.PrintJSON(a.t, list)
	}
	if len(list) == 0 {
		a.t.Printf("no loops\n")
		return nil
	}
	width := 0
	for _, l := range list {
		width = max(width, min(ansi.StringWidth(stream.OneLine(l.Unit)), widestUnit))
	}
	for _, l := range list {
		state := string(l.Status)
		if life := l.Run.Life(l.Alive); life != "" {
			state += ", " + life
		}
		a.t.Printf("%-18s %3d/%-3d  %-12s  %s  %s\n", state, l.Iteration, l.MaxIterations, words.Local(l.LastUpdated.Time),
			a.t.Paint(terminal.Bold, terminal.Padded(stream.OneLine(l.Unit), width)), a.t.Paint(terminal.Dim, stream.OneLine(l.Worktree)))
	}
	return nil
}

// loops returns the list of loops, and warns where it is not complete.
func loops(a *app) ([]unit.Loop, error) {
	a.warnHomeless()
	return unit.Loops(a.home, screen.Notes(a.t))
}
