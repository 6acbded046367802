package unit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ralph/internal/change"
	"ralph/internal/git"
	"ralph/internal/hint"
	"ralph/internal/registry"
)

// Query says which unit a caller means. The zero value means the unit of this worktree.
type Query struct {
	Unit     string // its name, or its branch
	Change   string // the id of a change in this worktree, or a short form of it
	Worktree string // the root of its worktree
	ToAct    bool   // elsewhere only a running loop is meant, or else one that died without a record
	Here     bool   // only this worktree: the unit of that name, run or not, or of the branch
}

// Find returns the unit that the query means. The first of these rules that applies decides:
//
//   - Change: the change of this worktree.
//   - Here: the unit of that name in this worktree, or that of the branch.
//   - Worktree: the unit of that name in it, or the only one. It has run there or is planned.
//   - Unit: that of this worktree if it has run; else the only one elsewhere on this machine
//     that has run; else that of this worktree if it is planned. With ToAct, nil if nothing
//     is there to act on.
//   - Else the running loop of this worktree; else the change that ran here last, if that was
//     after the branch's own unit; else the unit of the branch.
//
// A unit is planned if it has a feature folder or is a change.
func Find(ctx context.Context, home string, q Query) (*Place, error) {
	switch {
	case q.Unit != "" && q.Change != "":
		return nil, errors.New("name a unit or a change, not both")
	case q.Worktree != "":
		return inWorktree(ctx, home, q)
	case q.Here:
		return here(ctx, q.Unit)
	case q.Unit != "":
		return named(ctx, home, q)
	}
	p, err := Worktree(ctx)
	switch {
	case err != nil:
		return nil, err
	case q.Change != "":
		return p, p.workOnChange(q.Change)
	}
	if latest := p.latest(); latest != "" && latest != p.Unit {
		p.SwitchTo(latest, p.folderOf(latest))
	}
	return p, p.hasUnit()
}

// here returns the unit of that name in this worktree, or that of its branch.
func here(ctx context.Context, name string) (*Place, error) {
	p, err := Worktree(ctx)
	switch {
	case err != nil:
		return nil, err
	case name == "":
		return p, p.hasUnit()
	}
	unit, err := change.UnitOf(name)
	if err != nil {
		return nil, err
	}
	p.SwitchTo(unit, p.folderOf(unit))
	return p, nil
}

// hasUnit returns an error if the place has no unit.
func (p *Place) hasUnit() error {
	if p.Refused == nil && p.Unit == "" {
		return ErrDetached
	}
	return p.Refused
}

// named finds a unit by its name, which may be that of a branch.
func named(ctx context.Context, home string, q Query) (*Place, error) {
	unit, err := change.UnitOf(q.Unit)
	if err != nil {
		return nil, err
	}
	here, err := Worktree(ctx)
	switch {
	case errors.Is(err, git.ErrNotWorktree):
		here = nil
	case err != nil:
		return nil, err
	default:
		if here = PlaceAt(here.Repo, unit); here.Ran() || q.ToAct && Running(here) {
			return here, nil
		}
	}
	found, which, err := elsewhere(home, unit, q.ToAct)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, severalIn(unit, which, found)
	case q.ToAct:
		return nil, nil //nolint:nilnil // nothing is there to act on, and nothing wrong
	case here != nil && here.planned():
		return here, nil
	}
	return nil, hint.With(fmt.Errorf("%w: %s, neither here nor among the loops that have run elsewhere", ErrNoUnit, unit), "see: ralph list")
}

// elsewhere returns the units of a name that have run on this machine. To act on they are the
// running ones, or else those that died without a record. which says what they have in common.
func elsewhere(home, unit string, toAct bool) (found []*Place, which string, err error) {
	all, err := Registered(home)
	keep := func(f func(*Place) bool) []*Place {
		return slices.DeleteFunc(slices.Clone(all), func(p *Place) bool { return p.Unit != unit || !f(p) })
	}
	if !toAct {
		return keep((*Place).Ran), "", err
	}
	if found = keep(Running); len(found) > 0 {
		return found, "running ", err
	}
	return keep((*Place).died), "cut off ", err
}

// inWorktree finds a unit in another worktree: one that has run there, or is planned. It does not
// look into folders that are neither this worktree nor in the list of loops.
func inWorktree(ctx context.Context, home string, q Query) (*Place, error) {
	entries, _, err := registry.Entries(home)
	if err != nil {
		return nil, err
	}
	root, known := filepath.Clean(q.Worktree), false
	var found []*Place
	for _, e := range entries {
		if e.Worktree != root {
			continue
		}
		known = known || !e.Stale()
		if q.Unit == "" || e.Unit == strings.ReplaceAll(q.Unit, "/", "-") {
			found = append(found, PlaceOf(e))
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	if len(found) > 1 {
		var names []string
		for _, p := range found {
			names = append(names, p.Unit)
		}
		return nil, &WhichUnitError{q.Worktree, names}
	}
	here, err := Worktree(ctx)
	if known || err == nil && here.Repo.Root == root {
		if p := plannedIn(ctx, root, q.Unit); p != nil {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%w in %s", ErrNoUnit, q.Worktree)
}

// plannedIn returns the unit of a worktree with that name, or that of its branch, if it is planned,
// else nil.
func plannedIn(ctx context.Context, root, name string) *Place {
	p, err := WorktreeAt(ctx, root)
	if err != nil {
		return nil
	}
	unit := p.Unit
	if name != "" {
		if unit, err = change.UnitOf(name); err != nil {
			return nil
		}
	}
	if p = PlaceAt(p.Repo, unit); unit == "" || !p.planned() {
		return nil
	}
	return p
}

// planned reports whether the unit has a feature folder or is a change.
func (p *Place) planned() bool {
	if info, err := os.Stat(filepath.Join(p.Repo.Root, p.Folder)); err == nil && info.IsDir() {
		return true
	}
	list, _ := change.List(p.Repo.Root) // one that cannot be listed is not planned
	return slices.ContainsFunc(list, func(c change.Change) bool { return c.ID == p.Unit })
}

// Registered returns the places of all units of this user on this machine. A worktree that
// was moved is on the list twice; its units are returned once.
func Registered(home string) ([]*Place, error) {
	entries, _, err := registry.Entries(home)
	if err != nil {
		return nil, err
	}
	var list []*Place
	for _, e := range entries {
		if e.StateDir == "" {
			continue // written by hand
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

// ErrNoUnit reports that no unit with the given name is known.
var ErrNoUnit = errors.New("there is no such unit")

// SeveralError reports that units of one name are in several worktrees.
type SeveralError struct {
	unit, which string
	roots       []string // of the worktrees
}

func severalIn(unit, which string, found []*Place) error {
	e := &SeveralError{unit: unit, which: which}
	for _, p := range found {
		e.roots = append(e.roots, p.Repo.Root)
	}
	return hint.With(e, "call ralph in the one that you mean")
}

// Error implements error.
func (e *SeveralError) Error() string {
	return fmt.Sprintf("%s is %sin %d worktrees: %s", e.unit, e.which, len(e.roots), strings.Join(e.roots, ", "))
}

// WhichUnitError reports that several units have run in a worktree, and the user named none.
type WhichUnitError struct {
	root  string
	units []string
}

// Error implements error.
func (e *WhichUnitError) Error() string {
	return "several units have run in " + e.root + ": " + strings.Join(e.units, ", ")
}
