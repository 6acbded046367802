package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ralph/internal/proc"
)

// TestNewPlanAfterARunThatDied: the user's new spec.md stays, and the recovery restores
// only the other files.
func TestNewPlanAfterARunThatDied(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "turns:\n  - steps:\n      - say: working\n      - hang: true\n")
	cmd, out := s.start("working")
	agent := s.agentID()
	s.killBoth(cmd.Process)
	_, _ = s.finish(cmd, out)
	path := filepath.Join(s.repo, ".ralph/feature-x/spec.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s.write(".ralph/feature-x/spec.md", string(text)+"\n### STORY-002: Later\n\n**Acceptance Criteria:**\n- [ ] Unit tests pass\n")
	said, err := s.command(s.bin, "prd").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, want := range []string{"the last run was cut off", "restored .ralph/feature-x/spec.md", "spec.md stays as you have it", "+ STORY-002: Later"} {
		if !strings.Contains(string(said), want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	if (proc.ID)(agent).Alive() {
		t.Error("the agent of the dead run is alive")
	}
	s.write(".ralph/replay.yaml", finishes)
	if said, _ := s.command(s.bin, "run", "--harness", "replay", "--pause", "0", "-n", "1").CombinedOutput(); strings.Contains(string(said), "restored") {
		t.Errorf("the next run takes the new plan back:\n%s", said)
	}
	if now, _ := os.ReadFile(path); !strings.Contains(string(now), "STORY-002: Later") {
		t.Errorf("the person's story is lost:\n%s", now)
	}
}
