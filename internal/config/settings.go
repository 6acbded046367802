// Package config reads ralph's settings: strictly, layer by layer, with the
// place that each value comes from. The struct Settings and its tags are the
// only list of keys; the errors, the variables of the environment, the listing
// and the JSON schema are derived from it.
package config

import "slices"

// Settings is what has been decided by all layers together.
//
// The tags: yaml is the key; min, max, above (exclusive) and enum bound a value;
// nonempty forbids an empty one; format is "regexp", "glob" or "absolute" (a path);
// short names the field that a scalar in place of the section sets.
//
// yours:"true" marks keys that a project's file cannot set by itself, because
// they decide what programs may do in the user's name: the permissions and the
// program of an agent, the program that notifies, what the checks see of the
// environment, what opens a room. Where tighter gives the values of a key from the widest to
// the tightest, a project's file can only move to the right; lists with adds:"true" grow from
// file to file. The commands of quality_checks are not among them: running the
// project's own tests is what the user has asked for.
type Settings struct {
	Defaults          Defaults       `yaml:"defaults"`
	CircuitBreaker    CircuitBreaker `yaml:"circuit_breaker"`
	Budget            Budget         `yaml:"budget"`
	OnStuck           string         `yaml:"on_stuck" enum:"stop|park"`
	Completion        Completion     `yaml:"completion"`
	QualityChecks     []QualityCheck `yaml:"quality_checks"` // in the order of the files
	CheckEnv          CheckEnv       `yaml:"check_env"`
	Proof             Proof          `yaml:"proof"`
	Sandbox           Sandbox        `yaml:"sandbox" short:"Mode"`
	Review            Review         `yaml:"review"`
	Tamper            string         `yaml:"tamper" enum:"warn|reject"`
	ProtectedBranches []string       `yaml:"protected_branches"`
	Harness           string         `yaml:"harness" nonempty:"true"`
	Model             string         `yaml:"model"`    // of Harness; see ModelOf
	Escalate          []string       `yaml:"escalate"` // models of Harness, the weakest first
	Fallback          []string       `yaml:"fallback"`
	Claude            Claude         `yaml:"claude"`
	Harnesses         []Harness      `yaml:"harnesses" yours:"true"`
	UsageLimit        UsageLimit     `yaml:"usage_limit"`
	KeepAwake         bool           `yaml:"keep_awake"`
	Notify            Notify         `yaml:"notify"`
	Hooks             Hooks          `yaml:"hooks"`
	Start             Start          `yaml:"start"`
	TrustedProjects   []string       `yaml:"trusted_projects" format:"absolute" yours:"true"`
}

// Defaults are the limits of a run and of its iterations.
type Defaults struct {
	MaxIterations      int     `yaml:"max_iterations" min:"1"`
	MinIterations      int     `yaml:"min_iterations" min:"1"`
	TimeoutMinutes     Minutes `yaml:"timeout_minutes" above:"0"`
	IdleTimeoutMinutes Minutes `yaml:"idle_timeout_minutes" min:"0"` // 0 is off
	RateLimitPerHour   int     `yaml:"rate_limit_per_hour" min:"0"`  // 0 is off
	PauseSeconds       Seconds `yaml:"pause_seconds" min:"0"`
	TransientSeconds   Seconds `yaml:"transient_seconds" above:"0"`
}

// CircuitBreaker holds the thresholds of package breaker; 0 is off.
type CircuitBreaker struct {
	NoProgressThreshold int `yaml:"no_progress_threshold" min:"0"`
	SameErrorThreshold  int `yaml:"same_error_threshold" min:"0"`
}

// Budget bounds what a run may use up; 0 is no bound.
type Budget struct {
	MaxTokens  int64   `yaml:"max_tokens" min:"0"` // input and output, without cache
	MaxCostUSD float64 `yaml:"max_cost_usd" min:"0"`
	MaxTime    Span    `yaml:"max_time" min:"0"`              // of the run, waits included
	MaxAccount float64 `yaml:"max_account" min:"0" max:"100"` // percent of the provider's window
}

// Completion decides which claims of an agent to be done are accepted.
type Completion struct {
	Promise       string `yaml:"promise" nonempty:"true"`
	TrustPromise  bool   `yaml:"trust_promise"`
	RequireChange string `yaml:"require_change" enum:"auto|true|false"`
}

// QualityCheck is one quality check.
type QualityCheck struct {
	Name           string  `yaml:"-" short:"Command"`
	Command        string  `yaml:"command" nonempty:"true"`
	When           string  `yaml:"when" enum:"claim|every|end"` // "claim" where the files are silent
	TimeoutMinutes Minutes `yaml:"timeout_minutes" min:"0"`     // 0 is the iteration's
	AcceptBaseline bool    `yaml:"accept_baseline"`
}

// CheckEnv says which variables of the environment the checks get. Both lists
// hold names or patterns such as AWS_*; Keep is stronger.
type CheckEnv struct {
	Drop []string `yaml:"drop"`
	Keep []string `yaml:"keep" yours:"true"`
}

// Proof says where the checks prove that work is done.
type Proof struct {
	Mode          string   `yaml:"mode" enum:"auto|clean|inplace|off"`
	Notes         bool     `yaml:"notes"`
	OldTests      string   `yaml:"old_tests" enum:"off|warn|reject"`
	NewTests      string   `yaml:"new_tests" enum:"off|warn|reject|require"`
	Strength      float64  `yaml:"strength" min:"0" max:"1"` // the share of hunks that must be held
	BudgetMinutes Minutes  `yaml:"budget_minutes" min:"0"`   // 0 turns strength off
	Tests         []string `yaml:"tests" format:"glob"`
	Locked        []string `yaml:"locked" format:"glob"`
	Prepare       []string `yaml:"prepare" yours:"true"` // lines for sh
	Borrow        []string `yaml:"borrow" yours:"true"`  // from the worktree's root
	Network       bool     `yaml:"network" yours:"true"`
}

// Review says which agent reviews claims, and what its verdict means.
type Review struct {
	Harness        string  `yaml:"harness"` // empty is no review
	Model          string  `yaml:"model"`   // empty is the harness's own
	When           string  `yaml:"when" enum:"claim"`
	Mode           string  `yaml:"mode" enum:"warn|require"`
	MaxPerStory    int     `yaml:"max_per_story" min:"1"`
	TimeoutMinutes Minutes `yaml:"timeout_minutes" above:"0"`
}

// Sandbox says what the rooms of agents and checks are like. A leading ~/ in a path is the
// home folder.
type Sandbox struct {
	Mode  string   `yaml:"mode" enum:"auto|off|require" tighter:"off|auto|require"`
	Read  []string `yaml:"read" yours:"true"`
	Write []string `yaml:"write" yours:"true"`
	Hide  []string `yaml:"hide" adds:"true"`
}

// Claude is how the harness claude is called.
type Claude struct {
	Command                    Command `yaml:"command" nonempty:"true" yours:"true"`
	Model                      string  `yaml:"model"`
	DangerouslySkipPermissions bool    `yaml:"dangerously_skip_permissions" yours:"true"`
	AllowedTools               string  `yaml:"allowed_tools" yours:"true"`
}

// Harness is an agent that the files name: a new one, or what is different for
// a known one. Empty fields mean what is known of that harness.
type Harness struct {
	Name                string            `yaml:"-" short:"Command"`
	Command             Command           `yaml:"command" nonempty:"true"`
	Prompt              string            `yaml:"prompt" enum:"stdin|arg|file"`
	Output              string            `yaml:"output" enum:"text|claude|codex|opencode|gemini|copilot"`
	Model               string            `yaml:"model"`
	ModelArgs           []string          `yaml:"model_args"` // with {model} for the model
	SkipPermissionsArgs []string          `yaml:"skip_permissions_args"`
	Env                 map[string]string `yaml:"env"`
	LimitPatterns       []string          `yaml:"limit_patterns" format:"regexp"`
	ErrorPatterns       []string          `yaml:"error_patterns" format:"regexp"`
}

// UsageLimit says what to do at the provider's usage limit.
type UsageLimit struct {
	Action            string  `yaml:"action" enum:"ask|wait|exit"`
	AskTimeoutSeconds Seconds `yaml:"ask_timeout_seconds" min:"0"`
	MaxWaitHours      Hours   `yaml:"max_wait_hours" min:"0"`
}

// Notify says how the user is notified of the end of a run.
type Notify struct {
	Command Command `yaml:"command" yours:"true"`
	Desktop bool    `yaml:"desktop"`
}

// Hooks are commands around a run: lines for sh.
type Hooks struct {
	BeforeRun       string  `yaml:"before_run" yours:"true"`
	BeforeIteration string  `yaml:"before_iteration" yours:"true"`
	AfterIteration  string  `yaml:"after_iteration" yours:"true"`
	StoryDone       string  `yaml:"story_done" yours:"true"`
	AfterRun        string  `yaml:"after_run" yours:"true"`
	TimeoutSeconds  Seconds `yaml:"timeout_seconds" above:"0"`
}

// Start says where "ralph start" puts the loop.
type Start struct {
	Terminal   string `yaml:"terminal" enum:"auto|tmux|window|none"`
	Fullscreen bool   `yaml:"fullscreen"`
}

// ModelOf returns the model to ask a harness for, "" for the harness's own
// choice. The key model is about the chosen harness, not about its fallbacks.
func (s *Settings) ModelOf(harness string) string {
	if harness == s.Harness && s.Model != "" {
		return s.Model
	}
	i := slices.IndexFunc(s.Harnesses, func(h Harness) bool { return h.Name == harness })
	if i >= 0 && s.Harnesses[i].Model != "" {
		return s.Harnesses[i].Model
	}
	if harness == "claude" {
		return s.Claude.Model
	}
	return ""
}
