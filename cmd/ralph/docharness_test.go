package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheHarnessOfThePageWorks builds ralph with the entry that
// docs/custom-agents.md shows, and checks the resulting call.
func TestTheHarnessOfThePageWorks(t *testing.T) {
	t.Parallel()
	var entry, table string
	for _, page := range docPages(t) {
		for _, b := range page.blocks {
			if file, ok := strings.CutPrefix(b.marker, "table: "); ok {
				entry, table = b.text, file
			}
		}
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(root, table))
	if err != nil {
		t.Fatal(err)
	}
	const before = "\t\t{\n\t\t\tName: \"replay\","
	changed := strings.Replace(string(source), before, entry+before, 1)
	if entry == "" || changed == string(source) {
		t.Fatalf("the page has no entry, or %s no place for it", table)
	}
	dir := t.TempDir()
	bin, overlay := filepath.Join(dir, "ralph"), filepath.Join(dir, "overlay.json")
	mapping, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, table): filepath.Join(dir, "table.go")}})
	if err != nil {
		t.Fatal(err)
	}
	for path, data := range map[string][]byte{overlay: mapping, filepath.Join(dir, "table.go"): []byte(changed)} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-overlay", overlay, "-o", bin, "./cmd/ralph")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := newScratch(t, "turns: [{steps: [{say: unused}]}]")
	cmd := s.command(bin, "run", "--harness", "amp", "--model", "opus", "--dry-run", "--skip-preflight")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Call:        amp -x --stream-json -m opus\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
