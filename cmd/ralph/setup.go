package main

import (
	"cmp"
	"fmt"

	"ralph"
	"ralph/internal/config"
	"ralph/internal/git"
	"ralph/internal/hint"
	"ralph/internal/prd"
	"ralph/internal/setup"
	"ralph/internal/unit"
	"ralph/internal/words"
)

// setupCmd is "ralph setup".
type setupCmd struct {
	Agent  string `help:"Coding agent: claude, codex, opencode, gemini or all." type:"choice" enum:"claude,codex,opencode,gemini,all" default:"claude" placeholder:"NAME"`
	Force  bool   `help:"Overwrite edited files without a question."`
	DryRun bool   `help:"Only show what would be done."`
}

// Run carries the command out.
func (c *setupCmd) Run(a *app) error {
	repo, err := git.Open(a.ctx, ".")
	if err != nil {
		return err
	}
	files, err := c.files(repo.Root)
	if err != nil {
		return inTheWay(repo.Root, err)
	}
	kept := 0
	for i := range files {
		left, err := c.put(a, &files[i])
		if err != nil {
			return inTheWay(repo.Root, err)
		}
		if left {
			kept++
		}
	}
	if kept > 0 {
		return hint.With(fmt.Errorf("%s left alone because of edits that are not ralph's", words.CountPlural(kept, "file was", "files were")),
			"overwrite with: ralph setup --agent "+c.Agent+" --force")
	}
	return nil
}

// files compares all files that the command installs.
func (c *setupCmd) files(root string) (files []setup.File, err error) {
	for _, agent := range setup.Agents() {
		if c.Agent != "all" && c.Agent != agent.Name {
			continue
		}
		commands, err := agent.Commands(root, ralph.Templates)
		if err != nil {
			return nil, err
		}
		files = append(files, commands...)
	}
	settings, err := config.Schema(ralph.ConfigExample)
	if err != nil {
		return nil, err
	}
	schemas, err := setup.Schemas(root, prd.Schema, settings)
	return append(files, schemas...), err
}

// put writes a file if necessary, and shows what it did. kept is true for an edited file that
// it did not overwrite.
func (c *setupCmd) put(a *app, f *setup.File) (kept bool, err error) {
	done, write := fileVerb(f.State), f.State != setup.Current
	switch {
	case f.State == setup.Edited && c.DryRun && !c.Force:
		done, write = "edited, kept", false
	case f.State == setup.Edited && !c.Force && !(a.t.CanAsk && a.t.Ask(a.ctx, f.Name+" was edited. Overwrite it?", askLimit)):
		done, write, kept = "kept", false, true
	case write && c.DryRun:
		done = "would be " + done
	}
	if write && !c.DryRun {
		err = f.Write()
	}
	if err == nil {
		a.t.Printf("%-12s %s  (%s)\n", done, f.Name, f.About)
	}
	return kept, err
}

// fileVerb is what becomes of a file in that state.
func fileVerb(s setup.FileState) string {
	return map[setup.FileState]string{setup.Missing: "created", setup.Current: "up to date",
		setup.Outdated: "updated", setup.Edited: "overwritten"}[s]
}

// inTheWay says what to do about a file or folder that cannot be read or replaced.
func inTheWay(root string, err error) error {
	remedy := "move what is in the way somewhere else, or see to its permissions, then run again: ralph setup"
	return hint.With(unit.Local(root, err), cmp.Or(obstacle(err), remedy))
}
