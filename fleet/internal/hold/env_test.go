package hold

import (
	"slices"
	"testing"
)

func TestEnviron(t *testing.T) {
	t.Setenv("TEMPORAL_API_KEY", "secret")
	t.Setenv("ANTHROPIC_API_KEY", "the agent's own")
	env := Environ()
	if slices.Contains(env, "TEMPORAL_API_KEY=secret") {
		t.Error("an agent gets the key of the engine")
	}
	if !slices.Contains(env, "ANTHROPIC_API_KEY=the agent's own") {
		t.Error("an agent does not get its own key")
	}
}
