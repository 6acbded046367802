package e2e

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"
)

// Two hosts write receipts; in a clone that has nothing of them 'ralph verify' finds all.
func TestReceiptsInAClone(t *testing.T) {
	l := newLab(t)
	bare := l.remote(map[string]string{"feature/x": script(), "feature/y": script()})
	seed := filepath.Join(l.dir, "seed")
	for _, branch := range []string{"feature/x", "feature/y"} {
		l.git(seed, "switch", "--quiet", branch)
		l.write("seed/.ralph/config.yaml", "quality_checks:\n  unit: \"true\"\n")
		l.git(seed, "add", ".")
		l.git(seed, "commit", "--quiet", "-m", "checks")
		l.git(seed, "push", "--quiet", bare, branch)
	}
	l.worker("a", "1")
	l.worker("b", "1")
	l.submit(bare, "--all", "--wait")
	clone := filepath.Join(l.dir, "clone")
	l.git(l.dir, "clone", "--quiet", bare, clone)
	l.git(clone, "fetch", "--quiet", "origin", "refs/notes/ralph:refs/notes/ralph")
	for _, branch := range []string{"feature/x", "feature/y"} {
		l.git(clone, "switch", "--quiet", branch)
		cmd := exec.Command(filepath.Join(programs, "ralph"), "verify", "--json")
		cmd.Dir, cmd.Env = clone, l.env
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("ralph verify: %v\n%s", err, out)
		}
		var report struct {
			Stories []struct {
				ID      string `json:"id"`
				OK      bool   `json:"ok"`
				Receipt *struct {
					State string `json:"state"`
				} `json:"receipt"`
			} `json:"stories"`
		}
		if err := json.Unmarshal(out, &report); err != nil {
			t.Fatal(err)
		}
		if len(report.Stories) != 3 {
			t.Errorf("%s: %d stories are verified", branch, len(report.Stories))
		}
		for _, s := range report.Stories {
			if !s.OK || s.Receipt == nil || s.Receipt.State == "elsewhere" {
				t.Errorf("%s: %s is %+v, receipt %+v", branch, s.ID, s, s.Receipt)
			}
		}
	}
}
