// Package launch puts a run together: from the settings, the plan and the place of a unit it
// makes the agents, the limits, the checks, the rooms and the loop. It starts nothing.
package launch

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ralph/internal/agent"
	"ralph/internal/calls"
	"ralph/internal/check"
	"ralph/internal/config"
	"ralph/internal/evidence"
	"ralph/internal/git"
	"ralph/internal/hint"
	"ralph/internal/loop"
	"ralph/internal/plan"
	"ralph/internal/proof"
	"ralph/internal/regular"
	"ralph/internal/room"
	"ralph/internal/run"
	"ralph/internal/unit"
)

// Run holds everything that a run needs before it starts.
type Run struct {
	Home     string // ralph's home folder
	Place    *unit.Place
	Plan     plan.Plan // nil for checks without a run
	Loaded   *config.Loaded
	Agents   []calls.Caller // the run's own first, then the fallbacks; empty if none was chosen
	Reviewer *calls.Caller  // of claims; nil is no review
	Template string
	Source   string             // of the template
	Changes  *[]git.StatusEntry // uncommitted, as preflight saw them; nil before it
	Rooms    *check.Rooms       // nil where nothing is sealed
}

// largeSteps replaces the built-in values for plans with steps larger than a story. A value
// from a file, the environment or a flag counts more.
func largeSteps() map[string]string {
	return map[string]string{
		"defaults.max_iterations":               "10",
		"defaults.timeout_minutes":              "45",
		"circuit_breaker.no_progress_threshold": "2",
	}
}

// Use sets the run's settings, with the defaults for the kind of its plan.
func (r *Run) Use(loaded *config.Loaded) (err error) {
	r.Loaded = loaded
	if r.Plan.About().LargeSteps {
		r.Loaded, err = loaded.WithDefaults(largeSteps())
	}
	return err
}

// Settings returns the settings of the run.
func (r *Run) Settings() *config.Settings { return &r.Loaded.Settings }

// maxTemplate limits the prompt template, in bytes.
const maxTemplate = 8 << 20

// LoadTemplate loads the prompt template: the named one, else the feature's, else the
// built-in one in texts.
func (r *Run) LoadTemplate(texts fs.FS, named string) error {
	root, path, about := r.Place.Repo.Root, named, r.Plan.About()
	if own := filepath.Join(root, about.Prompt); path == "" && about.Prompt != "" {
		if _, err := os.Lstat(own); err == nil {
			path = own
		}
	}
	r.Source = unit.Relative(root, cmp.Or(path, "built-in"))
	var text string
	if path == "" {
		data, err := fs.ReadFile(texts, "templates/"+about.Template)
		if err != nil {
			return errors.New("this build of ralph lacks its prompt templates")
		}
		text = string(data)
	} else {
		var err error
		if text, err = regular.ReadText(path, maxTemplate); err != nil {
			remedy := "replace it with a text file, or remove it"
			if named != "" {
				remedy = "name another file with --prompt, or leave it out"
			}
			return hint.With(fmt.Errorf("the prompt template cannot be read: %s", unit.Relative(root, err.Error())), remedy)
		}
		if strings.TrimSpace(text) == "" {
			return hint.With(fmt.Errorf("the prompt template %s is empty", r.Source), "write what the agent has to do in every iteration, or remove the file")
		}
	}
	r.Template = strings.NewReplacer("{{promise}}", r.Settings().Completion.Promise,
		"{{folder}}", cmp.Or(about.Change.Folder, r.Place.Folder), "{{unit}}", r.Place.Unit).Replace(text)
	return nil
}

// NeverPromises reports whether the run can end only with a promise that the prompt does not
// mention. text is the task. In such a run the agent does not know how to end it.
func (r *Run) NeverPromises(text string) bool {
	return r.Plan.About().Promise && !strings.Contains(r.Template+text, r.Settings().Completion.Promise)
}

// LoopSettings converts the settings to those of the loop.
func (r *Run) LoopSettings() loop.Settings {
	s := r.Settings()
	checks := r.Checks()
	return loop.Settings{
		MaxIterations: s.Defaults.MaxIterations, MinIterations: s.Defaults.MinIterations,
		Limits: agent.Limits{Timeout: s.Defaults.TimeoutMinutes.Duration(), Idle: s.Defaults.IdleTimeoutMinutes.Duration()},
		Pause:  s.Defaults.PauseSeconds.Duration(), Transient: s.Defaults.TransientSeconds.Duration(),
		RateLimit: s.Defaults.RateLimitPerHour, NoProgress: s.CircuitBreaker.NoProgressThreshold, SameError: s.CircuitBreaker.SameErrorThreshold,
		InstantExits: r.instantExits(),
		OnLimit:      s.UsageLimit.Action, AskTimeout: s.UsageLimit.AskTimeoutSeconds.Duration(), MaxWait: s.UsageLimit.MaxWaitHours.Duration(),
		MaxTokens: s.Budget.MaxTokens, MaxCost: s.Budget.MaxCostUSD, MaxTime: s.Budget.MaxTime.Duration(), MaxAccount: s.Budget.MaxAccount,
		Escalate: s.Escalate, OnStuck: s.OnStuck,
		Promise: s.Completion.Promise, TrustPromise: s.Completion.TrustPromise,
		ReviewLimit: s.Review.TimeoutMinutes.Duration(),
		ClaimRules: evidence.Rules{Mode: evidence.Mode(s.Proof.Mode), RejectWeakened: s.Tamper == "reject", Runs: proofRuns(s), Strength: s.Proof.Strength,
			Review: evidence.ReviewRules{
				Require: s.Review.Mode == "require", Most: s.Review.MaxPerStory,
			},
			RequireChange: s.Completion.RequireChange == "true" || s.Completion.RequireChange == "auto" && len(checks) > 0},
		Notes: s.Proof.Notes, CountChanges: r.Plan.About().Change.ID != "",
		Template: r.Template, Checks: checks,
		Hooks: loop.Hooks{BeforeRun: s.Hooks.BeforeRun, BeforeIteration: s.Hooks.BeforeIteration, AfterIteration: s.Hooks.AfterIteration,
			StoryDone: s.Hooks.StoryDone, AfterRun: s.Hooks.AfterRun, Timeout: s.Hooks.TimeoutSeconds.Duration()},
	}
}

// proofRuns are the settings of the runs that show what a story is worth.
func proofRuns(s *config.Settings) proof.Settings {
	old := proof.Strictness(s.Proof.OldTests)
	if s.Tamper == "reject" {
		old = proof.Reject
	}
	return proof.Settings{OldTests: old, NewTests: proof.Strictness(s.Proof.NewTests), Budget: s.Proof.BudgetMinutes.Duration(),
		Tests: s.Proof.Tests, Locked: s.Proof.Locked}
}

// instantExits returns after how many agents in a row that ended at once the breaker opens. A
// user who allows more equal errors than that allows them of such agents too.
func (r *Run) instantExits() int {
	switch asked := r.Settings().CircuitBreaker.SameErrorThreshold; {
	case asked == 0:
		return 0
	case r.Loaded.IsDefault("circuit_breaker.same_error_threshold"):
		return run.MaxInstantExits
	default:
		return max(run.MaxInstantExits, asked)
	}
}

// Checks returns the quality checks of the settings.
func (r *Run) Checks() []check.Check {
	s := r.Settings()
	list := make([]check.Check, 0, len(s.QualityChecks))
	for _, c := range s.QualityChecks {
		timeout := cmp.Or(c.TimeoutMinutes, s.Defaults.TimeoutMinutes).Duration()
		list = append(list, check.Check{Name: c.Name, Command: c.Command, When: check.When(c.When), Timeout: timeout, AcceptBaseline: c.AcceptBaseline, Rooms: r.Rooms})
	}
	return list
}

// CheckEnv returns the environment of the checks. It leaves out the agents' keys, variables
// that lead programs to other code than the project's, and the run's own variables. The
// settings can keep some of them. It turns registries off, unless the settings allow the network.
func (r *Run) CheckEnv() []string {
	s := r.Settings()
	drop := append(room.Redirects(), s.CheckEnv.Drop...)
	for _, h := range agent.Builtin("ralph") {
		drop = append(drop, h.LoginEnv...)
	}
	env := agent.Without(os.Environ(), drop, s.CheckEnv.Keep)
	if !s.Proof.Network {
		env = append(env, agent.Without(room.Offline(), nil, s.CheckEnv.Keep)...)
	}
	return env
}
