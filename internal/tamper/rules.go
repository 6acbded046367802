package tamper

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"ralph/internal/git"
)

// lineRules compares the lines that came with the rules for files of this name.
func (i *inspection) lineRules(f *git.FileDiff) {
	for n := range i.patterns.rules {
		r := &i.patterns.rules[n]
		if !r.files.Match(f.Path()) || r.source && i.patterns.tests.Match(f.Path()) || r.comment && isProse(f.Path()) {
			continue
		}
		if f.Added() && !r.comment && !r.source {
			continue // what was never there cannot be weakened
		}
		for k := range f.Hunks {
			i.lineRule(r, f, &f.Hunks[k])
		}
	}
}

func (i *inspection) lineRule(r *rule, f *git.FileDiff, h *git.DiffHunk) {
	for n, text := range h.Added {
		text = strings.TrimSuffix(text, "\r")
		if !r.comment && isRemark(text) || i.wasThere(text) || !r.finds(text) || r.comment && explained(h, n) || r.replaces(text, h) {
			continue
		}
		i.add(Finding{Path: f.Path(), Line: h.NewLine + n, Rule: r.name, Message: r.message, Text: text})
	}
}

func (r *rule) finds(text string) bool {
	for k := range r.lines {
		if r.lines[k].finds(text) {
			return true
		}
	}
	return false
}

// replaces reports whether the line took the place of one that the rule would find too.
func (r *rule) replaces(text string, h *git.DiffHunk) bool {
	for _, old := range h.Removed {
		if r.finds(old) {
			return true
		}
	}
	return false
}

// explained reports whether the line above is a remark that gives a reason.
func explained(h *git.DiffHunk, n int) bool {
	if n == 0 {
		return false
	}
	above := strings.TrimSpace(h.Added[n-1])
	return isRemark(above) && len(strings.Fields(above)) >= 4
}

// ci reports steps that were removed from CI and hooks: lines with a word of a check, or
// with its trigger, if no added line has the same word.
func (i *inspection) ci(f *git.FileDiff) {
	if f.Added() || !i.patterns.ci.Match(f.Old) {
		return
	}
	came := map[string]bool{}
	for _, h := range f.Hunks {
		for _, line := range h.Added {
			for _, w := range checkWords(line) {
				came[w] = true
			}
		}
	}
	for _, h := range f.Hunks {
		for n, line := range h.Removed {
			if !takesAway(line, came) || i.cameBack(line) {
				continue
			}
			at := Finding{Path: f.Path(), Line: h.OldLine + n, Rule: "ci-changed", Message: "something was taken away from CI or from the hooks", Text: line}
			if f.Deleted() {
				at.Line, at.Message, at.Text = 0, at.Message+": the file was deleted", ""
				i.add(at)
				return
			}
			i.add(at)
			break // one finding for each place is enough
		}
	}
}

var (
	checkWord = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(?:test\w*|pytest|unittest|jest|vitest|mocha|playwright|cypress|rspec|phpunit|bats|ctest|lint\w*|eslint|golangci-lint|staticcheck|vet|ruff|flake8|pylint|mypy|pyright|tsc|typecheck|clippy|rubocop|phpstan|shellcheck|check\w*|coverage|audit|verify|tox|nox|prettier|biome|gofmt|black|pull_request|push|merge_request_event)\b`)
	})
	// quietLine finds lines of CI that name things and run nothing.
	quietLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(?:-\s+)?(?:name|uses|image|id|description|cache|key|path|with|env|runs-on|os|rev|repo|needs|stage|branches|paths|tags|on|[\w-]*version)\s*:|^\s*(?:-\s+)?[\w.-]+:\s*(?:#.*)?$|^\s*(?:-\s+|run:\s*)?@?(?:echo|printf)\b`)
	})
	trigger = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(?:-\s*)?(?:push|pull_request)\s*:?\s*$|^\s*on\s*:\s*\[?\s*(?:push|pull_request)`)
	})
)

// checkWords returns the words of a line that name checks.
func checkWords(line string) []string {
	if isRemark(line) {
		return nil
	}
	return checkWord().FindAllString(line, -1)
}

// takesAway reports whether a line that is gone ran a check, or said when to run them, that
// no line that came has.
func takesAway(line string, came map[string]bool) bool {
	if isRemark(line) || quietLine().MatchString(line) && !trigger().MatchString(line) {
		return false
	}
	words := checkWords(line)
	for _, w := range words {
		if came[w] {
			return false
		}
	}
	return len(words) > 0
}

// submodule reports tests in a submodule at another version: a clean worktree does not
// have them.
func (i *inspection) submodule(f *git.FileDiff) {
	for _, h := range f.Hunks {
		for n, line := range h.Added {
			if strings.HasPrefix(line, "Subproject commit ") && len(h.Removed) > 0 && namesTests(f.Path()) {
				i.add(Finding{Path: f.Path(), Line: h.NewLine + n, Rule: "submodule-changed", Message: "tests in a submodule changed, which no run can compare", Text: line})
			}
		}
	}
}

func namesTests(path string) bool {
	path = strings.ToLower(path)
	return strings.Contains(path, "test") || strings.Contains(path, "spec") || strings.Contains(path, "fixture") || strings.Contains(path, "conformance")
}

// isRemark reports whether a line is empty or only a comment.
func isRemark(line string) bool {
	line = strings.TrimSpace(line)
	for _, begin := range []string{"#", "//", "* ", "/*", "<!--", "--"} {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	return line == ""
}

// isGenerated reports whether the beginning of a file says that a program wrote it.
func isGenerated(text string) bool {
	head := strings.ToLower(text[:min(len(text), 600)])
	return strings.Contains(head, "code generated") || strings.Contains(head, "@generated") || strings.Contains(head, "auto-generated") ||
		strings.Contains(head, "autogenerated") || strings.Contains(head, "automatically generated") || strings.Contains(head, "generated by") && strings.Contains(head, "do not")
}

// outside finds what leads a check without a room to files that git does not have: a link, or
// the path of the worktree.
func (i *inspection) outside(f *git.FileDiff) {
	if isProse(f.Path()) {
		return
	}
	for _, h := range f.Hunks {
		for n, text := range h.Added {
			found := Finding{Path: f.Path(), Line: h.NewLine + n, Rule: "outside-git", Text: text}
			switch {
			case f.Link && (path.IsAbs(text) || !filepath.IsLocal(path.Join(path.Dir(f.Path()), text))):
				found.Message = "a link to a file outside of git: without a room, a check can use that file"
			case !f.Link && i.root != "" && strings.Contains(text, i.root+"/"):
				found.Message = "the path of this worktree: without a room, a check can use files there that git does not have"
			default:
				continue
			}
			i.add(found)
		}
	}
}
