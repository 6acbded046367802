package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ralph"
	"ralph/internal/agent"
	"ralph/internal/calls"
	"ralph/internal/change"
	"ralph/internal/check"
	"ralph/internal/config"
	"ralph/internal/evidence"
	"ralph/internal/git"
	"ralph/internal/hint"
	"ralph/internal/importer"
	"ralph/internal/loop"
	"ralph/internal/plan"
	"ralph/internal/proof"
	"ralph/internal/regular"
	"ralph/internal/room"
	"ralph/internal/run"
	"ralph/internal/stream"
	"ralph/internal/unit"
)

// resolved is a run before it starts: the flags and files made into a plan, its
// limits and a call.
type resolved struct {
	app      *app
	flags    *runFlags
	text     string
	place    *unit.Place
	loaded   *config.Loaded
	settings *config.Settings
	plan     plan.Plan
	harness  agent.Harness
	agent    agent.Options
	fallback []calls.Caller // who takes over while the harness is at its limit
	template string
	source   string        // where the template is from
	changes  *[]git.Change // uncommitted, as preflight saw them; nil where it did not look

	checkRooms *check.Rooms // nil where nothing is sealed
}

// kindDefaults replace the built-in values for plans with steps larger than a story. A
// file, the environment or a flag still wins.
var kindDefaults = map[string]string{
	"defaults.max_iterations":               "10",
	"defaults.timeout_minutes":              "45",
	"circuit_breaker.no_progress_threshold": "2",
}

// where is the place of the run before its plan is chosen: a change makes it its own.
func (c *runCmd) where(a *app) (*unit.Place, error) {
	p, err := unit.Worktree(a.ctx, "")
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
	if err := r.chooseHarness(); err != nil {
		return nil, err
	}
	return r, r.checkBudgets()
}

// resolveWithoutAgent is resolveAt on a machine that starts no agent, and may know none.
func (c *runCmd) resolveWithoutAgent(a *app, p *unit.Place) (*resolved, error) {
	r := &resolved{app: a, flags: &c.runFlags, text: c.Text, place: p}
	var err error
	if r.plan, err = c.choosePlan(a, p); err != nil {
		return nil, err
	}
	if err := r.loadSettings(); err != nil {
		return nil, err
	}
	return r, r.loadTemplate()
}

func (r *resolved) loadSettings() error {
	loaded, err := loadSettings(r.app, r.place.Repo.Root, r.flags.overrides())
	if err != nil {
		return err
	}
	if kind := r.plan.Kind(); kind == plan.KindTasks || kind == plan.KindPrompt {
		if loaded, err = loaded.WithDefaults(kindDefaults); err != nil {
			return err
		}
	}
	r.loaded, r.settings = loaded, &loaded.Settings
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
		in.ProjectFile, in.ProjectRoot = filepath.Join(root, ".ralph", "config.yaml"), root
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

// chooseHarness finds the agent and what the settings say about it.
func (r *resolved) chooseHarness() error {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("ralph cannot find its own program: %w", err)
	}
	s := r.settings
	all := withSettings(agent.Builtin(exe), s)
	first, err := caller(all, s, r.place.Repo, s.Harness)
	if err != nil {
		return err
	}
	r.harness, r.agent = first.Harness, first.Options
	for _, name := range s.Fallback {
		if name == s.Harness {
			continue // a flag chose it
		}
		c, err := caller(all, s, r.place.Repo, name)
		if err != nil {
			return fmt.Errorf("fallback: %w", err)
		}
		r.fallback = append(r.fallback, c)
	}
	return nil
}

// caller is the harness of that name, as the settings want it to be called.
func caller(all []agent.Harness, s *config.Settings, repo *git.Repo, name string) (calls.Caller, error) {
	h, ok := agent.Find(all, name)
	if !ok {
		var names []string
		for _, h := range all {
			names = append(names, h.Name)
		}
		return calls.Caller{}, hint.With(fmt.Errorf("there is no harness %q", name), "known are: "+strings.Join(names, ", "))
	}
	return calls.Caller{Harness: h, Options: agent.Options{
		Model: s.ModelOf(h.Name), ApproveAll: s.Claude.DangerouslySkipPermissions, AllowedTools: s.Claude.AllowedTools, GitDirs: gitDirs(repo)}}, nil
}

// gitDirs is what a commit in the worktree is written to.
func gitDirs(repo *git.Repo) []string {
	return slices.Compact([]string{repo.CommonDir, repo.GitDir})
}

// callers are all agents of the run, its own one first.
func (r *resolved) callers() []calls.Caller {
	return append([]calls.Caller{{Harness: r.harness, Options: r.agent}}, r.fallback...)
}

// withSettings adds the harnesses of the settings, and changes those that are
// known already.
func withSettings(all []agent.Harness, s *config.Settings) []agent.Harness {
	for i := range all {
		if all[i].Name == "claude" {
			all[i].Command = s.Claude.Command
		}
	}
	for _, c := range s.Harnesses {
		i := slices.IndexFunc(all, func(h agent.Harness) bool { return h.Name == c.Name })
		if i < 0 {
			all = append(all, agent.Custom(c.Name))
			i = len(all) - 1
		}
		customise(&all[i], c)
	}
	return all
}

func customise(h *agent.Harness, c config.Harness) {
	if len(c.Command) > 0 {
		// A command that brings the words by which the agent works unattended is the
		// whole call; any other one is a way to start the program.
		if len(h.Headless) == 0 || slices.Contains(c.Command[1:], h.Headless[0]) {
			h.Headless = nil
		}
		h.Command = c.Command
	}
	if c.Prompt != "" {
		h.Prompt = agent.PromptMode(c.Prompt)
	}
	if format, err := stream.ParseFormat(c.Output); err == nil && c.Output != "" {
		h.Output = format
	}
	if len(c.ModelArgs) > 0 {
		h.ModelArgs = c.ModelArgs
	}
	if len(c.SkipPermissionsArgs) > 0 {
		h.ApproveAll = c.SkipPermissionsArgs
	}
	for name, value := range c.Env {
		h.Env = append(h.Env, name+"="+value)
	}
	h.Limits, h.Errors = append(h.Limits, c.LimitPatterns...), append(h.Errors, c.ErrorPatterns...)
}

// maxTemplate bounds the prompt template, in bytes.
const maxTemplate = 8 << 20

// loadTemplate finds the prompt template: the flag's, the feature's, the built-in one.
func (r *resolved) loadTemplate() error {
	feature := filepath.Join(r.place.Repo.Root, r.place.Folder, "prompt.md")
	path := r.flags.Prompt
	if path == "" && r.plan.Kind() == plan.KindPRD {
		if _, err := os.Lstat(feature); err == nil {
			path = feature
		}
	}
	text, source := "", "built-in"
	if path != "" {
		var err error
		source = unit.Relative(r.place.Repo.Root, path)
		if text, err = regular.ReadText(path, maxTemplate); err != nil {
			remedy := "replace it with a text file, or remove it"
			if r.flags.Prompt != "" {
				remedy = "name another file with --prompt, or leave it out"
			}
			return hint.With(fmt.Errorf("the prompt template cannot be read: %s", unit.Relative(r.place.Repo.Root, err.Error())), remedy)
		}
		if strings.TrimSpace(text) == "" {
			return hint.With(fmt.Errorf("the prompt template %s is empty", source), "write what the agent has to do in every iteration, or remove the file")
		}
	} else {
		name := "templates/prompt-tdd.md"
		if r.plan.Kind() != plan.KindPRD {
			name = "templates/prompt-task.md"
		}
		data, err := ralph.Templates.ReadFile(name)
		if err != nil {
			return errors.New("this build of ralph lacks its prompt templates")
		}
		text = string(data)
	}
	r.source = source
	r.template = strings.NewReplacer("{{promise}}", r.settings.Completion.Promise, "{{folder}}", cmp.Or(r.change().Folder, r.place.Folder), "{{unit}}", r.place.Unit).Replace(text)
	return nil
}

// change is the change that the plan is; without an id for any other plan.
func (r *resolved) change() change.Change {
	if c, ok := r.plan.(*plan.Change); ok {
		return c.Of
	}
	return change.Change{}
}

// loopSettings are the settings in the loop's own terms.
func (r *resolved) loopSettings() loop.Settings {
	s := r.settings
	checks := r.checks()
	var endsAt time.Time
	if r.flags.Until != nil {
		endsAt = r.flags.Until.after(time.Now())
	}
	return loop.Settings{
		MaxIterations: s.Defaults.MaxIterations, MinIterations: s.Defaults.MinIterations,
		Limits: agent.Limits{Timeout: s.Defaults.TimeoutMinutes.Duration(), Idle: s.Defaults.IdleTimeoutMinutes.Duration()},
		Pause:  s.Defaults.PauseSeconds.Duration(), Transient: s.Defaults.TransientSeconds.Duration(),
		RateLimit: s.Defaults.RateLimitPerHour, NoProgress: s.CircuitBreaker.NoProgressThreshold, SameError: s.CircuitBreaker.SameErrorThreshold, Duds: r.duds(),
		OnLimit: s.UsageLimit.Action, AskTimeout: s.UsageLimit.AskTimeoutSeconds.Duration(), MaxWait: s.UsageLimit.MaxWaitHours.Duration(),
		MaxTokens: s.Budget.MaxTokens, MaxCost: s.Budget.MaxCostUSD, MaxTime: s.Budget.MaxTime.Duration(), EndsAt: endsAt, MaxAccount: s.Budget.MaxAccount,
		Escalate: s.Escalate,
		Promise:  s.Completion.Promise, TrustPromise: s.Completion.TrustPromise,
		Gate: evidence.Rules{Mode: evidence.Mode(s.Proof.Mode), RejectWeakened: s.Tamper == "reject", Runs: proofRuns(s), Strength: s.Proof.Strength,
			RequireChange: s.Completion.RequireChange == "true" || s.Completion.RequireChange == "auto" && len(checks) > 0},
		Notes:          s.Proof.Notes,
		AcceptBaseline: r.flags.AcceptBaseline, ResetCircuit: r.flags.ResetCircuit, CountChanges: r.change().ID != "",
		Template: r.template, Checks: checks,
		Hooks: loop.Hooks{BeforeRun: s.Hooks.BeforeRun, BeforeIteration: s.Hooks.BeforeIteration, AfterIteration: s.Hooks.AfterIteration,
			StoryDone: s.Hooks.StoryDone, AfterRun: s.Hooks.AfterRun, Timeout: s.Hooks.TimeoutSeconds.Duration()},
	}
}

// proofRuns are the settings of the runs that show what a story is worth.
func proofRuns(s *config.Settings) proof.Settings {
	old := proof.Mode(s.Proof.OldTests)
	if s.Tamper == "reject" {
		old = proof.Reject
	}
	return proof.Settings{OldTests: old, NewTests: proof.Mode(s.Proof.NewTests), Budget: s.Proof.BudgetMinutes.Duration(),
		Tests: s.Proof.Tests, Locked: s.Proof.Locked}
}

// duds is after how many agents in a row that ended at once the breaker opens. Who
// asked for more equal errors than that gets them from such agents, too.
func (r *resolved) duds() int {
	const key = "circuit_breaker.same_error_threshold"
	switch asked := r.settings.CircuitBreaker.SameErrorThreshold; {
	case asked == 0:
		return 0
	case r.loaded.IsDefault(key):
		return run.MaxDuds
	default:
		return max(run.MaxDuds, asked)
	}
}

func (r *resolved) checks() []check.Check {
	list := make([]check.Check, 0, len(r.settings.QualityChecks))
	for _, c := range r.settings.QualityChecks {
		timeout := c.TimeoutMinutes.Duration()
		if timeout == 0 {
			timeout = r.settings.Defaults.TimeoutMinutes.Duration()
		}
		list = append(list, check.Check{Name: c.Name, Command: c.Command, When: check.When(c.When), Timeout: timeout, AcceptBaseline: c.AcceptBaseline, Rooms: r.checkRooms})
	}
	return list
}

// checkEnv is the environment of the checks: without the agents' own keys, without what leads
// programs to other code than the project's, and without the run's own variables, unless the
// settings keep them. Without rooms, registries are off in it.
func (r *resolved) checkEnv() []string {
	drop := slices.Concat(r.settings.CheckEnv.Drop, room.Redirects())
	for _, h := range agent.Builtin("ralph") {
		drop = append(drop, h.LoginEnv...)
	}
	env := agent.Without(os.Environ(), drop, r.settings.CheckEnv.Keep)
	if r.checkRooms == nil && !r.settings.Proof.Network {
		env = append(env, agent.Without(room.Offline(), nil, r.settings.CheckEnv.Keep)...)
	}
	return env
}
