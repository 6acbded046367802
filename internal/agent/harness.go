package agent

import (
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"ralph/internal/proc"
	"ralph/internal/stream"
)

// PromptMode names a way to pass the prompt to an agent.
type PromptMode string

// The ways a prompt can reach an agent. Standard input is the rule: one
// argument is limited to 128 KB by Linux.
const (
	PromptStdin PromptMode = "stdin"
	PromptArg   PromptMode = "arg"
	PromptFile  PromptMode = "file" // the path of a file is the last argument
)

// Harness describes one kind of coding agent: how to call it and how to read its output. It is
// data only. No other code depends on a particular agent.
type Harness struct {
	Name         string
	Command      []string // the program and the words that always follow it
	Headless     []string // makes it work unattended and print its event stream
	Prompt       PromptMode
	Output       stream.Format
	ModelFlag    string   // followed by the model's name
	ModelArgs    []string // in place of ModelFlag: arguments with {model} for the name
	ApproveAll   []string // lets the agent do everything without asking
	Careful      []string // used in place of ApproveAll if the user did not allow everything
	InRoom       []string // replaces Careful in a room: switches off the agent's own sandbox
	GitDirFlag   string   // followed by a git directory: lets a careful agent commit
	AllowedTools string   // flag for tools that need no permission; may be empty
	ExpandsRefs  bool     // the CLI itself replaces @path by the file's content
	Gentle       []syscall.Signal
	Env          []string // set for the agent
	DropEnv      []string // removed from its environment; a trailing * matches any ending
	LoginEnv     []string // any of these holds a key or a token
	LoginFiles   []string // below the home directory: files that a login creates
	LoginOrder   string   // which of two logins counts, as a sentence; empty if unknown
	Settings     []string // below the home directory and the worktree: files that say what it may do
	State        []string // below the home directory: what each session writes; folders end in /
	SessionFiles string   // where to find missing tokens: see [Harness.CountFromSession]
	Moved        []Move   // variables that move folders away from the home directory
	AuthStatus   []string // words after Command: it exits with 0 if it is logged in
	EnvFiles     []string // JSON files, below the home directory and the worktree, with a key env
	RootRefuses  bool     // refuses ApproveAll when run as root, unless IS_SANDBOX says otherwise
	Permission   string   // what the user can do when a tool call was denied
	Retries      string   // how the agent itself retries its provider, and the setting for it

	Limits []string // further texts of a usage limit, from the settings
	Errors []string // further texts of a failure, from the settings
}

// askedToStop is the order of signals that ends most agents and their tools.
var askedToStop = []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}

// allowHint is the hint after the agent was denied a tool.
const allowHint = "allow it with claude.allowed_tools in the settings, or run with --dangerously-skip-permissions"

// ReplayWord is the argument that makes this program act as the agent of the harness replay.
const ReplayWord = "__replay"

// PlaysScript reports whether the agent is this program, which then plays a script.
func (h Harness) PlaysScript() bool { return slices.Contains(h.Command, ReplayWord) }

// Builtin returns the built-in harnesses. self is the path of this program, which acts as the
// agent of the harness replay.
func Builtin(self string) []Harness {
	return []Harness{
		{
			Name: "claude", Command: []string{"claude"},
			Headless: []string{"-p", "--output-format", "stream-json", "--verbose"},
			Prompt:   PromptStdin, Output: stream.FormatClaude, ModelFlag: "--model",
			ApproveAll: []string{"--dangerously-skip-permissions"}, AllowedTools: "--allowedTools",
			ExpandsRefs: true, RootRefuses: true, Gentle: askedToStop,
			// A session inside a session refuses to start or shares its parent's
			// state; the watchdog would wait out a usage limit unseen.
			DropEnv:    []string{"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_RETRY_WATCHDOG"},
			Env:        []string{"DISABLE_AUTOUPDATER=1"}, // no session changes the program under the others
			Retries:    "10 times, about 3 minutes, shown as they happen; CLAUDE_CODE_MAX_RETRIES sets how often. A stream that hangs is given up after 5 minutes",
			LoginEnv:   []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"},
			LoginFiles: []string{".claude/.credentials.json"},
			LoginOrder: "Claude Code takes a key of the environment before a subscription's login, and the key is billed by the token",
			State:      []string{".claude/", ".claude.json"},
			Settings:   []string{".claude/settings.json", ".claude/settings.local.json", ".mcp.json"},
			Moved:      []Move{{"CLAUDE_CONFIG_DIR", ".claude"}}, AuthStatus: []string{"auth", "status"},
			EnvFiles:   []string{".claude/settings.json", ".claude/settings.local.json"},
			Permission: allowHint,
		},
		{
			Name: "codex", Command: []string{"codex"},
			Headless: []string{"exec", "--json", "--skip-git-repo-check"},
			Prompt:   PromptStdin, Output: stream.FormatCodex, ModelFlag: "-m",
			ApproveAll: []string{"--dangerously-bypass-approvals-and-sandbox"}, Careful: []string{"--sandbox", "workspace-write"},
			InRoom:     []string{"--sandbox", "danger-full-access"},
			GitDirFlag: "--add-dir",
			Gentle:     askedToStop,
			Retries:    "5 times, within seconds, shown as they happen; request_max_retries and stream_max_retries of the model provider in ~/.codex/config.toml. Without a network it waits for one",
			Permission: "it may write in the worktree only: widen sandbox_mode in ~/.codex/config.toml, or run with --dangerously-skip-permissions",
			LoginEnv:   []string{"OPENAI_API_KEY", "CODEX_API_KEY"}, LoginFiles: []string{".codex/auth.json"},
			LoginOrder: "Codex may take a key of the environment in place of the login, and the key is billed by the token",
			State:      []string{".codex/"}, Settings: []string{".codex/config.toml"},
			SessionFiles: ".codex/sessions//*/*/*/rollout-*{session}.jsonl",
			Moved:        []Move{{"CODEX_HOME", ".codex"}},
		},
		{
			Name: "opencode", Command: []string{"opencode"},
			Headless: []string{"run", "--format", "json"},
			Prompt:   PromptStdin, Output: stream.FormatOpenCode, ModelFlag: "-m", Gentle: askedToStop,
			ApproveAll: []string{"--auto"}, Env: []string{"OPENCODE_DISABLE_AUTOUPDATE=1"},
			Retries:    "for up to 2 minutes, silently; there is no setting for it",
			State:      []string{".local/share/opencode/", ".local/state/opencode/", ".config/opencode/", ".cache/opencode/"},
			Settings:   []string{".config/opencode/opencode.json", "opencode.json"},
			LoginFiles: []string{".local/share/opencode/auth.json"}, Moved: []Move{{"XDG_DATA_HOME", ".local/share"}},
			Permission: "allow it under \"permission\" in opencode.json, or run with --dangerously-skip-permissions",
		},
		{
			Name: "gemini", Command: []string{"gemini"},
			Headless: []string{"--output-format", "stream-json"},
			Prompt:   PromptStdin, Output: stream.FormatGemini, ModelFlag: "-m",
			Permission: "trust the folder and allow it in .gemini/settings.json, or run with --dangerously-skip-permissions",
			ApproveAll: []string{"--approval-mode=yolo", "--skip-trust"}, ExpandsRefs: true, Gentle: askedToStop,
			Retries:  "10 times, for minutes, reported on standard error; general.maxAttempts in ~/.gemini/settings.json",
			LoginEnv: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"}, LoginFiles: []string{".gemini/oauth_creds.json"},
			SessionFiles: ".gemini/tmp//*/chats/session-*-{start}.jsonl",
			State:        []string{".gemini/"}, Settings: []string{".gemini/settings.json"},
		},
		{
			Name: "copilot", Command: []string{"copilot"},
			Headless: []string{"--output-format", "json", "--no-color", "--no-ask-user", "--allow-all-tools"},
			Prompt:   PromptStdin, Output: stream.FormatCopilot, ModelFlag: "--model",
			Permission: "run with --dangerously-skip-permissions: copilot then may use all paths and addresses too",
			ApproveAll: []string{"--allow-all"}, Env: []string{"COPILOT_AUTO_UPDATE=false"}, Gentle: askedToStop,
			Retries:  "5 times, about a minute, shown as they happen; there is no setting for it",
			LoginEnv: []string{"COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_API_KEY"}, LoginFiles: []string{".copilot/config.json"},
			SessionFiles: ".copilot/session-state//{session}/events.jsonl",
			State:        []string{".copilot/", ".cache/copilot/"}, Settings: []string{".copilot/mcp-config.json"},
			LoginOrder: "Copilot takes COPILOT_GITHUB_TOKEN before GH_TOKEN, and that before GITHUB_TOKEN",
		},
		{
			Name: "replay", Command: []string{self, ReplayWord},
			Prompt: PromptStdin, Output: stream.FormatClaude, ModelFlag: "--model", Gentle: askedToStop,
			Permission: "the script denied it", Retries: "never",
		},
	}
}

// Find returns the harness with the given name and whether it exists.
func Find(all []Harness, name string) (Harness, bool) {
	i := slices.IndexFunc(all, func(h Harness) bool { return h.Name == name })
	if i < 0 {
		return Harness{}, false
	}
	return all[i], true
}

// Options are the settings for a call of the agent.
type Options struct {
	Model        string
	ApproveAll   bool
	AllowedTools string
	GitDirs      []string      // git directories that a commit writes to: absolute paths
	Rooms        *RoomSettings // the rooms it runs in; nil: it runs without a room
	Guard        *Guard        // restores files after it; nil: nothing is restored
}

// Argv returns the command line of the agent, without the prompt.
func (h Harness) Argv(o Options) []string {
	argv := slices.Concat(h.Command, h.Headless)
	switch {
	case o.Model == "":
	case len(h.ModelArgs) > 0:
		for _, arg := range h.ModelArgs {
			argv = append(argv, strings.ReplaceAll(arg, "{model}", o.Model))
		}
	case h.ModelFlag != "":
		argv = append(argv, h.ModelFlag, o.Model)
	}
	if o.ApproveAll {
		return append(argv, h.ApproveAll...)
	}
	if o.Rooms != nil && len(h.InRoom) > 0 {
		return append(argv, h.InRoom...)
	}
	argv = append(argv, h.Careful...)
	for _, dir := range o.GitDirs {
		if h.GitDirFlag != "" {
			argv = append(argv, h.GitDirFlag, dir)
		}
	}
	if o.AllowedTools != "" && h.AllowedTools != "" {
		argv = append(argv, h.AllowedTools, o.AllowedTools)
	}
	return argv
}

// Custom returns a harness for an unknown agent: it reads its prompt from standard input and
// prints text.
func Custom(name string) Harness {
	return Harness{Name: name, Prompt: PromptStdin, Output: stream.FormatText, Gentle: askedToStop,
		Permission: "see the agent's own settings"}
}

// DisplayName returns the agent's name for messages: its program, or "harness NAME" if the
// settings name another program. Words after the program are left out: they may hold a key.
func (h Harness) DisplayName() string {
	if filepath.Base(h.Command[0]) == h.Name {
		return h.Command[0]
	}
	return "harness " + h.Name
}

// Present returns a *MissingError if the agent's program is not in the PATH of env. It does not
// check a program that is given as a path.
func (h Harness) Present(env []string) error {
	if _, err := proc.LookPath(h.Command[0], "", env); err != nil {
		return &MissingError{Harness: h.Name, Program: h.Command[0], Err: err}
	}
	return nil
}

// Environ returns the agent's environment: base without the variables in DropEnv, plus Env and
// extra.
func (h Harness) Environ(base, extra []string) []string {
	return slices.Concat(Without(base, h.DropEnv, nil), h.Env, extra)
}

// Without returns a copy of an environment without the variables in drop, except those in keep.
// A trailing * in either list matches any ending.
func Without(env, drop, keep []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		is := func(p string) bool { return matches(p, name) }
		return slices.ContainsFunc(drop, is) && !slices.ContainsFunc(keep, is)
	})
}

func matches(pattern, name string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, prefix)
	}
	return pattern == name
}
