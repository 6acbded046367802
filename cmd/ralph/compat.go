package main

import (
	"path/filepath"
	"slices"

	"ralph/internal/compat"
	"ralph/internal/hint"
	"ralph/internal/stream"
)

// compatCmd is "ralph compat".
type compatCmd struct {
	Tool string   `arg:"" help:"Tool of the command line: ralph-hybrid, wt-loop or ito."`
	Args []string `arg:"" optional:"" passthrough:"" help:"Its command line."`
}

// Run carries the command out: it prints ralph's command line and runs it.
func (c *compatCmd) Run(a *app) error {
	line, err := compat.Translate(c.Tool, c.Args)
	if err != nil {
		return hint.With(err, "see: ralph help")
	}
	for _, why := range line.Ignored {
		a.t.Warn("%s", stream.OneLine(why))
	}
	a.t.Hint("ralph " + quoted(line.Args))
	if code, _ := command(line.Args, false); code != 0 {
		return exitError(code)
	}
	return nil
}

// calledAs turns the command line of a link that is named like another tool, such as
// wt-loop, into that of ralph compat.
func calledAs(program string, args []string) []string {
	if name := filepath.Base(program); slices.Contains(compat.Tools(), name) {
		return append([]string{"compat", name}, args...)
	}
	return args
}
