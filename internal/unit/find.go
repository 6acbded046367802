package unit

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
	"ralph/internal/registry"
	"ralph/internal/stream"
)

// Target finds the unit that a command acts on: that of this worktree, or the one
// that was named, as a branch or as a unit, wherever on this machine it is. A
// name means the unit of this worktree where that has run; else the one loop of
// that name that is at work, or that has died. It returns nil where there is none.
func Target(ctx context.Context, home, name, changeID string) (*Place, error) {
	if name == "" || changeID != "" {
		p, err := Find(ctx, home, name, changeID)
		if err == nil && p.Unit == "" {
			err = ErrDetached
		}
		return p, err
	}
	unit, err := git.UnitOf(name)
	if err != nil {
		return nil, err
	}
	p, err := Worktree(ctx, "")
	switch {
	case err == nil:
		if p = PlaceAt(p.Repo, unit); Running(p) || p.Ran() {
			return p, nil
		}
	case !errors.Is(err, git.ErrNotWorktree):
		return nil, err
	}
	return atWork(home, unit)
}

// atWork is the only loop of a name that is at work, or else that has died
// without a record of it; nil where there is none.
func atWork(home, unit string) (*Place, error) {
	all, err := Registered(home)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(p *Place) bool { return p.Unit != unit })
	found, state := slices.DeleteFunc(slices.Clone(all), func(p *Place) bool { return !Running(p) }), "running"
	if len(found) == 0 {
		found, state = slices.DeleteFunc(all, func(p *Place) bool { return !p.died() }), "cut off"
	}
	switch len(found) {
	case 0:
		return nil, nil //nolint:nilnil // nothing is there to act on, and nothing wrong
	case 1:
		return found[0], nil
	}
	var roots []string
	for _, p := range found {
		roots = append(roots, p.Repo.Root)
	}
	return nil, hint.With(fmt.Errorf("%s is %s in %d worktrees: %s", unit, state, len(found), strings.Join(roots, ", ")),
		"call ralph in the one that you mean")
}

// Registered are the units of this user on this machine. A worktree that was
// moved is on the list twice, and one unit all the same.
func Registered(home string) ([]*Place, error) {
	entries, _, err := registry.Entries(home)
	if err != nil {
		return nil, err
	}
	var list []*Place
	for _, e := range entries {
		if e.StateDir == "" {
			continue // written by hand, or by nobody
		}
		p := PlaceOf(e)
		i := slices.IndexFunc(list, func(q *Place) bool { return q.StateDir == p.StateDir })
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
func (p *Place) died() bool {
	ended, err := journal.Ended(p.JournalPath())
	return err == nil && !ended && !Running(p)
}

// Settle finishes the record of a run that died, ends what it has left, and returns what
// there is to say about it, empty where there was nothing of the kind.
func (p *Place) Settle(ctx context.Context, t Notes) (said string, err error) {
	if !p.died() {
		return "", nil
	}
	if repo, err := git.Open(ctx, p.Repo.Root); err == nil {
		p.Repo = repo // one from the list of loops knows its folders alone
	}
	// A signal from now on must not leave it half done.
	end, _, err := RecordDeath(context.WithoutCancel(ctx), t, p, time.Time{})
	var held *journal.LockedError
	if errors.As(err, &held) && held.Holder.Unit != "" && held.Holder.Unit != p.Unit {
		// Another unit's loop is at work in the worktree, and has the locks.
		if err := endStrays(p.StateDir); err != nil {
			return "", err
		}
		return fmt.Sprintf("the last run of %s was cut off; its remaining processes are ended, and the journal records it when the loop of %s has ended",
			stream.OneLine(p.Unit), stream.OneLine(held.Holder.Unit)), nil
	}
	if err != nil || end == nil {
		return "", err
	}
	return fmt.Sprintf("the last run of %s was cut off: %s; its remaining processes are ended, and the journal records it", stream.OneLine(p.Unit), stream.OneLine(end.Message)), nil
}

// Look finds a unit that was named, which may be anywhere on this machine. A name
// may be given as the branch's, with its slashes.
func Look(ctx context.Context, home, unit string) (*Place, error) {
	p, err := Here(ctx, "")
	if err != nil && !errors.Is(err, git.ErrNotWorktree) {
		return nil, err
	}
	if unit, err = git.UnitOf(unit); err != nil {
		return nil, err
	}
	if p != nil {
		p = PlaceAt(p.Repo, unit)
		if p.Ran() {
			return p, nil
		}
	}
	far, err := elsewhere(home, unit)
	if p != nil && errors.Is(err, ErrNoUnit) {
		if _, folder := os.Stat(filepath.Join(p.Repo.Root, p.Folder)); folder == nil {
			return p, nil // it is planned here, and has not run yet
		}
	}
	return far, err
}

// ErrNoUnit is that no unit of a name is known.
var ErrNoUnit = errors.New("there is no such unit")

// PlaceAt is a unit of a worktree.
func PlaceAt(repo *git.Repo, unit string) *Place {
	p := &Place{Repo: repo}
	p.Work(unit, p.folderOf(unit))
	return p
}

// PlaceOf is a unit of the list of loops. Where the state directory is says where
// the git directory is, without asking git.
func PlaceOf(e registry.Entry) *Place {
	return &Place{Repo: &git.Repo{Root: e.Worktree, GitDir: filepath.Dir(filepath.Dir(e.StateDir))},
		Unit: e.Unit, Branch: e.Branch, Folder: e.Folder, StateDir: e.StateDir}
}

// Ran tells whether there is a record of the unit, or one that cannot be looked
// for.
func (p *Place) Ran() bool {
	r, err := p.Record()
	return r != nil || err != nil
}

// elsewhere finds a unit in the list of loops of this user.
func elsewhere(home, unit string) (*Place, error) {
	entries, _, err := registry.Entries(home)
	if err != nil {
		return nil, err
	}
	var found []*Place
	var roots []string
	for _, e := range entries {
		if e.Unit != unit {
			continue
		}
		if p := PlaceOf(e); p.Ran() {
			found, roots = append(found, p), append(roots, e.Worktree)
		}
	}
	switch len(found) {
	case 0:
		return nil, hint.With(fmt.Errorf("%w: %s, neither here nor among the loops that have run elsewhere", ErrNoUnit, unit), "see: ralph list")
	case 1:
		return found[0], nil
	}
	return nil, hint.With(&SeveralError{unit, roots}, "call ralph in the one that you mean")
}

// SeveralError is that a unit's name does not tell which one is meant.
type SeveralError struct {
	unit  string
	roots []string // of the worktrees
}

func (e *SeveralError) Error() string {
	return fmt.Sprintf("%s is in %d worktrees: %s", e.unit, len(e.roots), strings.Join(e.roots, ", "))
}

// Find returns the place that is meant: the named unit or change, else the loop at work in
// this worktree, else the change that ran here last on this branch, else the branch's unit.
func Find(ctx context.Context, home, unit, changeID string) (*Place, error) {
	if unit != "" && changeID != "" {
		return nil, errors.New("name a unit or a change, not both")
	}
	if unit != "" {
		return Look(ctx, home, unit)
	}
	p, err := Worktree(ctx, "")
	if err != nil {
		return nil, err
	}
	if changeID != "" {
		return p, p.workOnChange(changeID)
	}
	if latest := p.latest(); latest != "" && latest != p.Unit {
		p.Work(latest, p.folderOf(latest))
	}
	return p, p.Refused
}
