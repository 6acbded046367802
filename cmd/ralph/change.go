package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ralph/internal/change"
	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/run"
	"ralph/internal/stream"
)

// changeFlags name a change of Ito or OpenSpec.
type changeFlags struct {
	Change string `group:"Plan:" predictor:"change" help:"Work on a change of Ito or OpenSpec: its id, its number (2-1), or a unique part of the id." placeholder:"ID"`
	Module string `group:"Plan:" predictor:"module" help:"Work on the only change of this Ito module." placeholder:"ID"`
}

// choosePlan finds the plan of the run, asks where only the person can tell which
// change it is, and makes the place that of the change.
func (c *runCmd) choosePlan(a *app, p *place) (plan.Plan, error) {
	list, err := change.List(p.repo.Root)
	if err != nil && (c.Change != "" || c.Module != "") {
		return nil, err // what nobody asked for is in nobody's way
	}
	choice := plan.Choice{Root: p.repo.Root, Folder: p.folder, Done: c.Done, Text: c.Text, Template: c.Prompt != "", Changes: list}
	ask := a.t.CanAsk && !c.NoInteractive && !c.JSON
	if choice.Change, err = c.pick(a, list, ask); err != nil {
		return nil, err
	}
	if choice.Change != nil && c.Done != "" {
		return nil, hint.With(errors.New("a change has its own way to tell that it is done"), "leave out --done, or --change and --module")
	}
	chosen, warning, err := plan.Choose(choice)
	var which *plan.WhichChangeError
	if errors.As(err, &which) {
		if !ask {
			return nil, hint.With(err, "name it with --change ID, or go on without one: --done manual \"what to do\"")
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
		p.work(choice.Change.ID, filepath.FromSlash(choice.Change.StateFolder()))
	}
	return chosen, nil
}

// answered is a command line with the change that a person has chosen: a ralph
// elsewhere, which is handed it, is not to ask again.
func (r *resolved) answered(args []string) []string {
	id := r.change().ID
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
		p, err := worktree(a.ctx, "")
		if err != nil {
			return err
		}
		list, err := change.List(p.repo.Root)
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
		return &c, whichOne(err)
	case f.Module == "":
		return nil, nil //nolint:nilnil // none was asked for
	case len(list) == 1:
		return &list[0], nil
	case ask:
		return askChange(a, list)
	}
	return nil, hint.With(&change.AmbiguousError{What: "--module " + string(f.Module), Candidates: list}, "name one of them with --change ID")
}

// whichOne adds to the error that a short form means several changes what helps.
func whichOne(err error) error {
	var several *change.AmbiguousError
	if !errors.As(err, &several) {
		return err
	}
	if all := several.Candidates; all[0].ID == all[1].ID {
		return hint.With(err, "rename one of the folders: changes of one id would have one state")
	}
	return hint.With(err, "name one of them by its whole id")
}

// askChange lets the person at the terminal choose.
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

// place is where the command works: the named unit or change, else the loop at work in
// this worktree, else the change that ran here last on this branch, else the branch's unit.
func (u unitArg) place(a *app) (*place, error) {
	if u.Unit != "" && u.Change != "" {
		return nil, errors.New("name a unit or a change, not both")
	}
	if u.Unit != "" {
		return look(a, u.Unit)
	}
	p, err := worktree(a.ctx, "")
	if err != nil {
		return nil, err
	}
	if u.Change != "" {
		return p, p.workOnChange(string(u.Change))
	}
	if unit := p.latest(); unit != "" && unit != p.unit {
		p.work(unit, p.folderOf(unit))
	}
	return p, p.refused
}

// workOnChange makes the place that of a change. One that is archived by now is known
// by its whole id, while there is a journal of it.
func (p *place) workOnChange(ref string) error {
	list, err := change.List(p.repo.Root)
	if err != nil {
		return err
	}
	c, err := change.Find(list, ref)
	if err != nil && change.Valid(ref) == nil && isFile(journal.Path(filepath.Join(p.repo.GitDir, "ralph", ref))) {
		c, err = change.Change{ID: ref}, nil
	}
	if err != nil {
		return whichOne(err)
	}
	p.work(c.ID, p.folderOf(c.ID))
	return nil
}

// folderOf is where a unit's status file and logs are, as far as its name tells.
func (p *place) folderOf(unit string) string {
	ito := change.New(unit, ".ito/changes/"+unit)
	for _, folder := range []string{ito.Folder, ito.StateFolder()} {
		if _, err := os.Stat(filepath.Join(p.repo.Root, folder)); err == nil {
			return filepath.FromSlash(ito.StateFolder())
		}
	}
	return filepath.Join(".ralph", unit)
}

// latest is the unit whose loop is at work in the worktree, else the change that ran
// last, where that was later than the branch's own unit and on this branch.
func (p *place) latest() string {
	dir := filepath.Join(p.repo.GitDir, "ralph")
	if h, err := journal.ReadHolder(dir); err == nil && h.Unit != "" && holderAlive(dir) {
		return h.Unit
	}
	journals, _ := filepath.Glob(filepath.Join(strings.NewReplacer("[", "\\[", "*", "\\*", "?", "\\?").Replace(dir), "*", "journal.jsonl"))
	newest, last := "", int64(0)
	for _, path := range journals {
		if info, err := os.Stat(path); err == nil && info.ModTime().UnixNano() > last {
			newest, last = path, info.ModTime().UnixNano()
		}
	}
	if newest == "" || newest == p.journalPath() {
		return ""
	}
	var s run.State
	_, _ = journal.Scan(newest, s.Apply)
	if r := s.Last(); r != nil && r.Start.Branch == p.branch {
		return r.Start.Change
	}
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// startHint is the command that starts a loop on the place.
func (p *place) startHint() string {
	if strings.HasPrefix(p.folder, filepath.Join(".ito", ".state")) {
		return fmt.Sprintf("ralph run --change %s", quoted([]string{stream.OneLine(p.unit)}))
	}
	return "ralph run"
}
