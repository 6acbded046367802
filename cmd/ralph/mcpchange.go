package main

import (
	"os"
	"path/filepath"
	"slices"

	"ralph/internal/change"
	"ralph/internal/git"
	"ralph/internal/registry"
	"ralph/internal/run"
	"ralph/internal/terminal"
)

// changeHere is the unit of a change in the worktree in which the server was
// started, whether it has run or not; nil where there is none of exactly that id.
func changeHere(a *app, id string) *place {
	p, err := worktree(a.ctx, "")
	if err != nil {
		return nil
	}
	return p.changeNamed(id)
}

// planned is the unit of a worktree in which it has not run yet: a change, or a feature
// that has its folder; without a name that of the branch. Only the worktree of the
// server and those of known loops are looked into; nil is none.
func (u mcpUnit) planned(a *app, known []registry.Entry) *place {
	root := filepath.Clean(u.Worktree)
	if here, err := worktree(a.ctx, ""); (err != nil || here.repo.Root != root) &&
		!slices.ContainsFunc(known, func(e registry.Entry) bool { return e.Worktree == root && !e.Stale() }) {
		return nil
	}
	p, err := worktreeAt(a.ctx, root, "")
	if err != nil {
		return nil
	}
	if u.Unit == "" {
		return p.withFolder(p.unit)
	}
	if c := p.changeNamed(u.Unit); c != nil {
		return c
	}
	unit, err := git.UnitOf(u.Unit)
	if err != nil {
		return nil
	}
	return p.withFolder(unit)
}

// withFolder is another unit of the worktree, nil where it has no folder.
func (p *place) withFolder(unit string) *place {
	p = placeAt(p.repo, unit)
	if info, err := os.Stat(filepath.Join(p.repo.Root, p.folder)); unit == "" || err != nil || !info.IsDir() {
		return nil
	}
	return p
}

// changeNamed is the unit of a change of exactly that id in the worktree, nil where
// there is none.
func (p *place) changeNamed(id string) *place {
	list, _ := change.List(p.repo.Root) // what cannot be listed is not there
	if !slices.ContainsFunc(list, func(c change.Change) bool { return c.ID == id }) {
		return nil
	}
	return placeAt(p.repo, id)
}

// change is the change that the unit is, nil where it is the unit of a branch. A
// branch may have the name of a change: then the last run tells, and before the
// first whether there is a feature.
func (p *place) change(t *terminal.Terminal, r *record) (*change.Change, error) {
	list, err := change.List(p.repo.Root)
	if err != nil || !slices.ContainsFunc(list, func(c change.Change) bool { return c.ID == p.unit }) {
		return nil, err
	}
	if r != nil {
		s, err := r.fold(t, run.KeepNone)
		if err != nil || s.Last() == nil || s.Last().Start.Change == "" {
			return nil, err
		}
	} else if p.hasPlan() {
		return nil, nil //nolint:nilnil // it is the unit of a branch
	}
	c, err := change.Find(list, p.unit)
	return &c, err
}

// hasPlan tells whether the feature folder of the unit's name has a plan in it.
func (p *place) hasPlan() bool {
	for _, name := range []string{"spec.md", "prd.json"} {
		if _, err := os.Stat(filepath.Join(p.repo.Root, ".ralph", p.unit, name)); err == nil {
			return true
		}
	}
	return false
}
