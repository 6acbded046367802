package main

import (
	"path/filepath"
	"slices"

	"ralph/internal/git"
	"ralph/internal/registry"
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
