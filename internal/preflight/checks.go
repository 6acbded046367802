package preflight

import (
	"fmt"
	"os"
	"path/filepath"
)

// usualTests are the commands that run a project's tests, by a file in its root.
var usualTests = []struct{ file, command string }{
	{"go.mod", "go test ./..."},
	{"Cargo.toml", "cargo test"},
	{"package.json", "npm test"},
	{"pyproject.toml", "pytest"},
	{"Makefile", "make test"},
}

// checks notes that no quality checks are configured: then only the agent's word
// says that work is done.
func (r *runner) checks() {
	r.report.Notes = []string{} // an empty list in JSON, not null
	if r.in.Checked {
		return
	}
	command := "npm test"
	for _, usual := range usualTests {
		if _, err := os.Stat(filepath.Join(r.in.Root, usual.file)); err == nil {
			command = usual.command
			break
		}
	}
	r.report.Notes = append(r.report.Notes, "no quality checks are configured: nothing proves that work is done; "+
		fmt.Sprintf("add to .ralph/config.yaml, for example: quality_checks: {test: %q}", command))
}
