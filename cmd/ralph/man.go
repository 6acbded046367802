package main

import (
	"errors"

	"github.com/alecthomas/kong"

	"ralph"
	"ralph/internal/manual"
)

// writeManual is what the word __man does: args are the folder for the manual
// pages and the date that they bear.
func writeManual(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: ralph __man FOLDER DATE")
	}
	var cli grammar
	parser, err := kong.New(&cli, options()...)
	if err != nil {
		return err
	}
	return manual.Manual{App: parser.Model, Settings: ralph.ConfigExample, Version: version, Date: args[1]}.Write(args[0])
}
