package main

import (
	"ralph/internal/preflight"
	"ralph/internal/terminal"
	"ralph/internal/unit"
)

// validateCmd is "ralph validate".
type validateCmd struct {
	changeFlags
	Harness string `predictor:"harness" aliases:"agent" xor:"agent" help:"Check this coding agent instead of the one in the settings." placeholder:"NAME"`
	Done    string `help:"Check the plan of this kind: prd, tasks or manual (default: by what is there)." type:"choice" enum:",prd,tasks,manual" default:"" placeholder:"HOW"`
	NoAgent bool   `xor:"agent" help:"Do not check the agent, for machines without one, such as CI."`
	JSON    bool   `help:"Print JSON."`
}

// Run carries the command out.
func (c *validateCmd) Run(a *app) error {
	p, err := unit.Worktree(a.ctx)
	if err != nil {
		return err
	}
	report, err := c.report(a, p)
	if err != nil {
		return err
	}
	if c.JSON {
		err = terminal.PrintJSON(a.t, report)
	} else {
		err = report.Text(a.t.Out, a.t.Color, a.t.ASCII)
		a.t.WarnAll(report.Notes)
	}
	if err == nil && !report.OK {
		return exitError(1)
	}
	return err
}

func (c *validateCmd) report(a *app, p *unit.Place) (preflight.Report, error) {
	flags := loopFlags{changeFlags: c.changeFlags, Harness: c.Harness, Done: c.Done, NoInteractive: c.JSON}
	if !c.NoAgent {
		return validate(a, p, flags, "")
	}
	r, err := (&runCmd{runFlags: runFlags{loopFlags: flags}}).resolveWithoutAgent(a, p)
	if err != nil {
		return preflight.Report{}, err
	}
	return r.check()
}

// validate checks a worktree as a run with the flags and the text would.
func validate(a *app, p *unit.Place, flags loopFlags, text string) (preflight.Report, error) {
	r, err := (&runCmd{Text: text, runFlags: runFlags{loopFlags: flags}}).resolveAt(a, p)
	if err != nil {
		return preflight.Report{}, err
	}
	return r.check()
}

// preflightUnlessSkipped is preflight, or says that it was left out.
func (r *resolved) preflightUnlessSkipped() error {
	if r.flags.SkipPreflight {
		r.app.t.Warn("preflight is skipped: nothing was checked before this run")
		return nil
	}
	return r.preflight()
}

// preflight shows the problems of the run, and refuses it if there is an error.
func (r *resolved) preflight() error {
	report, err := r.check()
	if err != nil {
		return err
	}
	// Standard error: with --json, standard output is for events.
	if report.Warned() {
		if err := report.Text(r.app.t.Err, r.app.t.ErrColor, r.app.t.ASCII); err != nil {
			return err
		}
	}
	r.app.t.WarnAll(report.Notes)
	if !report.OK {
		return exitError(1)
	}
	return nil
}

// check runs preflight.
func (r *resolved) check() (preflight.Report, error) {
	defer r.app.t.ShowActivity("checking the plan")()
	return r.Preflight(r.app.ctx)
}
