package main

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"ralph"
	"ralph/internal/help"
	"ralph/internal/hint"
	"ralph/internal/terminal"
	"ralph/internal/words"
)

// helpCmd is "ralph help".
type helpCmd struct {
	About []string `arg:"" optional:"" help:"A command, a topic, or 'topics' for the list of topics." predictor:"help"`
}

// Run carries the command out.
func (c *helpCmd) Run(a *app) error {
	name := strings.Join(c.About, " ")
	switch {
	case name == "topics":
		a.t.Paged(help.Fit(help.TopicList(), a.t.Width()))
		return nil
	case slices.Contains(help.Topics(), name):
		text, err := help.Topic(name, ralph.ConfigExample)
		if err == nil {
			a.t.Paged(help.Fit(text, a.t.Width()))
		}
		return err
	}
	var cli grammar
	parser, err := kong.New(&cli, options()...)
	if err != nil {
		return err
	}
	_, err = parser.Parse(append(slices.Clone(c.About), "--help"))
	var shown shownError
	if errors.As(err, &shown) {
		return shown.unwritten
	}
	if best := words.Closest(name, help.Topics()); best != "" {
		return hint.With(err, "did you mean: ralph help "+best)
	}
	return hint.With(err, "see: ralph help topics")
}

// printHelp is what --help shows: of the program or of one command.
func printHelp(o kong.HelpOptions, ctx *kong.Context) error {
	t := terminal.New("auto")
	var text bytes.Buffer
	if ctx.Selected() == nil {
		help.Program(&text, ctx.Model)
	} else if err := help.Command(&text, o, ctx); err != nil {
		return err
	}
	t.Paged(help.Fit(text.String(), t.Width()))
	return shownError{unwritten(t)}
}
