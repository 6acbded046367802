package docs_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// allowed lists the packages of ours that each package may import. Tests may import
// more.
var allowed = map[string][]string{
	".":                    {},
	"docs/picture":         {},
	"internal/account":     {"hint", "report", "run", "unit"},
	"internal/agent":       {"git", "journal", "proc", "room", "stopwatch", "stream"},
	"internal/archive":     {"prd", "regular"},
	"internal/awake":       {},
	"internal/background":  {"handover", "hint", "journal", "monitor", "stream", "tmux", "window"},
	"internal/calls":       {"agent", "journal", "plan", "proc", "ratelimit", "recorder", "review", "run", "stopwatch", "stream"},
	"internal/change":      {},
	"internal/check":       {"git", "journal", "proc", "room", "stopwatch"},
	"internal/checklist":   {"regular"},
	"internal/checkpoint":  {"git"},
	"internal/compat":      {},
	"internal/config":      {"glob"},
	"internal/completion":  {},
	"internal/conformance": {"agent", "journal", "proc", "stream"},
	"internal/doctor":      {"agent", "archive", "check", "checkpoint", "config", "git", "journal", "preflight", "proc", "ratelimit", "registry", "regular", "room", "run", "stream", "unit", "words"},
	"internal/evidence":    {"calls", "check", "git", "journal", "plan", "proc", "proof", "recorder", "review", "run", "stream", "tamper"},
	"internal/fakeapi":     {},
	"internal/form":        {},
	"internal/git":         {},
	"internal/handover":    {},
	"internal/glob":        {},
	"internal/help":        {"config"},
	"internal/hint":        {},
	"internal/importer":    {"config", "prd", "spec"},
	"internal/journal":     {"stream"},
	"internal/launch":      {"agent", "calls", "check", "config", "evidence", "git", "hint", "importer", "journal", "loop", "plan", "preflight", "proc", "proof", "ratelimit", "recorder", "registry", "regular", "replay", "room", "run", "secret", "stream", "unit"},
	"internal/limits":      {"archive", "journal", "ratelimit", "registry", "run", "stream", "unit"},
	"internal/logs":        {"journal", "run", "screen", "stream", "terminal", "unit"},
	"internal/loop":        {"agent", "calls", "check", "checkpoint", "evidence", "git", "journal", "parking", "plan", "proc", "prompt", "ratelimit", "recorder", "run", "stopwatch", "stream"},
	"internal/manual":      {"help"},
	"internal/mcpserver":   {"git", "hint", "journal", "logs", "plan", "prd", "preflight", "regular", "run", "stream", "unit"},
	"internal/monitor":     {"journal", "regular", "run", "stream", "tmux"},
	"internal/notify":      {"journal", "proc", "run", "stream"},
	"internal/plan":        {"change", "checklist", "journal", "prd", "preflight", "regular", "run", "spec"},
	"internal/prd":         {"regular"},
	"internal/preflight":   {"change", "git", "prd", "regular", "spec"},
	"internal/proc":        {},
	"internal/prompt":      {"check", "evidence", "journal", "proof", "stream", "tamper"},
	"internal/proof":       {"check", "git", "glob", "journal", "words"},
	"internal/ratelimit":   {},
	"internal/recorder":    {"journal", "run", "secret"},
	"internal/registry":    {"regular"},
	"internal/regular":     {},
	"internal/replay":      {"checklist"},
	"internal/review":      {"journal"},
	"internal/report":      {"journal", "run", "stream", "words"},
	"internal/room":        {},
	"internal/run":         {"journal", "words"},
	"internal/screen":      {"account", "conformance", "evidence", "journal", "limits", "prd", "report", "run", "stopwatch", "stream", "terminal", "unit", "verify", "words"},
	"internal/secret":      {},
	"internal/setup":       {"agent", "regular"},
	"internal/spec":        {"prd", "regular"},
	"internal/stopwatch":   {},
	"internal/stream":      {},
	"internal/tamper":      {"git", "glob"},
	"internal/testprogram": {},
	"internal/terminal":    {"help", "stream", "words"},
	"internal/tmux":        {},
	"internal/parking":     {"checkpoint", "evidence", "git", "journal", "recorder", "run"},
	"internal/undo":        {"checkpoint", "git", "journal", "run"},
	"internal/unit":        {"agent", "archive", "change", "check", "checkpoint", "config", "git", "hint", "journal", "plan", "prd", "preflight", "proc", "registry", "regular", "run", "spec", "stream"},
	"internal/verify":      {"archive", "evidence", "journal", "prd"},
	"internal/window":      {},
	"internal/words":       {},
	"tests/bench":          {},
	"tests/chaos":          {},
	"tests/fakemodel":      {"fakeapi"},
	"tests/lies":           {},
	"tests/messages":       {},
	"tests/sim":            {"check", "evidence", "git", "journal", "run", "tamper", "undo"},
	"cmd/ralph":            {"*"},
}

// TestImports compares the imports of the source with the list. It parses the files,
// because a test that runs the go command would be cached.
func TestImports(t *testing.T) {
	seen := map[string]bool{}
	walkSource(t, func(dir string, ours []string) {
		seen[dir] = true
		may, known := allowed[dir]
		if !known {
			t.Errorf("the package %s is not in the list: add it to docs/imports_test.go and ARCHITECTURE.md", dir)
			return
		}
		for _, name := range ours {
			switch {
			case name == "." && dir != "cmd/ralph":
				t.Errorf("%s imports the root package, which only cmd/ralph may", dir)
			case name != "." && name != "words" && !slices.Contains(may, name) && !slices.Contains(may, "*"):
				t.Errorf("%s imports internal/%s, which the list does not allow", dir, name)
			}
		}
	})
	if !seen["internal/loop"] || !seen["cmd/ralph"] {
		t.Error("the walk did not see the packages: is the test run from the root?")
	}
}

// TestOnlyPlansNameTheirKinds keeps a new kind of plan to the places that ARCHITECTURE.md names.
func TestOnlyPlansNameTheirKinds(t *testing.T) {
	var names, words []string
	declared := regexp.MustCompile(`Plan(\w+)\s+PlanKind = ("\w+")`)
	for _, m := range declared.FindAllStringSubmatch(readFile(t, "internal/journal/words.go"), -1) {
		names, words = append(names, m[1]), append(words, m[2])
	}
	if len(names) < 4 {
		t.Fatal("the kinds of plans are not in internal/journal/words.go")
	}
	kinds := strings.Join(names, "|")
	named := regexp.MustCompile(`\bplan\.(` + kinds + `)\b|journal\.Plan(` + kinds + `)\b|` +
		`Plan\)? *[!=]= *(` + strings.Join(words, "|") + `)`)
	for _, root := range []string{"internal", "cmd/ralph"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") ||
				strings.HasSuffix(path, "_test.go") || filepath.Dir(path) == "internal/plan" {
				return err
			}
			for n, line := range strings.Split(readFile(t, path), "\n") {
				if found := named.FindString(line); found != "" {
					t.Errorf("%s:%d names a kind of plan, %q: ask plan.About or journal.PlanKind instead",
						path, n+1, found)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// walkSource visits each source file with its package and the packages of ours that it
// imports, named without internal/. "." is the root's package. Tests are left out.
func walkSource(t *testing.T, visit func(dir string, ours []string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == "tools" || path == "fleet" || strings.HasPrefix(d.Name(), ".") && path != "."):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		var ours []string
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if name == "ralph" {
				ours = append(ours, ".")
			} else if short, ok := strings.CutPrefix(name, "ralph/internal/"); ok {
				ours = append(ours, short)
			}
		}
		visit(filepath.ToSlash(filepath.Dir(path)), ours)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
