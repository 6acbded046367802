package ralph_test

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

// TestIndex wants every page of docs/ in its index, so that it is found.
func TestIndex(t *testing.T) {
	index := links(t, "docs/README.md")
	for _, page := range pages(t) {
		if name, ok := strings.CutPrefix(filepath.ToSlash(page), "docs/"); ok && name != "README.md" && !slices.Contains(index, name) {
			t.Errorf("docs/README.md has no link to %s", name)
		}
	}
}

// foreign are flags of other programs of which the pages speak.
var foreign = []string{"--no-verify", "--passWithNoTests", "--add-context", "--clear-context", "--completion-promise", "--continue-ready", "--text"}

// TestShownFlags holds flags that stand alone in running text against the program's.
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
				t.Errorf("%s speaks of %s, which no command has", page, flag)
			}
		}
	}
	if shown < 30 {
		t.Errorf("%d flags: are they still found?", shown)
	}
}

// fleetFlags are the flags of ralph-fleet, by the fields of its commands.
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

// TestShownSettings holds settings and variables that the pages name against the
// reference, which is made from the program, and the source.
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
					t.Errorf("%s speaks of the setting %s, which does not exist", page, span)
				}
			}
			for _, name := range variable.FindAllString(span, -1) {
				if shown++; !settings[name] && !strings.Contains(source, name) {
					t.Errorf("%s speaks of the variable %s, which nothing reads", page, name)
				}
				variables[name] = true
			}
		}
	}
	if shown < 30 || len(variables) < 5 {
		t.Errorf("%d settings, %d variables: are they still found?", shown, len(variables))
	}
}

// sections are the sections of the settings whose keys are named with a dot.
var sections = map[string]bool{
	"defaults": true, "circuit_breaker": true, "budget": true, "completion": true, "check_env": true,
	"proof": true, "claude": true, "usage_limit": true, "notify": true, "start": true,
}

// sources is the text of all programs and scripts.
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
		if ext := filepath.Ext(path); (ext == ".go" || ext == ".sh" || d.Name() == "Makefile") && !strings.HasPrefix(d.Name(), "docnames") {
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

// TestShownTargets wants the targets that the pages tell to make.
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

// TestShownExitCodes holds every exit code in running text against those of a run.
func TestShownExitCodes(t *testing.T) {
	known := []int{journal.ExitDone, journal.ExitNotDone, journal.ExitUsageLimit, 80, journal.ExitInterrupted, journal.ExitStopped}
	code := regexp.MustCompile(`(?i)\b(?:exit(?:s| code| status)?|ends?|ended) with (\d+)\b|\bexit (?:code|status) (\d+)\b`)
	shown := 0
	for _, page := range userPages(t) {
		if page == "docs/replay.md" {
			continue // it tells of the agent's exit codes
		}
		for _, m := range code.FindAllStringSubmatch(readFile(t, page), -1) {
			n, err := strconv.Atoi(m[1] + m[2])
			if shown++; err != nil || !slices.Contains(known, n) {
				t.Errorf("%s speaks of %q, which is no exit code of ralph", page, m[0])
			}
		}
	}
	if shown < 10 {
		t.Errorf("%d exit codes: are they still found?", shown)
	}
}

// userPages are the pages for users: what they name exists today.
func userPages(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(pages(t), func(page string) bool {
		return !strings.HasPrefix(page, "docs") && page != "README.md" || page == "docs/decisions.md"
	})
}
