package main

import (
	"errors"
	"path/filepath"
	"slices"

	"ralph/internal/change"
	"ralph/internal/hint"
	"ralph/internal/plan"
	"ralph/internal/stream"
	"ralph/internal/unit"
)

// changeFlags name a change of Ito or OpenSpec.
type changeFlags struct {
	Change string `group:"Plan:" predictor:"change" help:"Work on a change of Ito or OpenSpec: its id, its number (2-1), or a unique part of the id." placeholder:"ID"`
	Module string `group:"Plan:" predictor:"module" help:"Work on the only change of this Ito module." placeholder:"ID"`
}

// choosePlan finds the plan of the run. It asks the user if several changes are possible,
// and changes the place to that of the change.
func (c *runCmd) choosePlan(a *app, p *unit.Place) (plan.Plan, error) {
	list, err := change.List(p.Repo.Root)
	if err != nil && (c.Change != "" || c.Module != "") {
		return nil, err // an error about changes does not matter without one of their flags
	}
	choice := plan.Choice{Root: p.Repo.Root, Folder: p.Folder, Done: c.Done, Text: c.Text, Template: c.Prompt != "", Changes: list}
	ask := a.t.CanAsk && !c.NoInteractive && !c.JSON
	if choice.Change, err = c.pick(a, list, ask); err != nil {
		return nil, err
	}
	if choice.Change != nil && c.Done != "" {
		return nil, hint.With(errors.New("a change decides itself when it is done"), "leave out --done, or --change and --module")
	}
	chosen, warning, err := plan.Choose(choice)
	var which *plan.WhichChangeError
	if errors.As(err, &which) {
		if !ask {
			return nil, hint.With(err, "name it with --change ID, or continue without one: --done manual \"what to do\"")
		}
		if choice.Change, err = askChange(a, which.Changes); err == nil {
			chosen, warning, err = plan.Choose(choice)
		}
	}
	if err != nil {
		return nil, err
	}
	if warning != "" {
		a.t.Warn("%s", warning)
	}
	if choice.Change != nil {
		p.SwitchTo(choice.Change.ID, filepath.FromSlash(choice.Change.StateFolder()))
	}
	return chosen, nil
}

// answered returns a command line with the change that the user has chosen, so that a
// ralph in another process does not ask again.
func (r *resolved) answered(args []string) []string {
	id := r.Plan.About().Change.ID
	if id == "" || r.flags.Change != "" {
		return args
	}
	at := slices.Index(args, "--")
	if at < 0 {
		at = len(args)
	}
	return slices.Insert(slices.Clone(args), at, "--change="+id)
}

// status is "ralph run --status".
func (c *runCmd) status(a *app) error {
	named := unitArg{Change: c.Change}
	if c.Module != "" {
		p, err := unit.Worktree(a.ctx)
		if err != nil {
			return err
		}
		list, err := change.List(p.Repo.Root)
		if err != nil {
			return err
		}
		picked, err := c.pick(a, list, false)
		if err != nil {
			return err
		}
		named.Change = picked.ID
	}
	return (&statusCmd{unitArg: named, JSON: c.JSON}).Run(a)
}

// pick is the change that the flags name, nil where they name none.
func (f changeFlags) pick(a *app, list []change.Change, ask bool) (*change.Change, error) {
	var err error
	if f.Module != "" {
		if list, err = change.InModule(list, string(f.Module)); err != nil {
			return nil, err
		}
	}
	switch {
	case f.Change != "":
		c, err := change.Find(list, f.Change)
		return &c, unit.HintAmbiguous(err)
	case f.Module == "":
		return nil, nil //nolint:nilnil // none was asked for
	case len(list) == 1:
		return &list[0], nil
	case ask:
		return askChange(a, list)
	}
	return nil, hint.With(&change.AmbiguousError{What: "--module " + string(f.Module), Candidates: list}, "name one of them with --change ID")
}

// askChange lets the user at the terminal choose.
func askChange(a *app, list []change.Change) (*change.Change, error) {
	a.t.Printf("Which change?\n")
	for i, c := range list {
		a.t.Printf("%4d  %s\n", i+1, stream.OneLine(c.ID))
	}
	n, err := a.t.AskNumber(a.ctx, len(list))
	if err != nil {
		return nil, err
	}
	return &list[n-1], nil
}

// place is where the command works.
func (u unitArg) place(a *app) (*unit.Place, error) {
	return unit.Find(a.ctx, a.home, unit.Query{Unit: u.Unit, Change: u.Change})
}

// onlyTheUser returns an error if an agent of the unit's own loop calls the command.
func onlyTheUser(p *unit.Place, refusal, command string) error {
	if !p.CalledByAgent() {
		return nil
	}
	return hint.With(errors.New(refusal), "the user can: "+command)
}

// target is the unit that the command acts on.
func (u unitArg) target(a *app) (*unit.Place, error) {
	return unit.Find(a.ctx, a.home, unit.Query{Unit: u.Unit, Change: u.Change, ToAct: true})
}
