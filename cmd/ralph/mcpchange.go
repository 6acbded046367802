package main

import (
	"os"
	"path/filepath"
	"slices"

	"ralph/internal/change"
	"ralph/internal/journal"
)

// changeHere is the unit of a change in the worktree in which the server was
// started, whether it has run or not; nil where there is none of exactly that id.
func changeHere(a *app, id string) *place {
	p, err := worktree(a.ctx, "")
	if err != nil {
		return nil
	}
	list, _ := change.List(p.repo.Root) // what cannot be listed is not there
	if !slices.ContainsFunc(list, func(c change.Change) bool { return c.ID == id }) {
		return nil
	}
	p.work(id, p.folderOf(id))
	return p
}

// change is the change that the unit is, nil where it is the unit of a branch. A
// branch may have the name of a change: then the last run tells, and before the
// first whether there is a feature.
func (p *place) change(t *terminal, r *record) (*change.Change, error) {
	list, err := change.List(p.repo.Root)
	if err != nil || !slices.ContainsFunc(list, func(c change.Change) bool { return c.ID == p.unit }) {
		return nil, err
	}
	if r != nil {
		last := ""
		err := r.scan(t, func(e journal.Event) {
			if b, ok := e.Body.(journal.RunStarted); ok {
				last = b.Change
			}
		})
		if err != nil || last == "" {
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
