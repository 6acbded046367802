package launch

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"ralph/internal/agent"
	"ralph/internal/calls"
	"ralph/internal/config"
	"ralph/internal/git"
	"ralph/internal/hint"
	"ralph/internal/replay"
	"ralph/internal/stream"
)

// Harnesses returns the built-in harnesses with the changes of the settings, and those that
// the settings add. With nil settings it returns the built-in ones.
func Harnesses(s *config.Settings) ([]agent.Harness, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("ralph cannot find its own program: %w", err)
	}
	all := agent.Builtin(exe)
	if s == nil {
		return all, nil
	}
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
	return all, nil
}

func customise(h *agent.Harness, c config.Harness) {
	if len(c.Command) > 0 {
		// A command with the first argument for unattended work is the whole call. Any other
		// one is a way to start the program.
		if len(h.Headless) == 0 || slices.Contains(c.Command[1:], h.Headless[0]) {
			h.Headless = nil
		}
		h.Command = c.Command
	}
	if c.Prompt != "" {
		h.Prompt = agent.PromptMode(c.Prompt)
	}
	if c.Output != "" {
		h.Output = stream.Format(c.Output)
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

// Formats returns a function that finds the output format of a harness.
func Formats(s *config.Settings) func(harness string) stream.Format {
	all, _ := Harnesses(s) // without them there is only text
	return func(harness string) stream.Format {
		if h, ok := agent.Find(all, harness); ok {
			return h.Output
		}
		return stream.FormatText
	}
}

// Named finds the harness with that name. If it does not exist, the error lists the known
// names.
func Named(all []agent.Harness, name string) (agent.Harness, error) {
	h, ok := agent.Find(all, name)
	if ok {
		return h, nil
	}
	var names []string
	for _, h := range all {
		names = append(names, h.Name)
	}
	return h, hint.With(fmt.Errorf("there is no harness %q", name), "known are: "+strings.Join(names, ", "))
}

// Caller combines a harness with the options of the settings. repo is nil outside of a
// repository.
func Caller(h agent.Harness, s *config.Settings, repo *git.Repo) calls.Caller {
	o := agent.Options{Model: s.ModelOf(h.Name), ApproveAll: s.Claude.DangerouslySkipPermissions, AllowedTools: s.Claude.AllowedTools}
	if repo != nil { // what a commit in the worktree is written to
		o.GitDirs = slices.Compact([]string{repo.CommonDir, repo.GitDir})
	}
	return calls.Caller{Harness: h, Options: o}
}

// ChooseAgents finds the agent of the settings and its fallbacks.
func (r *Run) ChooseAgents() error {
	s := r.Settings()
	all, err := Harnesses(s)
	if err != nil {
		return err
	}
	for i, name := range append([]string{s.Harness}, s.Fallback...) {
		if i > 0 && name == s.Harness {
			continue // a flag chose it
		}
		h, err := Named(all, name)
		if err != nil && i > 0 {
			err = fmt.Errorf("fallback: %w", err)
		}
		if err != nil {
			return err
		}
		r.Agents = append(r.Agents, Caller(h, s, r.Place.Repo))
	}
	return r.chooseReviewer(all)
}

// chooseReviewer finds the agent that reviews claims. It may read, and no more until it is
// sealed.
func (r *Run) chooseReviewer(all []agent.Harness) error {
	s := r.Settings()
	if s.Review.Harness == "" {
		return nil
	}
	h, err := Named(all, s.Review.Harness)
	if err != nil {
		return fmt.Errorf("review: %w", err)
	}
	model := cmp.Or(s.Review.Model, s.ModelOf(h.Name))
	o := agent.Options{Model: model, AllowedTools: "Read"}
	r.Reviewer = &calls.Caller{Harness: h, Options: o}
	return nil
}

// Agent returns the run's own agent.
func (r *Run) Agent() *calls.Caller { return &r.Agents[0] }

// Paid returns all agents that the run may call, including the reviewer.
func (r *Run) Paid() []calls.Caller {
	if r.Reviewer == nil {
		return r.Agents
	}
	return append(slices.Clone(r.Agents), *r.Reviewer)
}

// ScriptFault returns an error if the agent replays a script and the script is not valid.
func (r *Run) ScriptFault(h agent.Harness) error {
	if !h.PlaysScript() {
		return nil
	}
	if err := replay.Lint(r.Place.Repo.Root, os.Environ()); err != nil {
		return fmt.Errorf("Agent '%s' cannot play its script: %w", h.Name, err)
	}
	return nil
}

// Unmeasured checks whether a limit or a setting of the run cannot work with the agent. fault
// describes it, and remedy an alternative; both are empty if all work.
func (r *Run) Unmeasured(h agent.Harness) (fault, remedy string) {
	if len(r.Settings().Escalate) > 0 && h.Name == r.Agent().Harness.Name && h.ModelFlag == "" && len(h.ModelArgs) == 0 {
		return fmt.Sprintf("the setting escalate cannot work: ralph does not know how agent '%s' takes a model", h.Name),
			fmt.Sprintf("set harnesses.%s.model_args, such as [--model, \"{model}\"]", h.Name)
	}
	b := r.Settings().Budget
	isIt := func(c calls.Caller) bool { return c.Harness.Name == h.Name }
	if !slices.ContainsFunc(r.Agents, isIt) {
		b.MaxAccount = 0 // it reviews, and has an account of its own
	}
	return UnmeasuredBudget(h, r.Loaded, b)
}

// UnmeasuredBudget checks whether a budget needs data that the agent does not report. fault
// describes such a budget, and remedy an alternative; both are empty if all budgets work.
func UnmeasuredBudget(h agent.Harness, loaded *config.Loaded, b config.Budget) (fault, remedy string) {
	cannot := func(key, what string) string {
		name := "the setting " + key
		if flag := loaded.Origin(key).Name; strings.HasPrefix(flag, "--") {
			name = flag
		}
		return fmt.Sprintf("%s cannot work: agent '%s' %s", name, h.Name, what)
	}
	switch {
	case b.MaxAccount > 0 && !h.Output.ReportsAccount():
		return cannot("budget.max_account", "does not report how much of its account is used"), "limit the run with --max-time or --until"
	case b.MaxTokens > 0 && !h.ReportsTokens():
		return cannot("budget.max_tokens", "does not report tokens"), "limit the run with --max-iterations or --max-time"
	case b.MaxCostUSD > 0 && !h.Output.ReportsCost() && h.ReportsTokens():
		return cannot("budget.max_cost_usd", "does not report its cost"), "limit its tokens with --max-tokens N"
	case b.MaxCostUSD > 0 && !h.Output.ReportsCost():
		return cannot("budget.max_cost_usd", "does not report its cost"), "limit the run with --max-iterations or --max-time"
	}
	return "", ""
}
