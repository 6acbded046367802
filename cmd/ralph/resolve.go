package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"ralph"
	"ralph/internal/config"
	"ralph/internal/hint"
	"ralph/internal/importer"
	"ralph/internal/launch"
	"ralph/internal/loop"
	"ralph/internal/unit"
)

// resolved is a run before it starts, by the flags of a command.
type resolved struct {
	*launch.Run
	app   *app
	flags *runFlags
	text  string
}

// where is the place of the run before its plan is chosen: a change makes it its own.
func (c *runCmd) where(a *app) (*unit.Place, error) {
	p, err := unit.Worktree(a.ctx)
	if err == nil && c.Change == "" && c.Module == "" {
		err = p.Refused
	}
	return p, err
}

// resolveAt reads everything that decides about a run in the place, and changes nothing.
func (c *runCmd) resolveAt(a *app, p *unit.Place) (*resolved, error) {
	r, err := c.resolveWithoutAgent(a, p)
	if err != nil {
		return nil, err
	}
	if err := r.ChooseAgents(); err != nil {
		return nil, err
	}
	return r, r.checkBudgets()
}

// resolveWithoutAgent is resolveAt on a machine that starts no agent, and may know none.
func (c *runCmd) resolveWithoutAgent(a *app, p *unit.Place) (*resolved, error) {
	r := &resolved{Run: &launch.Run{Home: a.home, Place: p}, app: a, flags: &c.runFlags, text: c.Text}
	var err error
	if r.Plan, err = c.choosePlan(a, p); err != nil {
		return nil, err
	}
	if err := r.loadSettings(); err != nil {
		return nil, err
	}
	if err := r.LoadTemplate(ralph.Templates, c.Prompt); err != nil {
		return nil, err
	}
	if r.NeverPromises(c.Text) {
		a.t.Warn("only the agent's promise ends this run, and %s does not name it: "+
			"write {{promise}} where the agent must print it", r.Source)
	}
	return r, nil
}

func (r *resolved) loadSettings() error {
	loaded, err := loadSettings(r.app, r.Place.Repo.Root, r.flags.overrides())
	if err != nil {
		return err
	}
	return r.Use(loaded)
}

// usageError is a mistake on the command line that only shows together with the settings.
type usageError struct{ error }

// checkBudgets refuses budgets of the command line that an agent of the run cannot be measured
// by. Preflight refuses those of the settings.
func (r *resolved) checkBudgets() error {
	if r.flags.MaxCost == nil && r.flags.MaxTokens == nil && r.flags.MaxAccount == nil {
		return nil
	}
	for _, c := range r.Paid() {
		if fault, remedy := r.Unmeasured(c.Harness); fault != "" {
			return hint.With(usageError{errors.New(fault)}, remedy)
		}
	}
	return nil
}

// loadSettings reads the settings of a worktree and shows what was wrong with them.
func loadSettings(a *app, root string, flags []config.Override) (*config.Loaded, error) {
	a.warnHomeless()
	in := settingsInput(a, root, flags)
	loaded, err := config.Load(in)
	if err != nil {
		if tool := importer.ForeignFile(in.ProjectFile); tool != "" {
			err = hint.With(err, "these look like settings of "+tool+"; translate them with: ralph import --settings .ralph/config.yaml")
		}
		return nil, err
	}
	for _, w := range loaded.Warnings {
		a.t.Warn("%s", w)
	}
	return loaded, nil
}

// settingsInput says where the settings of a worktree are; without a root those of no
// project are meant.
func settingsInput(a *app, root string, flags []config.Override) config.Input {
	in := config.Input{Example: ralph.ConfigExample, UserFile: a.userSettings(), Environ: os.Environ(), Flags: flags}
	if root != "" {
		in.ProjectFile, in.ProjectRoot = config.ProjectFile(root), root
	}
	return in
}

// userSettings returns the path of the user's settings, empty without a home folder.
func (a *app) userSettings() string {
	if a.home == "" {
		return ""
	}
	return filepath.Join(a.home, "config.yaml")
}

// overrides returns the flags that replace a setting.
func (f *runFlags) overrides() []config.Override {
	var list []config.Override
	set := func(given bool, key, flag, value string) {
		if given {
			list = append(list, config.Override{Key: key, Flag: flag, Value: value})
		}
	}
	number := func(n *int, key, flag string) {
		if n != nil {
			set(true, key, flag, strconv.Itoa(*n))
		}
	}
	span := func(d time.Duration, unit time.Duration) string {
		return strconv.FormatFloat(float64(d)/float64(unit), 'g', -1, 64)
	}
	number(f.MaxIterations, "defaults.max_iterations", "--max-iterations")
	number(f.MinIterations, "defaults.min_iterations", "--min-iterations")
	number(f.RateLimit, "defaults.rate_limit_per_hour", "--rate-limit")
	number(f.StallThreshold, "circuit_breaker.no_progress_threshold", "--stall-threshold")
	number(f.SameError, "circuit_breaker.same_error_threshold", "--same-error")
	if f.Timeout != nil {
		set(true, "defaults.timeout_minutes", "--timeout", span(time.Duration(*f.Timeout), time.Minute))
	}
	if f.IdleTimeout != nil {
		set(true, "defaults.idle_timeout_minutes", "--idle-timeout", span(time.Duration(*f.IdleTimeout), time.Minute))
	}
	if f.Pause != nil {
		set(true, "defaults.pause_seconds", "--pause", span(time.Duration(*f.Pause), time.Second))
	}
	if f.MaxTokens != nil {
		set(true, "budget.max_tokens", "--max-tokens", strconv.FormatInt(*f.MaxTokens, 10))
	}
	if f.MaxCost != nil {
		set(true, "budget.max_cost_usd", "--max-cost", strconv.FormatFloat(*f.MaxCost, 'g', -1, 64))
	}
	if f.MaxTime != nil {
		set(true, "budget.max_time", "--max-time", span(time.Duration(*f.MaxTime), time.Minute))
	}
	if f.MaxAccount != nil {
		set(true, "budget.max_account", "--max-account", strconv.FormatFloat(*f.MaxAccount, 'g', -1, 64))
	}
	set(f.Harness != "", "harness", "--harness", f.Harness)
	set(f.Model != "", "model", "--model", f.Model)
	set(f.OnLimit != "", "usage_limit.action", "--on-limit", f.OnLimit)
	set(f.TrustPromise, "completion.trust_promise", "--trust-promise", "true")
	set(f.DangerouslySkipPermissions, "claude.dangerously_skip_permissions", "--dangerously-skip-permissions", "true")
	return list
}

// loopSettings are the settings in the loop's own terms, with those that only flags have.
func (r *resolved) loopSettings() loop.Settings {
	s := r.LoopSettings()
	s.AcceptBaseline, s.ResetCircuit = r.flags.AcceptBaseline, r.flags.ResetCircuit
	if r.flags.Until != nil {
		s.EndsAt = r.flags.Until.after(time.Now())
	}
	return s
}
