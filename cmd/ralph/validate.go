package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"

	"ralph/internal/agent"
	"ralph/internal/plan"
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
	p, err := unit.Worktree(a.ctx, "")
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

// check gathers what preflight has to know, and runs it. Of an agent it says
// something where one was chosen.
func (r *resolved) check() (preflight.Report, error) {
	defer r.app.t.Slowly("checking the plan")()
	in, err := preflight.Gather(r.app.ctx, r.place.Repo)
	if err != nil {
		return preflight.Report{}, err
	}
	r.changes = &in.Changes
	in.Protected = r.settings.ProtectedBranches
	in.OwnerFile = r.ownerFile()
	in.Checked = len(r.settings.QualityChecks) > 0
	if e, err := r.place.Archive().Find(r.place.Unit); err == nil {
		in.Archived = e.Path
	}
	if r.harness.Name != "" {
		in.Agent = r.agentFacts(r.harness, r.agent)
	} else {
		in.Nameless = false // without an agent there are no commits
	}
	for _, c := range r.fallback {
		in.Fallback = append(in.Fallback, r.agentFacts(c.Harness, c.Options))
	}
	switch p := r.plan.(type) {
	case *plan.PRD:
		return preflight.Run(in), nil
	case *plan.Tasks:
		in.Tasks = unit.Relative(r.place.Repo.Root, p.File)
	case *plan.Change:
		in.Change = &p.Of
		if tasks := path.Join(p.Of.Folder, "tasks.md"); p.Criteria() == "tasks" {
			in.Tasks = tasks
		}
	}
	return preflight.RunWithoutFeature(in), nil
}

// agentFacts returns what is known about an agent without starting it.
func (r *resolved) agentFacts(h agent.Harness, o agent.Options) preflight.Agent {
	facts := preflight.Agent{Name: h.Name, Command: h.Command[0], LoginSign: loginSign(h)}
	path, err := exec.LookPath(h.Command[0])
	if err == nil {
		facts.Path = path
	}
	facts.Blocked = errors.Is(err, fs.ErrPermission)
	facts.Fault, facts.Remedy = r.unmeasured(h)
	if err := r.scriptFault(h); err != nil {
		facts.Fault, facts.Remedy = err.Error(), "Correct the script, or choose another agent with --harness NAME."
	}
	facts.RootAndApproveAll = h.RootRefuses && o.ApproveAll && os.Geteuid() == 0 && os.Getenv("IS_SANDBOX") == ""
	return facts
}

// loginSign reports whether there is a key, a token or another trace of a login.
func loginSign(h agent.Harness) bool {
	if len(h.LoginEnv) == 0 && len(h.LoginFiles) == 0 {
		return true // an unknown agent
	}
	home, _ := os.UserHomeDir() // without one, only the environment is checked
	return len(h.Logins(os.Environ(), home)) > 0
}
