package proof

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"ralph/internal/git"
	"ralph/internal/journal"
)

// maxMutants bounds how many small faults are tried to compare old tests with new ones.
const maxMutants = 8

// weaker compares tests that were changed with what they were: it puts small faults into
// the work and looks for one that the tests catch as they were, and not as they are. That
// shows what was weakened although all of it still holds.
func (p *Prover) weaker(
	ctx context.Context, c *comparison, r *Proof, edits map[string]git.TreeEntry,
) (*TestRun, error) {
	changed := slices.Sorted(maps.Keys(edits))
	changed = slices.DeleteFunc(changed, func(name string) bool { return c.was[name].Mode == "" && c.kinds[name] == Test })
	if len(changed) == 0 || p.Settings.Budget <= 0 {
		return nil, nil
	}
	until := p.Elapsed() + p.Settings.Budget
	mutants, err := c.mutants(ctx, changed)
	if err != nil {
		return nil, err
	}
	for _, m := range mutants {
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
			return &TestRun{Outcome: Weaker, Check: missed, Files: changed[:min(maxFiles, len(changed))],
				Tail: fmt.Sprintf("%s:%d: `%s` instead of `%s` fails the tests as they were, and passes them as they are", m.path, m.line, m.is, m.was)}, nil
		}
	}
	return nil, nil
}

// missed returns the check that fails with a fault and the old tests, and passes with the
// fault and the new tests; "" without such a check.
func (p *Prover) missed(
	ctx context.Context, c *comparison, r *Proof, m mutant, edits map[string]git.TreeEntry,
) (string, error) {
	hash, err := c.repo.WriteBlob(m.text())
	if err != nil {
		return "", err
	}
	fault := git.TreeEntry{Mode: c.is[m.path].Mode, Hash: hash}
	now, err := c.commit(ctx, c.head, map[string]git.TreeEntry{m.path: fault})
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
		new, err := p.runBroken(ctx, c, r, now, ck)
		if err != nil {
			return "", err
		}
		if !new.Green() {
			return "", nil // caught
		}
	}
	for _, ck := range p.Checks {
		old, err := p.runBroken(ctx, c, r, before, ck)
		if err != nil {
			return "", err
		}
		if !old.Green() && old.Outcome != journal.CheckTimeout {
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
	lines   []string // of the file without it
	with    string   // the line with it
	words   []string // in the line, and in those that head its blocks: its if, its function
	message bool     // the fault is in a text
}

// text returns the file with the fault.
func (m mutant) text() string {
	return strings.Join(slices.Concat(m.lines[:m.line-1], []string{m.with}, m.lines[m.line:]), "")
}

// mutants puts faults into the work that the changed tests are about: into the files that
// they name, else into any. Most are in code with the names that the changed places of the
// tests use, and the rest is spread evenly.
func (c *comparison) mutants(ctx context.Context, changed []string) ([]mutant, error) {
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
	weights, err := c.wordsOf(ctx, changed)
	return pick(found, weights, changed), err
}

// pick returns at most maxMutants: three in four are those with the highest score.
func pick(found []mutant, weights map[string]float64, tests []string) []mutant {
	in := map[string]float64{}
	for _, m := range found {
		for _, w := range m.words {
			in[w]++
		}
	}
	scores := make([]float64, len(found))
	for i, m := range found {
		scores[i] = m.score(weights, func(w string) float64 { return float64(len(found)) / in[w] })
		if slices.ContainsFunc(tests, func(t string) bool { return mentions(path.Base(t), m.path) }) {
			scores[i] *= 4
		}
	}
	order := spread(len(found))
	best := slices.Clone(order)
	slices.SortStableFunc(best, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	var some []mutant
	taken := map[int]bool{}
	take := func(list []int, most int) {
		for _, i := range list {
			if len(some) < most && !taken[i] {
				taken[i], some = true, append(some, found[i])
			}
		}
	}
	take(best, maxMutants*3/4)
	take(order, maxMutants)
	return some
}

// score rates how likely tests that use words of these weights find the fault. Rare words
// say more. Texts are mostly messages, which few tests compare.
func (m mutant) score(weights map[string]float64, rarity func(string) float64) float64 {
	score := 1.0
	for _, w := range m.words {
		score += weights[w] * math.Log(rarity(w))
	}
	if m.message {
		score /= 3
	}
	return score
}

var word = regexp.MustCompile(`[A-Za-z_]\w{2,}`)

// wordsOf returns the words in tests as they were, with their weight: 1 in lines that changed,
// less in lines around them.
func (c *comparison) wordsOf(ctx context.Context, tests []string) (map[string]float64, error) {
	const before, after, near = 5, 10, 0.2
	diff, _, err := c.repo.Diff(ctx,
		git.Diff{From: c.base, To: c.head, NoRenames: true, Limit: maxDiff})
	if err != nil {
		return nil, err
	}
	weights := map[string]float64{}
	for _, b := range blocksIn(diff) {
		if !slices.Contains(tests, b.Path) {
			continue
		}
		lines := splitLines(c.text(ctx, c.was[b.Path]))
		from, to := max(b.OldLine-1, 0), b.OldLine-1+b.OldCount
		for n := max(from-before, 0); n < min(to+after, len(lines)); n++ {
			weight := near
			if n >= from && n < to {
				weight = 1
			}
			for _, w := range word.FindAllString(lines[n], -1) {
				weights[w] = max(weights[w], weight)
			}
		}
	}
	return weights, nil
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
	files   []string // not empty: only in files with these extensions
}

// faults are tried in this order; the first that fits a line is put into it.
var faults = []fault{
	at(`===`, `!==`),
	at(`!==`, `===`),
	at(` == `, ` != `),
	at(` != `, ` == `),
	at(` <= `, ` > `),
	at(` >= `, ` < `),
	at(` < `, ` >= `),
	at(` > `, ` <= `),
	at(`^(\s*(?:el|else )?if )(.+)(:\s*)$`, `${1}not ($2)$3`, ".py"),
	at(`^(\s*(?:\} ?else )?if ?\()(.+)(\) \{\s*)$`, `${1}!($2)$3`),
	at(`^(\s*(?:\} else )?if )([^;]+)( \{\s*)$`, `${1}!($2)$3`),
	at(` \+ `, ` - `),
	at(` - `, ` + `),
	at(` \* `, ` + `),
	at(` && `, ` || `),
	at(` \|\| `, ` && `),
	at(` and `, ` or `),
	at(` or `, ` and `),
	at(`\btrue\b`, `false`),
	at(`\bfalse\b`, `true`),
	at(`\bTrue\b`, `False`),
	at(`\bFalse\b`, `True`),
	at(`([(\[,=:\s])([0-9]+)\b`, `${1}1${2}`),
	at(`"([^"]*[^"\s])"`, `"~${1}"`),
	at(`'([^']*[^'\s])'`, `'~${1}'`),
	at(`^(\s+return) [^\s{([](?:.*[^\s,{([])?(\s*)$`, `$1 None$2`, ".py"),
	at(`^(\s*return) [^;]+;(\s*)$`, `$1 null;$2`,
		".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".php", ".java"),
}

// at is a fault where an expression matches, in all files or in those with an extension.
func at(find, replace string, files ...string) fault {
	return fault{find: regexp.MustCompile(find), replace: replace, files: files}
}

var loads = regexp.MustCompile(`^\s*(?:import\b|from\b|package\b|use\b|require\b|#include|module\b|export \{|const \w+ = require|\. |source )`)

// withoutTail returns a line of code without the remark at its end.
func withoutTail(line, begin string) string {
	if code, _, is := strings.Cut(line, " "+begin+" "); begin != "" && is {
		return code
	}
	return line
}

func wordsIn(lines []string, begin string) []string {
	var all []string
	for _, line := range lines {
		all = append(all, word.FindAllString(withoutTail(line, begin), -1)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// remarkUntil returns the characters that end the remark of several lines that a line opens or is
// in. It returns "" if the remark ends in the line.
func remarkUntil(line, in string) string {
	rest := line
	if in == "" {
		in = "*/"
		if strings.HasPrefix(line, `"""`) {
			in, rest = `"""`, line[3:]
		}
	}
	if strings.Contains(rest, in) {
		return ""
	}
	return in
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// mutantsOf puts a fault into each line of a file that has a place for one.
func mutantsOf(name, text string) []mutant {
	begin, blocks := remarkOf(name)
	work := text
	if path.Ext(name) == ".rs" {
		work, _ = splitRust(text)
	}
	lines := splitLines(text)
	var found []mutant
	var heads []string // lines that are less indented than those after them
	until := ""        // the end of a remark of several lines
	for i, line := range lines {
		bare := strings.TrimSpace(line)
		if bare == "" {
			continue
		}
		if in := until; in != "" || blocks && strings.HasPrefix(bare, "/*") || strings.HasPrefix(bare, `"""`) {
			until = remarkUntil(bare, in)
			continue
		}
		deep := indentation(line)
		heads = slices.DeleteFunc(heads, func(head string) bool { return indentation(head) >= deep })
		heads = append(heads, line)
		if begin != "" && strings.HasPrefix(bare, begin) || loads.MatchString(line) ||
			strings.HasPrefix(heads[0], "import") || !strings.Contains(work, line) {
			continue
		}
		code := withoutTail(line, begin)
		for _, f := range faults {
			at := f.find.FindStringIndex(code)
			if at == nil || len(f.files) > 0 && !slices.Contains(f.files, path.Ext(name)) {
				continue
			}
			with := line[:at[0]] + f.find.ReplaceAllString(line[at[0]:at[1]], f.replace) + line[at[1]:]
			if with == line {
				continue
			}
			found = append(found, mutant{path: name, line: i + 1, was: bare, is: strings.TrimSpace(with),
				lines: lines, with: with,
				words: wordsIn(heads, begin), message: strings.ContainsAny(f.replace, `"'`)})
			break
		}
	}
	return found
}
