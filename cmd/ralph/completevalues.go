package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"

	"ralph/internal/change"
	"ralph/internal/completion"
	"ralph/internal/help"
	"ralph/internal/registry"
	"ralph/internal/unit"
	"ralph/internal/verify"
)

// completer finds the possible values of the next word.
type completer struct {
	app  *app
	line *completion.Line
}

// values returns the values of the kinds that can come next.
func (c *completer) values() (found []completion.Candidate) {
	for _, kind := range c.line.Kinds() {
		switch kind {
		case "help":
			found = append(found, c.helpWords()...)
		case "harness":
			found = append(found, c.harnesses()...)
		case "unit":
			found = append(found, c.units()...)
		case "change", "module", "archive", "story", "iteration":
			found = append(found, c.here(kind)...)
		}
	}
	return found
}

func (c *completer) helpWords() (found []completion.Candidate) {
	if len(c.line.Args) > 0 {
		return nil
	}
	for _, child := range c.line.Program.Children {
		found = append(found, completion.Candidate{Value: child.Name, About: child.Help})
	}
	for _, name := range help.Topics() {
		found = append(found, completion.Candidate{Value: name, About: help.Title(name)})
	}
	return append(found, completion.Candidate{Value: "topics", About: "The list of topics"})
}

// harnesses are those built in, and those of settings that can be read.
func (c *completer) harnesses() (found []completion.Candidate) {
	s, err := anywhere(c.app)
	if s == nil || err != nil && len(s.known) == 0 {
		return nil
	}
	for _, h := range s.known {
		about := ""
		if len(h.Command) > 0 && h.Name != h.Command[0] {
			about = filepath.Base(h.Command[0])
		}
		found = append(found, completion.Candidate{Value: h.Name, About: about})
	}
	return found
}

// units returns the units that have run on this machine. Except for commands that need a
// running loop, it adds those of this worktree that have not run, or are archived.
func (c *completer) units() (found []completion.Candidate) {
	entries, _, err := registry.Entries(c.app.home)
	if err != nil {
		return nil
	}
	slices.SortStableFunc(entries, func(a, b registry.Entry) int { return b.Updated.Compare(a.Updated) })
	live := slices.Contains([]string{"stop", "pause", "resume"}, c.line.Command.Name)
	for _, e := range entries {
		if e.StateDir != "" && (!live || unit.Running(unit.PlaceOf(e))) {
			found = append(found, completion.Candidate{Value: e.Unit, About: e.Worktree})
		}
	}
	if live {
		return found
	}
	return append(found, c.here("folder")...)
}

// here is what can be named of this worktree, none outside of one.
func (c *completer) here(kind string) (found []completion.Candidate) {
	p, err := unit.Worktree(c.app.ctx)
	if err != nil {
		return nil
	}
	switch kind {
	case "change", "module":
		list, err := change.List(p.Repo.Root)
		if err != nil {
			return nil
		}
		for _, ch := range list {
			if kind == "change" {
				found = append(found, completion.Candidate{Value: ch.ID, About: ch.Folder})
			} else if ch.Module != "" {
				found = append(found, completion.Candidate{Value: ch.Module})
			}
		}
	case "archive", "folder":
		found = c.archived(p, kind == "archive")
	case "story":
		found = c.stories(p)
	case "iteration":
		for _, n := range p.Iterations() {
			found = append(found, completion.Candidate{Value: strconv.Itoa(n)})
		}
	}
	return found
}

// archived are the archives of a worktree, or the names of its units.
func (c *completer) archived(p *unit.Place, archives bool) (found []completion.Candidate) {
	if !archives {
		for _, name := range p.Folders() {
			found = append(found, completion.Candidate{Value: name, About: "in this worktree"})
		}
	}
	entries, _, err := p.Archive().List()
	if err != nil {
		return found
	}
	for _, e := range entries {
		if archives {
			found = append(found, completion.Candidate{Value: e.Name, About: e.Unit})
		} else {
			found = append(found, completion.Candidate{Value: e.Unit, About: "archived"})
		}
	}
	return found
}

// stories are the finished ones of the branch's unit.
func (c *completer) stories(p *unit.Place) (found []completion.Candidate) {
	f, err := verify.Find(p.Repo.Root, p.Archive(), cmp.Or(c.line.Given["unit"], p.Unit))
	if err != nil {
		return nil
	}
	for _, s := range f.PRD.Stories {
		if s.Passes && !slices.Contains(c.line.Args, s.ID) {
			found = append(found, completion.Candidate{Value: s.ID, About: s.Title})
		}
	}
	return found
}
