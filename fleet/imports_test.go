package fleet_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// allowed is which of the fleet's packages each may import. None knows anything of
// ralph but its command line, its journal and its socket.
var allowed = map[string][]string{
	"cmd/ralph-fleet":  {"engine", "events", "feature", "hold", "host", "repo"},
	"internal/engine":  {"feature", "flow"},
	"internal/events":  {"feature"},
	"internal/feature": {},
	"internal/flow":    {"feature"},
	"internal/hold":    {},
	"internal/host":    {"engine", "events", "feature", "flow", "hold", "ledger", "repo"},
	"internal/ledger":  {"engine", "feature"},
	"internal/repo":    {"events", "feature", "hold"},
}

func TestImports(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path == "dev": // a module of its own, which may do what it likes
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		seen++
		may, known := allowed[filepath.ToSlash(filepath.Dir(path))]
		if !known {
			t.Errorf("%s: its package is not in the map", path)
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if ours, ok := strings.CutPrefix(name, "ralph/fleet/internal/"); ok && !slices.Contains(may, ours) {
				t.Errorf("%s imports internal/%s, which the map does not allow", path, ours)
			}
			if strings.HasPrefix(name, "ralph/internal/") || name == "ralph" || strings.HasPrefix(name, "go.temporal.io/server") {
				t.Errorf("%s imports %s, which nothing here may", path, name)
			}
		}
		return nil
	})
	if err != nil || seen < 10 {
		t.Fatalf("%d files were seen: %v", seen, err)
	}
}
