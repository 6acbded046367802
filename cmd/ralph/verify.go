package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"

	"ralph/internal/check"
	"ralph/internal/evidence"
	"ralph/internal/hint"
	"ralph/internal/launch"
	"ralph/internal/screen"
	"ralph/internal/terminal"
	"ralph/internal/unit"
	"ralph/internal/verify"
	"ralph/internal/words"
)

// verifyCmd is "ralph verify".
type verifyCmd struct {
	Stories    []string `arg:"" optional:"" name:"story" predictor:"story" help:"Stories to check (default: all finished stories of the unit)."`
	All        bool     `help:"Check the finished stories of all units, with archived ones."`
	Unit       string   `predictor:"unit" help:"The unit (default: this branch)." placeholder:"UNIT"`
	NoReceipts bool     `help:"Judge by the checks alone: a finished story needs no receipt."`
	Inplace    bool     `help:"Run the checks in this worktree, not in a clean one of HEAD."`
	JSON       bool     `help:"Print JSON."`
}

// Validate refuses what contradicts itself; kong calls it.
func (c *verifyCmd) Validate() error {
	if c.All && (len(c.Stories) > 0 || c.Unit != "") {
		return errors.New("--all is about every unit: give it without a story and without --unit")
	}
	return nil
}

// Run carries the command out.
func (c *verifyCmd) Run(a *app) error {
	p, err := c.place(a)
	if err != nil {
		return err
	}
	features, err := c.features(p)
	if err != nil {
		return err
	}
	stories, err := verify.Stories(features, c.Stories)
	if err != nil {
		return hint.With(err, "leave the ids out to prove all that are finished: ralph verify")
	}
	loaded, err := loadSettings(a, p.Repo.Root, nil)
	if err != nil {
		return err
	}
	r := &resolved{Run: &launch.Run{Home: a.home, Place: p, Loaded: loaded}, app: a}
	if err := r.seal(); err != nil {
		return err
	}
	v := &verification{resolved: r, quiet: c.JSON, receipts: !c.NoReceipts, features: features, report: verify.Report{Mode: "clean", Stories: stories, Checks: []verify.CheckResult{}}}
	if c.Inplace {
		v.report.Mode = "inplace"
	}
	if err := v.run(); err != nil {
		if a.ctx.Err() != nil {
			err = context.Cause(a.ctx)
		}
		return err
	}
	if c.JSON {
		err = terminal.PrintJSON(a.t, v.report)
	} else {
		screen.ShowVerified(a.t, v.report, v.receipts)
	}
	if err == nil && !v.report.OK {
		return exitError(1)
	}
	return err
}

// place is this worktree, with the unit that is meant. All units need none.
func (c *verifyCmd) place(a *app) (*unit.Place, error) {
	if c.All {
		return unit.Worktree(a.ctx)
	}
	p, err := unit.Find(a.ctx, a.home, unit.Query{Unit: c.Unit, Here: true})
	if errors.Is(err, unit.ErrDetached) {
		err = hint.With(unit.ErrDetached.Err, "name the unit with --unit, or prove all with --all")
	}
	return p, err
}

// features finds the plans with the stories that are to be proved.
func (c *verifyCmd) features(p *unit.Place) ([]verify.Feature, error) {
	if c.All {
		features, err := verify.All(p.Repo.Root, p.Archive())
		if err != nil {
			return nil, unit.Local(p.Repo.Root, err)
		}
		return features, nil
	}
	f, err := verify.Find(p.Repo.Root, p.Archive(), p.Unit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hint.With(fmt.Errorf("there is no prd.json of %s, neither in %s nor in the archive", p.Unit, p.Folder),
			"name another unit with --unit, or prove all with --all")
	}
	if err != nil {
		return nil, unit.Local(p.Repo.Root, err)
	}
	return []verify.Feature{f}, nil
}

// verification is one run of the checks for a report.
type verification struct {
	*resolved
	quiet    bool
	receipts bool // a story needs one
	features []verify.Feature
	report   verify.Report
}

// run fills the report.
func (v *verification) run() error {
	ctx, repo := v.app.ctx, v.Place.Repo
	head, err := repo.Head(ctx)
	if err != nil {
		return err
	}
	v.report.OK, v.report.Commit = true, head.Commit
	if len(v.report.Stories) == 0 {
		return nil
	}
	if err := v.possible(); err != nil {
		return err
	}
	clean, err := check.NewCleanWorktree(ctx, repo, head.Commit, "")
	if err != nil {
		return err
	}
	defer v.remove(clean)
	v.report.Tree = clean.Tree
	return v.weigh(clean)
}

// possible says why nothing can be proved, and what is left out.
func (v *verification) possible() error {
	ctx, repo := v.app.ctx, v.Place.Repo
	if v.report.Commit == "" {
		return hint.With(errors.New("there is no commit yet"), "commit the work first")
	}
	if len(v.Settings().QualityChecks) == 0 {
		return hint.With(errors.New("no quality checks are configured: nothing can be proved"), "name them under quality_checks in .ralph/config.yaml")
	}
	if v.report.Mode == "inplace" {
		if v.Place.Unit != "" && unit.Running(v.Place) {
			return hint.With(fmt.Errorf("a loop is running on %s: its files change while the checks run", v.Place.Unit), "check the committed work: leave out --inplace")
		}
		return nil
	}
	changes, err := repo.Status(ctx, ".ralph", ".claude", ".ito/.state")
	if err == nil && len(changes) > 0 {
		v.app.t.Warn("%s not part of it: %s is proved", words.CountPlural(len(changes), "uncommitted change is", "uncommitted changes are"), v.report.Commit[:12])
	}
	return err
}

// weigh gathers the facts under a guardian, which removes the clean worktree if ralph dies,
// and completes the report with them.
func (v *verification) weigh(clean *check.CleanWorktree) error {
	dir := v.Place.Repo.Root
	g, err := startGuardian(rand.Text(), dir, sweepWord, clean.Folder())
	if err != nil {
		return err
	}
	defer g.Close()
	if v.report.Mode == "clean" {
		if dir, err = v.prepare(clean); err != nil {
			return err
		}
	}
	v.say("%s", v.heading())
	running := func() func() { return v.app.t.ShowActivity("running the checks") }
	done := running()
	facts, found, err := evidence.Finished{
		Repo: v.Place.Repo, Commit: v.report.Commit, Guardian: g,
		Checks: v.Checks(), Dir: dir, Env: v.CheckEnv(),
		Ran: func(c evidence.CheckFact) {
			done()
			v.show(verify.NewCheckResult(c))
			done = running()
		},
	}.Gather(v.app.ctx, v.report.Sought())
	done()
	if err == nil {
		v.report.Complete(facts, found, v.receipts)
	}
	return err
}

// prepare checks the commit out, with the plans as they are now: as in a run, checks may ask
// which stories are marked.
func (v *verification) prepare(clean *check.CleanWorktree) (dir string, err error) {
	done := v.app.t.ShowActivity("making a clean worktree")
	dir, err = clean.Dir(v.app.ctx)
	done()
	for _, f := range v.features {
		if err == nil {
			err = clean.AddFile(v.app.ctx, f.File, f.PRD.Bytes())
		}
	}
	return dir, err
}

func (v *verification) heading() string {
	what := fmt.Sprintf("%s at %.12s", words.CountPlural(len(v.report.Stories), "story", "stories"), v.report.Commit)
	if v.report.Mode == "inplace" {
		return what + ", checked in the worktree as it is"
	}
	return what + ", checked in a clean worktree"
}

func (v *verification) say(format string, args ...any) {
	if !v.quiet {
		v.app.t.Printf(format+"\n", args...)
	}
}

// remove removes the clean worktree, whatever else has happened.
func (v *verification) remove(clean *check.CleanWorktree) {
	if err := clean.Remove(); err != nil {
		v.app.t.Warn("the clean worktree in %s cannot be removed: %v", clean.Folder(), err)
	}
}

func (v *verification) show(c verify.CheckResult) {
	if !v.quiet {
		screen.ShowCheck(v.app.t, c)
	}
}
