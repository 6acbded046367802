package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"ralph/internal/git"
	"ralph/internal/hint"
	"ralph/internal/plan"
	"ralph/internal/registry"
	"ralph/internal/unit"
)

// maxUnit limits a unit's name, in bytes, so that an error about it fits into a sentence.
const maxUnit = 1000

// unitIn names a loop. Most tools take it.
type unitIn struct {
	Unit     string `json:"unit,omitempty" jsonschema:"the unit, as list_loops shows it; default: as the commands mean it in the worktree in which the server was started"`
	Worktree string `json:"worktree,omitempty" jsonschema:"the worktree's absolute path, as list_loops shows it; needed only where several have a unit of that name"`
}

// unitOut names the unit that an answer is about.
type unitOut struct {
	Unit     string `json:"unit"`
	Worktree string `json:"worktree"`
}

// find returns the unit that the client means, in this worktree or in the list of loops.
func (s *server) find(ctx context.Context, u unitIn) (*unit.Place, error) {
	switch {
	case len(u.Unit) > maxUnit:
		return nil, fmt.Errorf("the argument unit has %d bytes, and no unit has more than %d", len(u.Unit), maxUnit)
	case u.Worktree != "":
		return s.listed(ctx, u)
	case u.Unit == "":
		p, err := unit.Find(ctx, s.Home, "", "")
		if err == nil && p.Unit == "" {
			err = unit.ErrDetached
		}
		return p, err
	}
	if here, err := unit.Worktree(ctx, ""); err == nil {
		if c := here.ChangeNamed(u.Unit); c != nil {
			return c, nil
		}
	}
	return unit.Look(ctx, s.Home, u.Unit)
}

// listed finds the unit among those that have run in the worktree, or that are planned there.
func (s *server) listed(ctx context.Context, u unitIn) (*unit.Place, error) {
	entries, _, err := registry.Entries(s.Home)
	if err != nil {
		return nil, err
	}
	root := filepath.Clean(u.Worktree)
	var found []string
	var p *unit.Place
	known := false
	for _, e := range entries {
		if e.Worktree != root {
			continue
		}
		known = known || !e.Stale()
		if u.Unit == "" || e.Unit == strings.ReplaceAll(u.Unit, "/", "-") {
			found, p = append(found, e.Unit), unit.PlaceOf(e)
		}
	}
	switch len(found) {
	case 0:
		if p := planned(ctx, root, u.Unit, known); p != nil {
			return p, nil
		}
		return nil, fmt.Errorf("%w in %s", unit.ErrNoUnit, u.Worktree)
	case 1:
		return p, nil
	}
	return nil, hint.With(errors.New("several units have run in that worktree: "+strings.Join(found, ", ")), "name one with the argument unit")
}

// planned returns a unit that has not run yet in a worktree: a change, or a feature with its
// folder; without a name that of the branch. It is nil where none exists, and for a worktree
// that is neither the server's own nor known.
func planned(ctx context.Context, root, name string, known bool) *unit.Place {
	if here, err := unit.Worktree(ctx, ""); !known && (err != nil || here.Repo.Root != root) {
		return nil
	}
	p, err := unit.WorktreeAt(ctx, root, "")
	if err != nil {
		return nil
	}
	if name == "" {
		return p.WithFolder(p.Unit)
	}
	if c := p.ChangeNamed(name); c != nil {
		return c
	}
	if name, err = git.UnitOf(name); err != nil {
		return nil
	}
	return p.WithFolder(name)
}

// checkedOut returns the unit as the place of a run, and its change if it is one. Its worktree
// must have its branch checked out, unless it is a change. Without a name it is whatever is
// checked out here.
func (s *server) checkedOut(ctx context.Context, u unitIn) (p *unit.Place, change string, err error) {
	if u.Unit == "" && u.Worktree == "" {
		p, err := unit.Worktree(ctx, "")
		return p, "", err
	}
	meant, err := s.find(ctx, u)
	if err != nil {
		return nil, "", err
	}
	if p, err = unit.WorktreeAt(ctx, meant.Repo.Root, ""); err != nil {
		return nil, "", err
	}
	r, err := meant.Record()
	if err != nil {
		return nil, "", err
	}
	c, err := meant.Change(s.Notes, r)
	switch {
	case err != nil:
		return nil, "", err
	case c != nil:
		p.Work(c.ID, meant.Folder)
		return p, c.ID, nil
	case p.Unit != meant.Unit:
		return nil, "", hint.With(fmt.Errorf("%s has another branch checked out than that of %s", p.Repo.Root, meant.Unit), "a run works on the branch that is checked out")
	}
	return p, "", nil
}

// withHint returns an error together with what a client can do about it. The hints of some
// errors name commands: a client has tools.
func withHint(err error) error {
	var several *unit.SeveralError
	var which *plan.WhichChangeError
	var missing *unit.NoIterationError
	var hinted *hint.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &several):
		return fmt.Errorf("%w; name the one that is meant with the argument worktree", several)
	case errors.As(err, &which):
		return fmt.Errorf("%w; name it with the argument unit", which)
	case errors.As(err, &missing):
		return fmt.Errorf("%w; get_history lists them", missing)
	case errors.Is(err, git.ErrNotWorktree):
		return errors.New("this server was not started inside a git worktree; name a unit; list_loops lists them")
	case errors.Is(err, unit.ErrNoUnit):
		if errors.As(err, &hinted) {
			err = hinted.Err
		}
		return fmt.Errorf("%w; list_loops lists them", err)
	case errors.As(err, &hinted) && hinted.Hint != "":
		return fmt.Errorf("%w; %s", err, hinted.Hint)
	}
	return err
}
