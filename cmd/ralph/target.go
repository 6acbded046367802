package main

import (
	"context"
	"errors"
	"fmt"
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
func target(a *app, u unitArg) (*place, error) {
	if u.Unit == "" || u.Change != "" {
		p, err := u.place(a)
		if err == nil && p.unit == "" {
			err = errDetached
		}
		return p, err
	}
	unit, err := git.UnitOf(u.Unit)
	if err != nil {
		return nil, err
	}
	p, err := worktree(a.ctx, "")
	switch {
	case err == nil:
		if p = placeAt(p.repo, unit); running(p) || p.ran() {
			return p, nil
		}
	case !errors.Is(err, git.ErrNotWorktree):
		return nil, err
	}
	return atWork(a, unit)
}

// atWork is the only loop of a name that is at work, or else that has died
// without a record of it; nil where there is none.
func atWork(a *app, unit string) (*place, error) {
	all, err := registered(a)
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
func registered(a *app) ([]*place, error) {
	entries, _, err := registry.Entries(a.home)
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

// settle finishes the record of a run that died, ends what it has left, and says
// so; told is false where there was nothing of the kind.
func (p *place) settle(a *app) (told bool, err error) {
	if !p.died() {
		return false, nil
	}
	if repo, err := git.Open(a.ctx, p.repo.Root); err == nil {
		p.repo = repo // one from the list of loops knows its folders alone
	}
	// A signal from now on must not leave it half done.
	end, _, err := recordDeath(context.WithoutCancel(a.ctx), a.t, p, time.Time{})
	var held *journal.LockedError
	if errors.As(err, &held) && held.Holder.Unit != "" && held.Holder.Unit != p.unit {
		// Another unit's loop is at work in the worktree, and has the locks.
		if err := loop.EndStrays(p.stateDir); err != nil {
			return false, err
		}
		a.t.Printf("the last run of %s was cut off; what it left alive is ended, and goes on record when the loop of %s has ended\n",
			stream.OneLine(p.unit), stream.OneLine(held.Holder.Unit))
		return true, nil
	}
	told = err == nil && end != nil
	if told {
		a.t.Printf("the last run of %s was cut off: %s; what it left alive is ended, and on record\n", stream.OneLine(p.unit), stream.OneLine(end.Message))
	}
	return told, err
}
