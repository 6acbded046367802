package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestManualPages(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "man")
	if err := writeManual([]string{dir, "2026-01-02"}); err != nil {
		t.Fatal(err)
	}
	for page, want := range map[string]string{
		"ralph.1":             "Watch",
		"ralph-run.1":         `\fB\-n\fR, \fB\-\-max\-iterations\fR \fIN\fR, \fB\-\-max\fR`,
		"ralph-config-show.1": `.B ralph config show`,
		"ralph-exit-codes.7":  "max_iterations",
		"ralph-settings.7":    "defaults.max_iterations",
	} {
		text, err := os.ReadFile(filepath.Join(dir, page))
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q:\n%s", page, want, text)
		}
	}
	if _, err := exec.LookPath("mandoc"); err != nil {
		t.Skip("no mandoc to check the pages with")
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mandoc", append([]string{"-T", "lint", "-W", "warning"}, pages...)...).CombinedOutput(); err != nil {
		t.Errorf("mandoc: %v\n%s", err, out)
	}
}
