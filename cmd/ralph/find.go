package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ralph/internal/git"
	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/loop"
	"ralph/internal/registry"
	"ralph/internal/stream"
)

// target finds the unit that a command acts on: that of this worktree, or the one
// that was named, as a branch or as a unit, wherever on this machine it is. A
// name means the unit of this worktree where that has run; else the one loop of
// that name that is at work, or that has died. It returns nil where there is none.
func target(ctx context.Context, home, name, changeID string) (*place, error) {
	if name == "" || changeID != "" {
		p, err := find(ctx, home, name, changeID)
		if err == nil && p.unit == "" {
			err = errDetached
		}
		return p, err
	}
	unit, err := git.UnitOf(name)
	if err != nil {
		return nil, err
	}
	p, err := worktree(ctx, "")
	switch {
	case err == nil:
		if p = placeAt(p.repo, unit); running(p) || p.ran() {
			return p, nil
		}
	case !errors.Is(err, git.ErrNotWorktree):
		return nil, err
	}
	return atWork(home, unit)
}

// atWork is the only loop of a name that is at work, or else that has died
// without a record of it; nil where there is none.
func atWork(home, unit string) (*place, error) {
	all, err := registered(home)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(p *place) bool { return p.unit != unit })
	found, state := slices.DeleteFunc(slices.Clone(all), func(p *place) bool { return !running(p) }), "at work"
	if len(found) == 0 {
		found, state = slices.DeleteFunc(all, func(p *place) bool { return !p.died() }), "cut off"
	}
	switch len(found) {
	case 0:
		return nil, nil //nolint:nilnil // nothing is there to act on, and nothing wrong
	case 1:
		return found[0], nil
	}
	var roots []string
	for _, p := range found {
		roots = append(roots, p.repo.Root)
	}
	return nil, hint.With(fmt.Errorf("%s is %s in %d worktrees: %s", unit, state, len(found), strings.Join(roots, ", ")),
		"call ralph in the one that you mean")
}

// registered are the units of this user on this machine. A worktree that was
// moved is on the list twice, and one unit all the same.
func registered(home string) ([]*place, error) {
	entries, _, err := registry.Entries(home)
	if err != nil {
		return nil, err
	}
	var list []*place
	for _, e := range entries {
		if e.StateDir == "" {
			continue // written by hand, or by nobody
		}
		p := placeOf(e)
		i := slices.IndexFunc(list, func(q *place) bool { return q.stateDir == p.stateDir })
		switch {
		case i < 0:
			list = append(list, p)
		case !e.Stale():
			list[i] = p
		}
	}
	return list, nil
}

// died tells whether the unit's last run has no end although nobody is at work.
func (p *place) died() bool {
	ended, err := journal.Ended(p.journalPath())
	return err == nil && !ended && !running(p)
}

// settle finishes the record of a run that died, ends what it has left, and returns what
// there is to say about it, empty where there was nothing of the kind.
func (p *place) settle(ctx context.Context, t notes) (said string, err error) {
	if !p.died() {
		return "", nil
	}
	if repo, err := git.Open(ctx, p.repo.Root); err == nil {
		p.repo = repo // one from the list of loops knows its folders alone
	}
	// A signal from now on must not leave it half done.
	end, _, err := recordDeath(context.WithoutCancel(ctx), t, p, time.Time{})
	var held *journal.LockedError
	if errors.As(err, &held) && held.Holder.Unit != "" && held.Holder.Unit != p.unit {
		// Another unit's loop is at work in the worktree, and has the locks.
		if err := loop.EndStrays(p.stateDir); err != nil {
			return "", err
		}
		return fmt.Sprintf("the last run of %s was cut off; what it left alive is ended, and goes on record when the loop of %s has ended",
			stream.OneLine(p.unit), stream.OneLine(held.Holder.Unit)), nil
	}
	if err != nil || end == nil {
		return "", err
	}
	return fmt.Sprintf("the last run of %s was cut off: %s; what it left alive is ended, and on record", stream.OneLine(p.unit), stream.OneLine(end.Message)), nil
}

// look finds a unit that was named, which may be anywhere on this machine. A name
// may be given as the branch's, with its slashes.
func look(ctx context.Context, home, unit string) (*place, error) {
	p, err := here(ctx, "")
	if err != nil && !errors.Is(err, git.ErrNotWorktree) {
		return nil, err
	}
	if unit, err = git.UnitOf(unit); err != nil {
		return nil, err
	}
	if p != nil {
		p = placeAt(p.repo, unit)
		if p.ran() {
			return p, nil
		}
	}
	far, err := elsewhere(home, unit)
	if p != nil && errors.Is(err, errNoUnit) {
		if _, folder := os.Stat(filepath.Join(p.repo.Root, p.folder)); folder == nil {
			return p, nil // it is planned here, and has not run yet
		}
	}
	return far, err
}

// errNoUnit is that no unit of a name is known.
var errNoUnit = errors.New("there is no such unit")

// placeAt is a unit of a worktree.
func placeAt(repo *git.Repo, unit string) *place {
	p := &place{repo: repo}
	p.work(unit, p.folderOf(unit))
	return p
}

// placeOf is a unit of the list of loops. Where the state directory is says where
// the git directory is, without asking git.
func placeOf(e registry.Entry) *place {
	return &place{repo: &git.Repo{Root: e.Worktree, GitDir: filepath.Dir(filepath.Dir(e.StateDir))},
		unit: e.Unit, branch: e.Branch, folder: e.Folder, stateDir: e.StateDir}
}

// ran tells whether there is a record of the unit, or one that cannot be looked
// for.
func (p *place) ran() bool {
	r, err := p.record()
	return r != nil || err != nil
}

// elsewhere finds a unit in the list of loops of this user.
func elsewhere(home, unit string) (*place, error) {
	entries, _, err := registry.Entries(home)
	if err != nil {
		return nil, err
	}
	var found []*place
	var roots []string
	for _, e := range entries {
		if e.Unit != unit {
			continue
		}
		if p := placeOf(e); p.ran() {
			found, roots = append(found, p), append(roots, e.Worktree)
		}
	}
	switch len(found) {
	case 0:
		return nil, hint.With(fmt.Errorf("%w: %s, neither here nor among the loops that have run elsewhere", errNoUnit, unit), "see: ralph list")
	case 1:
		return found[0], nil
	}
	return nil, hint.With(&severalError{unit, roots}, "call ralph in the one that you mean")
}

// severalError is that a unit's name does not tell which one is meant.
type severalError struct {
	unit  string
	roots []string // of the worktrees
}

func (e *severalError) Error() string {
	return fmt.Sprintf("%s is in %d worktrees: %s", e.unit, len(e.roots), strings.Join(e.roots, ", "))
}

// find returns the place that is meant: the named unit or change, else the loop at work in
// this worktree, else the change that ran here last on this branch, else the branch's unit.
func find(ctx context.Context, home, unit, changeID string) (*place, error) {
	if unit != "" && changeID != "" {
		return nil, errors.New("name a unit or a change, not both")
	}
	if unit != "" {
		return look(ctx, home, unit)
	}
	p, err := worktree(ctx, "")
	if err != nil {
		return nil, err
	}
	if changeID != "" {
		return p, p.workOnChange(changeID)
	}
	if latest := p.latest(); latest != "" && latest != p.unit {
		p.work(latest, p.folderOf(latest))
	}
	return p, p.refused
}
