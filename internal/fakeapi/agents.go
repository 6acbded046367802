package fakeapi

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// MoreVar makes tests drive the agents of tests/agents/more too, which are large and slow.
const MoreVar = "RALPH_TEST_AGENTS"

// AgentsVar names the folder of the agents, where it is not tests/agents.
const AgentsVar = "RALPH_AGENTS"

// Agent describes how one of the real agents is made to talk to the fake only.
type Agent struct {
	Name  string
	More  bool   // of tests/agents/more
	Model string // that it must be asked for, where it knows nothing of the fake's otherwise

	binary func(platform string) string // below tests/agents
	env    func(url, home string) []string
	files  map[string]string // settings below the home directory; %s is the fake's address
}

// Agents are all that ralph knows, but for Claude Code; see ClaudeBinary and Env.
func Agents() []Agent {
	return []Agent{
		{
			Name: "codex",
			binary: func(p string) string {
				return "node_modules/@openai/codex-" + p + "/vendor/" + triple() + "/bin/codex"
			},
			env: func(_, _ string) []string { return []string{"FAKE_KEY=sk-fake"} },
			files: map[string]string{".codex/config.toml": `model = "gpt-fake"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "%s/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
supports_websockets = false
`},
		},
		{
			Name: "opencode", More: true,
			binary: func(p string) string {
				if strings.HasSuffix(p, "x64") {
					p += "-baseline" // for processors without newer instructions, too
				}
				return "more/node_modules/opencode-" + p + "/bin/opencode"
			},
			env: func(url, _ string) []string {
				config, _ := json.Marshal(map[string]any{
					"model": "fake/fake-1", "small_model": "fake/fake-1",
					"provider": map[string]any{"fake": map[string]any{"npm": "@ai-sdk/openai-compatible", "name": "fake",
						"options": map[string]any{"baseURL": url + "/v1", "apiKey": "sk-fake"}, "models": map[string]any{"fake-1": map[string]any{"name": "fake-1"}}}},
				})
				return []string{"OPENCODE_CONFIG_CONTENT=" + string(config), "OPENCODE_DISABLE_MODELS_FETCH=1",
					"OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1", "OPENCODE_DISABLE_SHARE=1"}
			},
		},
		{
			Name: "gemini", More: true, Model: "gemini-2.5-pro",
			binary: func(string) string { return "more/node_modules/@google/gemini-cli/bundle/gemini.js" },
			env: func(url, _ string) []string {
				return []string{"GEMINI_API_KEY=fake-key", "GOOGLE_GEMINI_BASE_URL=" + url}
			},
			files: map[string]string{".gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}},
 "general": {"maxAttempts": 1, "disableAutoUpdate": true}, "privacy": {"usageStatisticsEnabled": false}}`},
		},
		{
			Name: "copilot", More: true,
			binary: func(p string) string { return "more/node_modules/@github/copilot-" + p + "/copilot" },
			env: func(url, _ string) []string {
				return []string{"COPILOT_PROVIDER_BASE_URL=" + url + "/v1", "COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_API_KEY=sk-fake",
					"COPILOT_MODEL=gpt-5.4", "COPILOT_OFFLINE=true"}
			},
		},
	}
}

// Binary returns the path of the agent that tests/agents/install has installed; ok is
// false where it has not.
func (a Agent) Binary() (path string, ok bool) { return installed(a.binary(platform())) }

// Env puts the agent's settings below home and returns an environment in which it
// talks to the fake at url, and works with the git identity of a test. Of the
// test's own environment only PATH and the like are kept.
func (a Agent) Env(url, home string) ([]string, error) {
	for name, text := range a.files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if strings.Contains(text, "%s") {
			text = fmt.Sprintf(text, url)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	return append(base(home), a.env(url, home)...), nil
}

// platform is this system in the words of the agents' packages.
func platform() string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return runtime.GOOS + "-" + arch
}

// triple is this system in the words of Codex's own folders.
func triple() string {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	if runtime.GOOS == "darwin" {
		return arch + "-apple-darwin"
	}
	return arch + "-unknown-linux-musl"
}

// installed finds a file below the folder of the agents.
func installed(name string) (path string, ok bool) {
	if dir := os.Getenv(AgentsVar); dir != "" {
		path = filepath.Join(dir, name)
		return path, isFile(path)
	}
	return below(filepath.Join("tests/agents", name))
}

// below finds a file of this checkout. The working directory is below its root.
func below(name string) (path string, ok bool) {
	dir, err := os.Getwd()
	for err == nil {
		if path = filepath.Join(dir, name); isFile(path) {
			return path, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return "", false
}
