package main

import (
	"path/filepath"
	"slices"

	"ralph/internal/git"
	"ralph/internal/registry"
	"ralph/internal/unit"
)

// changeHere is the unit of a change in the worktree in which the server was
// started, whether it has run or not; nil where there is none of exactly that id.
func changeHere(a *app, id string) *unit.Place {
	p, err := unit.Worktree(a.ctx, "")
	if err != nil {
		return nil
	}
	return p.ChangeNamed(id)
}

// planned is the unit of a worktree in which it has not run yet: a change, or a feature
// that has its folder; without a name that of the branch. Only the worktree of the
// server and those of known loops are looked into; nil is none.
func (u mcpUnit) planned(a *app, known []registry.Entry) *unit.Place {
	root := filepath.Clean(u.Worktree)
	if here, err := unit.Worktree(a.ctx, ""); (err != nil || here.Repo.Root != root) &&
		!slices.ContainsFunc(known, func(e registry.Entry) bool { return e.Worktree == root && !e.Stale() }) {
		return nil
	}
	p, err := unit.WorktreeAt(a.ctx, root, "")
	if err != nil {
		return nil
	}
	if u.Unit == "" {
		return p.WithFolder(p.Unit)
	}
	if c := p.ChangeNamed(u.Unit); c != nil {
		return c
	}
	unit, err := git.UnitOf(u.Unit)
	if err != nil {
		return nil
	}
	return p.WithFolder(unit)
}
