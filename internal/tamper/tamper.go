// Package tamper looks through the changes of an agent for what weakens the
// evidence that the project's tests, checks and CI give: tests that are gone or
// skipped, assertions without a successor, thresholds lowered, checks that can no
// longer fail. It reads text and decides nothing: what becomes of a finding is
// its caller's matter.
//
// Precision comes before recall. A test that moved, was renamed or rewritten in
// place gives no finding, nor does one whose subject went with it.
package tamper

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Finding is one place where the evidence was weakened.
type Finding struct {
	Path    string // from the worktree's root
	Line    int    // in the new file; in the old one where the line is gone; 0 where no line tells
	Rule    string // one word with hyphens, such as test-skipped
	Message string // for a person
	Text    string // the line itself, shortened
}

// MayHaveMoved reports whether the finding is about something that is missing, and
// may be in a new file that the diff does not show.
func (f Finding) MayHaveMoved() bool {
	switch f.Rule {
	case "test-removed", "test-emptied", "test-file-deleted", "test-file-emptied", "assertion-removed", "snapshot-regenerated":
		return true
	}
	return false
}

// Input is what an iteration changed.
type Input struct {
	// Diff is what git prints for "git diff --unified=0 --find-renames", with the
	// prefixes a/ and b/.
	Diff string
	// CutOff says that the diff was longer, and that only its beginning is here.
	CutOff bool
	// Root is the worktree, in which renamed and new files are looked into.
	Root string
	// New are files that git does not know yet: a test that moved may be there.
	New []string
	// Checks are the commands of the quality checks: a script that one of them
	// names counts as a part of it.
	Checks []string
}

// MaxText bounds the text of a finding, in bytes.
const MaxText = 200

// Inspect returns what weakens the evidence, in the order of paths and lines. Its
// time is linear in the size of the diff.
func Inspect(in Input) []Finding {
	if in.Diff == "" && !in.CutOff {
		return nil // as before most runs: to make the patterns ready takes longer than to start git
	}
	p := patterns()
	c := collect(p, in)
	i := &inspection{patterns: p, changes: c, scripts: scriptsOf(in.Checks), root: in.Root}
	for n := range c.files {
		i.file(&c.files[n])
	}
	if in.CutOff {
		i.add(Finding{Rule: "too-large", Message: "the changes are too large to be looked through to their end"})
	}
	slices.SortStableFunc(i.found, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), strings.Compare(a.Rule, b.Rule))
	})
	return slices.CompactFunc(i.found, func(a, b Finding) bool {
		return a.Path == b.Path && a.Line == b.Line && a.Rule == b.Rule && a.Line > 0
	})
}

// inspection is one look through a diff.
type inspection struct {
	patterns *library
	changes  *changes
	scripts  map[string]bool
	root     string
	found    []Finding
}

func (i *inspection) add(f Finding) {
	f.Text = shorten(strings.TrimSpace(f.Text))
	i.found = append(i.found, f)
}

// file looks at one file in every way that fits its name.
func (i *inspection) file(f *file) {
	if f.fw != nil {
		i.tests(f)
	}
	i.lineRules(f)
	i.shadows(f)
	i.thresholds(f)
	i.snapshots(f)
	switch {
	case i.patterns.strict.match(f.path()):
		i.strict(f, "ci-changed", "something was taken away from CI or from the hooks")
	case i.scripts[f.old]:
		i.strict(f, "check-changed", "the script of a quality check was changed")
	default:
		i.commands(f)
	}
}

// scriptsOf returns the words of the checks' commands that may be paths.
func scriptsOf(commands []string) map[string]bool {
	scripts := map[string]bool{}
	for _, c := range commands {
		for _, word := range strings.FieldsFunc(c, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()\"'=<>", r) }) {
			if word = strings.TrimPrefix(word, "./"); word != "" {
				scripts[word] = true
			}
		}
	}
	return scripts
}

// shorten cuts a text to MaxText bytes, between two characters.
func shorten(s string) string {
	if len(s) <= MaxText {
		return s
	}
	end := MaxText - len("…")
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
