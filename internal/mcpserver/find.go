package mcpserver

import (
	"context"
	"errors"
	"fmt"

	"ralph/internal/git"
	"ralph/internal/hint"
	"ralph/internal/plan"
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

// find returns the unit that the client means.
func (s *server) find(ctx context.Context, u unitIn) (*unit.Place, error) {
	if len(u.Unit) > maxUnit {
		return nil, fmt.Errorf("the argument unit has %d bytes, and no unit has more than %d", len(u.Unit), maxUnit)
	}
	return unit.Find(ctx, s.Home, unit.Query{Unit: u.Unit, Worktree: u.Worktree})
}

// record returns the unit that the client means, and its record: nil if it never ran.
func (s *server) record(ctx context.Context, u unitIn) (*unit.Place, *unit.Record, error) {
	p, err := s.find(ctx, u)
	if err != nil {
		return nil, nil, err
	}
	r, err := p.Record()
	return p, r, err
}

// current returns the unit that the client means, and the state of its last run.
func (s *server) current(ctx context.Context, u unitIn) (*unit.Place, unit.Current, error) {
	p, err := s.find(ctx, u)
	if err != nil {
		return nil, unit.Current{}, err
	}
	now, err := p.Current(s.Notes)
	return p, now, err
}

// checkedOut returns the unit as the place of a run, and its change if it is one. Its worktree
// must have its branch checked out, unless it is a change. Without a name it is whatever is
// checked out here.
func (s *server) checkedOut(ctx context.Context, u unitIn) (p *unit.Place, change string, err error) {
	if u.Unit == "" && u.Worktree == "" {
		p, err := unit.Worktree(ctx)
		return p, "", err
	}
	meant, r, err := s.record(ctx, u)
	if err != nil {
		return nil, "", err
	}
	if p, err = unit.WorktreeAt(ctx, meant.Repo.Root); err != nil {
		return nil, "", err
	}
	c, err := meant.Change(s.Notes, r)
	switch {
	case err != nil:
		return nil, "", err
	case c != nil:
		p.SwitchTo(c.ID, meant.Folder)
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
	var units *unit.WhichUnitError
	var which *plan.WhichChangeError
	var missing *unit.NoIterationError
	var hinted *hint.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &several):
		return fmt.Errorf("%w; name the one that is meant with the argument worktree", several)
	case errors.As(err, &units):
		return fmt.Errorf("%w; name one with the argument unit", units)
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
