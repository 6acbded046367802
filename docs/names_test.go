package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"ralph/internal/journal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestIndex checks that docs/README.md lists every page.
func TestIndex(t *testing.T) {
	index := links(t, "docs/README.md")
	for _, page := range pages(t) {
		if name, ok := strings.CutPrefix(filepath.ToSlash(page), "docs/"); ok && name != "README.md" && !slices.Contains(index, name) {
			t.Errorf("docs/README.md has no link to %s", name)
		}
	}
}

// foreign are flags of other programs that the pages mention.
var foreign = []string{"--no-verify", "--passWithNoTests", "--add-context", "--clear-context", "--completion-promise", "--continue-ready", "--text"}

// TestShownFlags checks that flags in running text exist.
func TestShownFlags(t *testing.T) {
	known := map[string]bool{}
	var collect func(c *command)
	collect = func(c *command) {
		for flag := range c.flags {
			known[flag] = true
		}
		for _, sub := range c.subs {
			collect(sub)
		}
	}
	collect(readGrammar(t).command("grammar"))
	fleet := fleetFlags(t)
	shown := 0
	for _, page := range userPages(t) {
		for _, span := range codeLines(t, page) {
			flag, _, _ := strings.Cut(span, " ")
			if flag, _, _ = strings.Cut(flag, "="); !regexp.MustCompile(`^--[a-z][a-z-]+$`).MatchString(flag) {
				continue
			}
			if shown++; !known[flag] && !slices.Contains(foreign, flag) && !(page == "docs/fleet.md" && fleet[flag]) {
				t.Errorf("%s mentions %s, which no command has", page, flag)
			}
		}
	}
	if shown < 30 {
		t.Errorf("%d flags: are they still found?", shown)
	}
}

// fleetFlags returns the flags of ralph-fleet, from the fields of its commands.
func fleetFlags(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("fleet/cmd/ralph-fleet/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no commands of the fleet: %v", err)
	}
	field := regexp.MustCompile("(?m)^\t([A-Z][A-Za-z]+) +[\\w.*\\[\\]]+ +`(?:name:\"([a-z-]+)\")?.*help:")
	word := regexp.MustCompile("([a-z])([A-Z])")
	flags := map[string]bool{}
	for _, file := range append(files, "fleet/internal/engine/connect.go", "fleet/internal/feature/flags.go") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range field.FindAllStringSubmatch(string(data), -1) {
			name := m[2]
			if name == "" {
				name = strings.ToLower(word.ReplaceAllString(m[1], "$1-$2"))
			}
			flags["--"+name] = true
		}
	}
	return flags
}

// TestShownSettings checks that settings and variables on the pages exist: in the
// generated reference, or in the source.
func TestShownSettings(t *testing.T) {
	settings, variables := map[string]bool{}, map[string]bool{}
	for _, span := range codeLines(t, "docs/settings.md") {
		settings[span] = true
	}
	source := sources(t)
	dotted := regexp.MustCompile(`^([a-z_]+)\.[a-z_]+$`)
	variable := regexp.MustCompile(`\bRALPH_[A-Z][A-Z_]*[A-Z]\b`)
	shown := 0
	for _, page := range userPages(t) {
		for _, span := range codeLines(t, page) {
			if m := dotted.FindStringSubmatch(span); m != nil && sections[m[1]] && !strings.HasSuffix(span, ".log") {
				if shown++; !settings[span] {
					t.Errorf("%s mentions the setting %s, which does not exist", page, span)
				}
			}
			for _, name := range variable.FindAllString(span, -1) {
				if shown++; !settings[name] && !strings.Contains(source, name) {
					t.Errorf("%s mentions the variable %s, which nothing reads", page, name)
				}
				variables[name] = true
			}
		}
	}
	if shown < 30 || len(variables) < 5 {
		t.Errorf("%d settings, %d variables: are they still found?", shown, len(variables))
	}
}

// sections are the sections of the settings. Their keys are named with a dot.
var sections = map[string]bool{
	"defaults": true, "circuit_breaker": true, "budget": true, "completion": true, "check_env": true,
	"proof": true, "claude": true, "usage_limit": true, "notify": true, "start": true,
}

// sources returns the text of all programs and scripts.
func sources(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && (d.Name() == "node_modules" || d.Name() == ".git") {
				return fs.SkipDir
			}
			return err
		}
		if ext := filepath.Ext(path); (ext == ".go" || ext == ".sh" || d.Name() == "Makefile") && d.Name() != "names_test.go" {
			data, err := os.ReadFile(path)
			text.Write(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestShownTargets checks that make targets on the pages exist.
func TestShownTargets(t *testing.T) {
	makefile, shown := readFile(t, "Makefile"), 0
	for _, page := range append(userPages(t), "CONTRIBUTING.md") {
		for _, line := range codeLines(t, page) {
			words := strings.Fields(strings.TrimPrefix(line, "$ "))
			if len(words) < 2 || words[0] != "make" {
				continue
			}
			if shown++; !strings.Contains(makefile, "\n"+words[1]+":") {
				t.Errorf("%s shows %q: there is no such target", page, line)
			}
		}
	}
	if shown < 8 {
		t.Errorf("%d targets: are they still found?", shown)
	}
}

// TestShownExitCodes checks that exit codes in running text exist.
func TestShownExitCodes(t *testing.T) {
	known := []int{journal.ExitDone, journal.ExitNotDone, journal.ExitUsageLimit, 80, journal.ExitInterrupted, journal.ExitStopped}
	code := regexp.MustCompile(`(?i)\b(?:exit(?:s| code| status)?|ends?|ended) with (\d+)\b|\bexit (?:code|status) (\d+)\b`)
	shown := 0
	for _, page := range userPages(t) {
		if page == "docs/replay.md" {
			continue // it describes the agent's exit codes
		}
		for _, m := range code.FindAllStringSubmatch(readFile(t, page), -1) {
			n, err := strconv.Atoi(m[1] + m[2])
			if shown++; err != nil || !slices.Contains(known, n) {
				t.Errorf("%s mentions %q, which is not an exit code of ralph", page, m[0])
			}
		}
	}
	if shown < 10 {
		t.Errorf("%d exit codes: are they still found?", shown)
	}
}

// userPages returns the pages for users, without the decisions.
func userPages(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(pages(t), func(page string) bool {
		return !strings.HasPrefix(page, "docs") && page != "README.md" || page == "docs/decisions.md"
	})
}
