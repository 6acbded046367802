package importer

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"gopkg.in/yaml.v3"

	"ralph/internal/config"
)

// Settings holds the settings of another tool in ralph's terms.
type Settings struct {
	From string
	Set  []Setting // in the order of ralph's settings page
	Lost []string
}

// Setting is one value for ralph's config.yaml: the path of its key, such as
// defaults.max_iterations, and its YAML.
type Setting struct{ Key, Value string }

// personal are the settings that widen what an agent may do. They count in the user's own
// file only.
var personal = []string{"claude.command", "claude.allowed_tools", "claude.dangerously_skip_permissions", "sandbox.mode"}

// rule says what becomes of a foreign key. To is the key of ralph, Convert changes the
// value and reports whether it has an equivalent (nil: a number without a sign); Why is the
// reason where To is empty.
type rule struct {
	to      string
	convert func(string) (string, bool)
	why     string
}

// tool is one other loop tool with its settings file.
type tool struct {
	name  string
	files []string // from the worktree's root
	read  func([]byte) (map[string]any, error)
	marks []string // top-level keys that only this tool has, for a config.yaml of unknown origin
	rules map[string]rule
}

func tools() []tool {
	return []tool{
		{name: "ralph-hybrid", files: []string{".ralph-hybrid/config.yaml"}, read: readYAML,
			marks: []string{"profiles", "profile", "git", "archive", "display", "logging", "callbacks", "memory", "successCriteria", "mcp"},
			rules: map[string]rule{
				"defaults.max_iterations":               {to: "defaults.max_iterations"},
				"defaults.timeout_minutes":              {to: "defaults.timeout_minutes"},
				"defaults.rate_limit_per_hour":          {to: "defaults.rate_limit_per_hour"},
				"max_iterations":                        {to: "defaults.max_iterations"},
				"circuit_breaker.no_progress_threshold": {to: "circuit_breaker.no_progress_threshold"},
				"circuit_breaker.same_error_threshold":  {to: "circuit_breaker.same_error_threshold"},
				"completion.promise":                    {to: "completion.promise", convert: quoted},
				"claude.dangerously_skip_permissions":   {to: "claude.dangerously_skip_permissions", convert: boolean},
				"claude.allowed_tools":                  {to: "claude.allowed_tools", convert: quoted},
				"successCriteria.command":               {to: "quality_checks.tests", convert: quoted},
				"defaults.prompt_template":              {why: "name a prompt with --prompt"},
				"profiles":                              {why: "name a model with --model, or per story with **Model:**"},
				"profile":                               {why: "name a model with --model, or per story with **Model:**"},
				"defaults.profile":                      {why: "name a model with --model"},
				"archive":                               {why: "a finished feature is archived below .ralph/archive"},
				"callbacks":                             {why: "use hooks in your own ~/.ralph/config.yaml"},
				"display":                               {why: "see --color and the dashboard"},
				"logging":                               {why: "every iteration has a log"},
				"memory":                                {why: "progress.txt is the memory between iterations"},
				"git":                                   {why: "the branch is the one that is checked out"},
				"tmux":                                  {why: "use ralph run --monitor"},
				"completion.consecutive_done_signals":   {why: "done is decided by checks, not by signals"},
				"completion.consecutive_test_loops":     {why: "done is decided by checks, not by signals"},
				"successCriteria.timeout":               {why: "use quality_checks.tests.timeout_minutes"},
			}},
		{name: "ralph-claude-code", files: []string{".ralphrc"}, read: readShell,
			rules: map[string]rule{
				"MAX_CALLS_PER_HOUR":          {to: "defaults.rate_limit_per_hour"},
				"CLAUDE_TIMEOUT_MINUTES":      {to: "defaults.timeout_minutes"},
				"ALLOWED_TOOLS":               {to: "claude.allowed_tools", convert: quoted},
				"CB_NO_PROGRESS_THRESHOLD":    {to: "circuit_breaker.no_progress_threshold"},
				"CB_SAME_ERROR_THRESHOLD":     {to: "circuit_breaker.same_error_threshold"},
				"CLAUDE_CODE_CMD":             {to: "claude.command", convert: quoted},
				"SANDBOX_PROVIDER":            {why: "agents and checks run in a room of bubblewrap (sandbox.mode)"},
				"SESSION_CONTINUITY":          {why: "every iteration has a fresh context"},
				"SESSION_EXPIRY_HOURS":        {why: "every iteration has a fresh context"},
				"CB_COOLDOWN_MINUTES":         {why: "an open breaker stays open until something changes, or --reset-circuit"},
				"CB_AUTO_RESET":               {why: "use --reset-circuit"},
				"CB_OUTPUT_DECLINE_THRESHOLD": {why: "the breaker counts progress and errors"},
				"TASK_SOURCES":                {why: "use ralph import"},
				"GITHUB_TASK_LABEL":           {why: "use ralph import label:NAME"},
				"RALPH_VERBOSE":               {why: "use --verbose"},
			}},
		{name: "ralph-tui", files: []string{".ralph-tui/config.toml"}, read: readTOML,
			rules: map[string]rule{
				"maxIterations":         {to: "defaults.max_iterations"},
				"iterationDelay":        {to: "defaults.pause_seconds", convert: milliseconds},
				"agent":                 {to: "harness", convert: harness},
				"defaultAgent":          {to: "harness", convert: harness},
				"model":                 {to: "model", convert: quoted},
				"sandbox.enabled":       {to: "sandbox.mode", convert: sandbox},
				"fallbackAgents":        {to: "fallback", convert: harnesses},
				"notifications.enabled": {to: "notify.desktop", convert: boolean},
				"prompt_template":       {why: "name a prompt with --prompt"},
				"tracker":               {why: "use ralph import"},
				"defaultTracker":        {why: "use ralph import"},
				"autoCommit":            {why: "the agent commits"},
				"parallel":              {why: "one loop works in one worktree; start more in worktrees of their own"},
			}},
		{name: "ralph-orchestrator", files: []string{"ralph.yml", "ralph.yaml"}, read: readYAML,
			marks: []string{"event_loop", "cli", "hats", "core", "backpressure"},
			rules: map[string]rule{
				"event_loop.max_iterations":           {to: "defaults.max_iterations"},
				"event_loop.max_runtime_seconds":      {to: "budget.max_time", convert: seconds},
				"event_loop.max_cost_usd":             {to: "budget.max_cost_usd"},
				"event_loop.completion_promise":       {to: "completion.promise", convert: promise},
				"event_loop.max_consecutive_failures": {to: "circuit_breaker.same_error_threshold"},
				"event_loop.cooldown_delay_seconds":   {to: "defaults.pause_seconds"},
				"event_loop.prompt_file":              {why: "use ralph run \"$(cat FILE)\""},
				"max_iterations":                      {to: "defaults.max_iterations"},
				"max_runtime":                         {to: "budget.max_time", convert: seconds},
				"max_cost":                            {to: "budget.max_cost_usd"},
				"completion_promise":                  {to: "completion.promise", convert: promise},
				"agent":                               {to: "harness", convert: harness},
				"cli.backend":                         {to: "harness", convert: harness},
				"event_loop.idle_timeout_secs":        {to: "defaults.idle_timeout_minutes", convert: minutes},
				"cli.idle_timeout_secs":               {to: "defaults.idle_timeout_minutes", convert: minutes},
				"hats":                                {why: "one agent works on one story; a second agent can review it (review)"},
				"core":                                {why: "keep specifications in specs/ of the feature folder"},
				"hooks":                               {why: "use hooks in your own ~/.ralph/config.yaml"},
			}},
	}
}

// FindSettings finds the settings file of another tool below root, and returns its path from
// there. The error is a *NoSourceError unless exactly one was found.
func FindSettings(root string) (string, error) {
	var found []string
	for _, t := range tools() {
		for _, file := range t.files {
			if _, err := os.Stat(filepath.Join(root, file)); err == nil {
				found = append(found, file)
			}
		}
	}
	if len(found) != 1 {
		return "", &NoSourceError{found}
	}
	return found[0], nil
}

// foreignTool identifies another tool by the top-level keys of its config.yaml, and returns its
// name or "".
func foreignTool(keys []string) string {
	for _, t := range tools() {
		for _, key := range keys {
			if slices.Contains(t.marks, key) {
				return t.name
			}
		}
	}
	return ""
}

// ForeignFile identifies another tool by its settings file, and returns its name or "".
func ForeignFile(path string) string {
	data, err := readFile(path)
	if err != nil {
		return ""
	}
	tree, err := readYAML(data)
	if err != nil {
		return ""
	}
	return foreignTool(slices.Collect(maps.Keys(tree)))
}

// ReadSettings translates a settings file of another tool; path is as the user named it.
func ReadSettings(path string) (*Settings, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	for _, t := range tools() {
		match := slices.ContainsFunc(t.files, func(f string) bool { return filepath.Base(f) == filepath.Base(path) })
		if !match {
			continue
		}
		tree, err := t.read(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if own := foreignTool(slices.Collect(maps.Keys(tree))); own != "" && own != t.name {
			continue
		}
		return t.translate(path, tree), nil
	}
	return nil, fmt.Errorf("%s is not a settings file of a tool that ralph knows (config.yaml of ralph-hybrid, .ralphrc, config.toml of ralph-tui, ralph.yml)", path)
}

func (t tool) translate(path string, tree map[string]any) *Settings {
	s := &Settings{From: fmt.Sprintf("%s (%s)", path, t.name)}
	flat := map[string]any{}
	t.flatten("", tree, flat)
	for _, key := range slices.Sorted(maps.Keys(flat)) {
		s.add(key, t.rules[key], fmt.Sprint(flat[key]))
	}
	return s
}

// flatten joins the keys of nested maps with dots, down to a key that has a rule.
func (t tool) flatten(prefix string, tree, into map[string]any) {
	for key, value := range tree {
		key = prefix + key
		_, ruled := t.rules[key]
		if nested, ok := value.(map[string]any); ok && !ruled {
			t.flatten(key+".", nested, into)
			continue
		}
		if list, ok := value.([]any); ok {
			var words []string
			for _, v := range list {
				words = append(words, strings.TrimSpace(fmt.Sprint(v)))
			}
			value = strings.Join(words, ",")
		}
		into[key] = value
	}
}

func (s *Settings) add(key string, r rule, was string) {
	switch {
	case r.why != "":
		s.Lost = append(s.Lost, key+": "+r.why)
		return
	case r.to == "":
		s.Lost = append(s.Lost, key+": no equivalent")
		return
	}
	if r.convert == nil {
		r.convert = amount
	}
	value, ok := r.convert(was)
	if !ok {
		s.Lost = append(s.Lost, fmt.Sprintf("%s: %q has no equivalent", key, was))
		return
	}
	if err := config.CheckValue(r.to, value); err != nil {
		s.Lost = append(s.Lost, fmt.Sprintf("%s: %v", key, err))
		return
	}
	if slices.Contains(personal, r.to) {
		s.Lost = append(s.Lost, fmt.Sprintf("%s: a project cannot set %s; put it into your own ~/.ralph/config.yaml: %s", key, r.to, value))
		return
	}
	if slices.ContainsFunc(s.Set, func(o Setting) bool { return o.Key == r.to }) {
		s.Lost = append(s.Lost, key+": "+r.to+" is set already")
		return
	}
	s.Set = append(s.Set, Setting{r.to, value})
}

// YAML returns the settings as a config.yaml.
func (s *Settings) YAML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Translated from %s.\n", s.From)
	sections := map[string][]Setting{}
	for _, v := range s.Set {
		section, _, _ := strings.Cut(v.Key, ".")
		sections[section] = append(sections[section], v)
	}
	for _, section := range slices.Sorted(maps.Keys(sections)) {
		values := sections[section]
		if values[0].Key == section {
			fmt.Fprintf(&b, "%s: %s\n", section, values[0].Value)
			continue
		}
		fmt.Fprintf(&b, "%s:\n", section)
		for _, v := range values {
			fmt.Fprintf(&b, "  %s: %s\n", strings.TrimPrefix(v.Key, section+"."), v.Value)
		}
	}
	return b.String()
}

func readYAML(data []byte) (map[string]any, error) {
	tree := map[string]any{}
	return tree, yaml.Unmarshal(data, &tree)
}

func readTOML(data []byte) (map[string]any, error) {
	tree := map[string]any{}
	return tree, toml.Unmarshal(data, &tree)
}

var assignment = regexp.MustCompile(`^(?:export\s+)?([A-Z][A-Z0-9_]*)=(.*)$`)

// readShell reads the plain assignments of a shell file. It runs nothing: a value that
// the shell would compute is its default, or left out.
func readShell(data []byte) (map[string]any, error) {
	tree := map[string]any{}
	for line := range strings.SplitSeq(string(data), "\n") {
		m := assignment.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		value := strings.TrimSpace(m[2])
		switch quote := value[:min(1, len(value))]; {
		case quote == `"` || quote == "'":
			if end := strings.Index(value[1:], quote); end >= 0 {
				value = value[1 : 1+end]
			}
		default:
			value, _, _ = strings.Cut(value, " #")
		}
		if d := shellDefault.FindStringSubmatch(value); d != nil {
			value = d[1]
		}
		tree[m[1]] = strings.TrimSpace(value)
	}
	return tree, nil
}

var shellDefault = regexp.MustCompile(`^\$\{[A-Z0-9_]+:-(.*)\}$`)

func quoted(v string) (string, bool) {
	return strconv.Quote(v), v != "" && !strings.Contains(v, "$(")
}

// promise wraps a bare word: ralph looks for a tag.
func promise(v string) (string, bool) {
	if !strings.Contains(v, "<") {
		v = "<promise>" + v + "</promise>"
	}
	return quoted(v)
}

var plainNumber = regexp.MustCompile(`^\d+(\.\d+)?$`)

func amount(v string) (string, bool)  { return v, plainNumber.MatchString(v) }
func boolean(v string) (string, bool) { return v, v == "true" || v == "false" }

func harness(v string) (string, bool) {
	return v, slices.Contains([]string{"claude", "codex", "opencode", "gemini", "copilot"}, v)
}

func harnesses(v string) (string, bool) {
	for name := range strings.SplitSeq(v, ",") {
		if _, ok := harness(name); !ok {
			return "", false
		}
	}
	return "[" + strings.ReplaceAll(v, ",", ", ") + "]", v != ""
}

func sandbox(v string) (string, bool) {
	if v == "true" {
		return "require", true
	}
	return "off", v == "false"
}

func milliseconds(v string) (string, bool) { return divided(v, 1000, "") }
func minutes(v string) (string, bool)      { return divided(v, 60, "") }
func seconds(v string) (string, bool)      { return divided(v, 1, "s") }

func divided(v string, by float64, unit string) (string, bool) {
	f, err := strconv.ParseFloat(v, 64)
	return strconv.FormatFloat(f/by, 'g', 6, 64) + unit, err == nil && f > 0
}
