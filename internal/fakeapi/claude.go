package fakeapi

import (
	"os"
	"strings"
)

// ClaudeVar names the CLI's binary where the pinned one is not to be used.
const ClaudeVar = "RALPH_TEST_CLAUDE"

// ClaudeBinary returns the path of the real Claude Code CLI: the value of ClaudeVar, else
// the one that tests/agents/install has put into this checkout. Without one ok is false, and
// tests that need it are skipped.
func ClaudeBinary() (path string, ok bool) {
	if path = os.Getenv(ClaudeVar); path != "" {
		return path, isFile(path)
	}
	return installed("node_modules/@anthropic-ai/claude-code-" + platform() + "/claude")
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Env returns an environment in which the CLI talks only to the fake at url: a fresh home, a
// fake key, one retry. It keeps only PATH and similar variables of the test's environment;
// extra comes last.
func Env(url, home string, extra ...string) []string {
	env := append(base(home),
		"ANTHROPIC_BASE_URL="+url,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"CLAUDE_CODE_MAX_RETRIES=1",
		"DISABLE_AUTOUPDATER=1",
		"DISABLE_TELEMETRY=1",
		"DISABLE_ERROR_REPORTING=1",
		"IS_SANDBOX=1", // root may not skip permissions without it
	)
	token := false
	for _, v := range extra {
		token = token || strings.HasPrefix(v, "CLAUDE_CODE_OAUTH_TOKEN=")
	}
	if !token { // with both, the key would win
		env = append(env, "ANTHROPIC_API_KEY=sk-ant-fake-key")
	}
	return append(env, extra...)
}

// base is what every agent gets: a fresh home, a git identity, and of the test's own
// environment what no program can do without.
func base(home string) []string {
	env := []string{
		"HOME=" + home,
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=Test", "GIT_AUTHOR_EMAIL=test@example.invalid",
		"GIT_COMMITTER_NAME=Test", "GIT_COMMITTER_EMAIL=test@example.invalid",
	}
	for _, name := range []string{"PATH", "TMPDIR", "LANG", "LC_ALL", "USER", "SHELL"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// OAuthToken is a variable for Env's extra: the CLI then works as with a
// subscription, which alone knows usage limits.
const OAuthToken = "CLAUDE_CODE_OAUTH_TOKEN=sk-ant-oat01-fake-token"
