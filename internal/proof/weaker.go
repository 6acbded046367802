package proof

import (
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"ralph/internal/git"
)

// maxMutants bounds how many small faults are tried to compare old tests with new ones.
const maxMutants = 8

// weaker compares tests that were changed with what they were: it puts small faults into
// the work and looks for one that the tests catch as they were, and not as they are. That
// shows what was weakened although all of it still holds.
func (p *Prover) weaker(ctx context.Context, c *comparison, r *Proof, edits map[string]git.Entry) (*Trial, error) {
	changed := slices.Sorted(maps.Keys(edits))
	changed = slices.DeleteFunc(changed, func(name string) bool { return c.was[name].Mode == "" && c.kinds[name] == Test })
	if len(changed) == 0 || p.Settings.Budget <= 0 {
		return nil, nil
	}
	until := p.Elapsed() + p.Settings.Budget
	for _, m := range c.mutants(ctx, changed) {
		left := until - p.Elapsed()
		if left <= 0 {
			return nil, nil
		}
		limited, cancel := context.WithTimeout(ctx, left)
		missed, err := p.missed(limited, c, r, m, edits)
		over := limited.Err() != nil
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil, err
		case over:
			return nil, nil
		case err != nil:
			return nil, err
		case missed != "":
			return &Trial{Verdict: Weaker, Check: missed, Files: changed[:min(maxFiles, len(changed))],
				Tail: fmt.Sprintf("%s:%d: `%s` instead of `%s` fails the tests as they were, and passes them as they are", m.path, m.line, m.is, m.was)}, nil
		}
	}
	return nil, nil
}

// missed returns the check that fails with a fault and the old tests, and passes with the
// fault and the new tests; "" without such a check.
func (p *Prover) missed(ctx context.Context, c *comparison, r *Proof, m mutant, edits map[string]git.Entry) (string, error) {
	hash, err := c.repo.WriteBlob(ctx, m.text)
	if err != nil {
		return "", err
	}
	fault := git.Entry{Mode: c.is[m.path].Mode, Hash: hash}
	now, err := c.commit(ctx, c.head, map[string]git.Entry{m.path: fault})
	if err != nil {
		return "", err
	}
	both := maps.Clone(edits)
	both[m.path] = fault
	before, err := c.commit(ctx, c.head, both)
	if err != nil {
		return "", err
	}
	for _, ck := range p.Checks {
		new, err := p.run(ctx, r, now, ck)
		if err != nil {
			return "", err
		}
		if !new.Green() {
			return "", nil // caught
		}
	}
	for _, ck := range p.Checks {
		old, err := p.run(ctx, r, before, ck)
		if err != nil {
			return "", err
		}
		if !old.Green() {
			return ck.Name, nil
		}
	}
	return "", nil
}

// mutant is a file of the work with a small fault in one line.
type mutant struct {
	path    string
	line    int
	was, is string
	text    string // of the whole file
}

// mutants puts faults into the work that the changed tests are about: into the files that
// they name, else into any.
func (c *comparison) mutants(ctx context.Context, changed []string) []mutant {
	var about strings.Builder
	for _, name := range changed {
		about.WriteString(name + "\n" + c.text(ctx, c.was[name]) + "\n")
	}
	var named, all []string
	for _, name := range slices.Sorted(maps.Keys(c.is)) {
		if !c.is[name].IsFile() || c.sorted.kind(name) != Work || !isText(name) || !isCode(name) {
			continue
		}
		all = append(all, name)
		if mentions(about.String(), name) || path.Ext(name) == ".go" && slices.ContainsFunc(changed, func(t string) bool { return path.Dir(t) == path.Dir(name) }) {
			named = append(named, name)
		}
	}
	if len(named) == 0 {
		named = all
	}
	var found []mutant
	for _, name := range named[:min(len(named), 50)] {
		text := c.text(ctx, c.is[name])
		if !isGenerated(text) && len(text) < 1<<18 {
			found = append(found, mutantsOf(name, text)...)
		}
	}
	var some []mutant
	for _, i := range spread(len(found)) {
		if len(some) < maxMutants {
			some = append(some, found[i])
		}
	}
	return some
}

// isCode reports whether a file may hold code, by its name.
func isCode(name string) bool {
	begin, _ := remarkOf(name)
	return begin != "" || path.Ext(name) == ""
}

// mentions reports whether a text names a file, by its base or without its extension.
func mentions(text, name string) bool {
	base := path.Base(name)
	stem := strings.TrimSuffix(base, path.Ext(base))
	return strings.Contains(text, base) || len(stem) > 2 && hasWord(text, stem)
}

func hasWord(text, word string) bool {
	for rest := text; ; {
		i := strings.Index(rest, word)
		if i < 0 {
			return false
		}
		before, after := i == 0 || !isWord(rest[i-1]) || rest[i-1] == '_', i+len(word) == len(rest) || !isWord(rest[i+len(word)]) || rest[i+len(word)] == '_'
		if before && after {
			return true
		}
		rest = rest[i+len(word):]
	}
}

// fault is a small change of a line.
type fault struct {
	find    *regexp.Regexp
	replace string
}

// faults are tried in this order; the first that fits a line is put into it.
var faults = []fault{
	{regexp.MustCompile(`===`), `!==`}, {regexp.MustCompile(`!==`), `===`}, {regexp.MustCompile(` == `), ` != `}, {regexp.MustCompile(` != `), ` == `},
	{regexp.MustCompile(` <= `), ` > `}, {regexp.MustCompile(` >= `), ` < `}, {regexp.MustCompile(` \+ `), ` - `}, {regexp.MustCompile(` - `), ` + `},
	{regexp.MustCompile(` \* `), ` + `}, {regexp.MustCompile(`\btrue\b`), `false`}, {regexp.MustCompile(`\bfalse\b`), `true`},
	{regexp.MustCompile(`\bTrue\b`), `False`}, {regexp.MustCompile(`\bFalse\b`), `True`},
	{regexp.MustCompile(`([(\[,=:\s])([0-9]+)\b`), `${1}1${2}`},
	{regexp.MustCompile(`"([^"]*[^"\s])"`), `"~${1}"`}, {regexp.MustCompile(`'([^']*[^'\s])'`), `'~${1}'`},
}

var loads = regexp.MustCompile(`^\s*(?:import\b|from\b|package\b|use\b|require\b|#include|module\b|export \{|const \w+ = require|\. |source )`)

// mutantsOf puts a fault into each line of a file that has a place for one.
func mutantsOf(name, text string) []mutant {
	begin, _ := remarkOf(name)
	work := text
	if path.Ext(name) == ".rs" {
		work, _ = splitRust(text)
	}
	lines := splitLines(text)
	var found []mutant
	for i, line := range lines {
		bare := strings.TrimSpace(line)
		if bare == "" || begin != "" && strings.HasPrefix(bare, begin) || loads.MatchString(line) || !strings.Contains(work, line) {
			continue
		}
		for _, f := range faults {
			at := f.find.FindStringIndex(line)
			if at == nil {
				continue
			}
			with := line[:at[0]] + f.find.ReplaceAllString(line[at[0]:at[1]], f.replace) + line[at[1]:]
			if with == line {
				continue
			}
			found = append(found, mutant{path: name, line: i + 1, was: bare, is: strings.TrimSpace(with),
				text: strings.Join(slices.Concat(lines[:i], []string{with}, lines[i+1:]), "")})
			break
		}
	}
	return found
}
