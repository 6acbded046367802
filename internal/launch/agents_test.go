package launch

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/agent"
	"ralph/internal/config"
)

// TestCommandOfAKnownHarness: where the program is, how it is started, or the whole call.
func TestCommandOfAKnownHarness(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		command, want []string
	}{
		{"codex", []string{"/opt/codex"}, []string{"/opt/codex", "exec", "--json", "--skip-git-repo-check", "--sandbox", "workspace-write"}},
		{"opencode", []string{"npx", "opencode-ai"}, []string{"npx", "opencode-ai", "run", "--format", "json"}},
		{"codex", []string{"codex", "exec", "--json", "-p", "mine"}, []string{"codex", "exec", "--json", "-p", "mine", "--sandbox", "workspace-write"}},
		{"mine", []string{"my-agent", "--headless"}, []string{"my-agent", "--headless"}},
	} {
		all, err := Harnesses(&config.Settings{Harnesses: []config.Harness{{Name: c.name, Command: c.command}}})
		if err != nil {
			t.Fatal(err)
		}
		h, ok := agent.Find(all, c.name)
		if !ok {
			t.Fatal(c.name)
		}
		if diff := cmp.Diff(c.want, h.Argv(agent.Options{})); diff != "" {
			t.Errorf("%v (-want +got)\n%s", c.command, diff)
		}
	}
}
