package main

import (
	"bytes"
	"errors"

	"github.com/charmbracelet/x/ansi"

	"ralph"
	"ralph/internal/config"
	"ralph/internal/git"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/unit"
)

// configCmd is "ralph config".
type configCmd struct {
	Show   configShowCmd   `cmd:"" default:"withargs" help:"Show every setting, its value and its source."`
	Schema configSchemaCmd `cmd:"" help:"Print the JSON schema of config.yaml."`
}

type configShowCmd struct {
	JSON bool `help:"Print JSON."`
}

// Run carries the command out.
func (c *configShowCmd) Run(a *app) error {
	root := "" // outside of a repository there are the user's settings alone
	p, err := unit.Worktree(a.ctx)
	switch {
	case err == nil:
		root = p.Repo.Root
	case !errors.Is(err, git.ErrNotWorktree):
		return err
	}
	loaded, err := loadSettings(a, root, nil)
	if err != nil {
		return err
	}
	entries := loaded.Entries()
	if c.JSON {
		return terminal.PrintJSON(a.t, entries)
	}
	width := 0
	for _, e := range entries {
		width = max(width, ansi.StringWidth(e.Key))
	}
	for _, e := range entries {
		a.t.Printf("%s  %s  %s\n", terminal.Padded(stream.OneLine(e.Key), width), stream.OneLine(e.Text()), a.t.Paint(terminal.Dim, "("+stream.OneLine(e.Origin)+")"))
	}
	return nil
}

type configSchemaCmd struct{}

// Run carries the command out.
func (configSchemaCmd) Run(a *app) error {
	schema, err := config.Schema(ralph.ConfigExample)
	if err != nil {
		return err
	}
	a.t.Printf("%s\n", bytes.TrimSpace(schema))
	return nil
}
