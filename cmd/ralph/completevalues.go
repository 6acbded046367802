package main

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"ralph/internal/change"
	"ralph/internal/help"
	"ralph/internal/registry"
	"ralph/internal/verify"
)

// values are what a flag or an argument may be. Its tag "predictor" names the
// kinds; without one it is what its enum lists.
func (c *completion) values(v *kong.Value) (found []candidate) {
	for _, word := range v.EnumSlice() {
		if word != "" {
			found = append(found, candidate{word, ""})
		}
	}
	for kind := range strings.SplitSeq(v.Tag.Get("predictor"), "+") {
		switch kind {
		case "file":
			found = append(found, candidate{anyFile, ""})
		case "folder":
			found = append(found, candidate{anyFolder, ""})
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

func (c *completion) helpWords() (found []candidate) {
	if len(c.args) > 0 {
		return nil
	}
	for _, child := range c.root.Children {
		found = append(found, candidate{child.Name, child.Help})
	}
	for _, name := range help.Topics() {
		found = append(found, candidate{name, help.Title(name)})
	}
	return append(found, candidate{"topics", "The list of topics"})
}

// harnesses are those built in, and those of settings that can be read.
func (c *completion) harnesses() (found []candidate) {
	s, err := anywhere(c.app)
	if s == nil || err != nil && len(s.known) == 0 {
		return nil
	}
	for _, h := range s.known {
		about := ""
		if len(h.Command) > 0 && h.Name != h.Command[0] {
			about = filepath.Base(h.Command[0])
		}
		found = append(found, candidate{h.Name, about})
	}
	return found
}

// units are those that have run on this machine and, but for commands that need
// a loop at work, those of this worktree that have not, or are archived.
func (c *completion) units() (found []candidate) {
	entries, _, err := registry.Entries(c.app.home)
	if err != nil {
		return nil
	}
	slices.SortStableFunc(entries, func(a, b registry.Entry) int { return b.Updated.Compare(a.Updated) })
	live := slices.Contains([]string{"stop", "pause", "resume"}, c.node.Name)
	for _, e := range entries {
		if e.StateDir != "" && (!live || running(placeOf(e))) {
			found = append(found, candidate{e.Unit, e.Worktree})
		}
	}
	if live {
		return found
	}
	return append(found, c.here("folder")...)
}

// here is what can be named of this worktree, none outside of one.
func (c *completion) here(kind string) (found []candidate) {
	p, err := worktree(c.app.ctx, "")
	if err != nil {
		return nil
	}
	switch kind {
	case "change", "module":
		list, err := change.List(p.repo.Root)
		if err != nil {
			return nil
		}
		for _, ch := range list {
			if kind == "change" {
				found = append(found, candidate{ch.ID, ch.Folder})
			} else if ch.Module != "" {
				found = append(found, candidate{ch.Module, ""})
			}
		}
	case "archive", "folder":
		found = c.archived(p, kind == "archive")
	case "story":
		found = c.stories(p)
	case "iteration":
		found = iterations(p)
	}
	return found
}

// archived are the archives of a worktree, or the names of its units.
func (c *completion) archived(p *place, archives bool) (found []candidate) {
	if !archives {
		folders, _ := os.ReadDir(filepath.Join(p.repo.Root, ".ralph"))
		for _, f := range folders {
			if f.IsDir() && f.Name() != "archive" && !strings.HasPrefix(f.Name(), ".") {
				found = append(found, candidate{f.Name(), "in this worktree"})
			}
		}
	}
	entries, _, err := p.archive().List()
	if err != nil {
		return found
	}
	for _, e := range entries {
		if archives {
			found = append(found, candidate{e.Name, e.Unit})
		} else {
			found = append(found, candidate{e.Unit, "archived"})
		}
	}
	return found
}

// stories are the finished ones of the branch's unit.
func (c *completion) stories(p *place) (found []candidate) {
	f, err := verify.Find(p.repo.Root, p.archive(), cmp.Or(c.given["unit"], p.unit))
	if err != nil {
		return nil
	}
	for _, s := range f.PRD.Stories {
		if s.Passes && !slices.Contains(c.args, s.ID) {
			found = append(found, candidate{s.ID, s.Title})
		}
	}
	return found
}

// iterations are those of the last run whose output is kept, the last one first.
func iterations(p *place) (found []candidate) {
	files, _ := os.ReadDir(filepath.Join(p.repo.Root, p.logDir()))
	var numbers []int
	for _, f := range files {
		text, isLog := strings.CutPrefix(strings.TrimSuffix(f.Name(), ".log"), "iteration-")
		if n, err := strconv.Atoi(text); isLog && err == nil {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	for _, n := range slices.Backward(slices.Compact(numbers)) {
		found = append(found, candidate{strconv.Itoa(n), ""})
	}
	return found
}
