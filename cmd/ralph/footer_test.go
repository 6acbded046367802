package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatTakesLongIsSaid runs a check that waits until it is said that it runs, and
// wants nothing of that on standard output.
func TestWhatTakesLongIsSaid(t *testing.T) {
	t.Parallel()
	s := newScratch(t, polite)
	s.env = append(s.env, "RALPH_SANDBOX_READ="+filepath.Dir(s.repo)) // the check waits for a file outside of its room
	s.write(".ralph/config.yaml", "quality_checks:\n  unit: until test -e '"+filepath.Join(filepath.Dir(s.repo), "seen")+"'; do sleep 0.05; done\n")
	prd := filepath.Join(s.repo, ".ralph/feature-x/prd.json")
	data, err := os.ReadFile(prd)
	if err != nil {
		t.Fatal(err)
	}
	s.write(".ralph/feature-x/prd.json", strings.Replace(string(data), `"passes": false`, `"passes": true`, 1))
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "done")
	p := s.onTTY(80, 24, "sh", "-c", `"$0" verify --no-receipts >../out`, s.bin)
	p.shows("running the checks, ")
	s.write("../seen", "")
	if code := p.ends(); code != 0 {
		t.Errorf("exit status %d\n%s", code, p.text())
	}
	if out := s.read("../out"); !strings.Contains(out, "unit: passed") || strings.Contains(out, "running") {
		t.Errorf("standard output has\n%s", out)
	}
}
