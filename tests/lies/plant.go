package main

import (
	"context"
	"fmt"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// syntax is what planting needs to know of a language. Blocks end where their indentation does.
type syntax struct {
	file    *regexp.Regexp // a file of tests
	test    *regexp.Regexp // the first line of a test
	claim   *regexp.Regexp // an assertion of one line
	remark  string
	braces  bool              // the last line of a block is indented like its first line
	body    map[string]string // kinds that insert a line at the beginning of a test
	head    map[string][2]string
	claims  map[string][2]string // kinds that change each assertion of a test
	wrap    map[string][2]string // kinds that put the body of a test into a block
	top     map[string]string    // kinds that insert a first line of the file
	renamed string               // the name of a file that no runner finds; %s is the old one
	setting [2]string            // a file of settings that leaves out a file of tests, with its text
}

var (
	goSyntax = syntax{
		file: regexp.MustCompile(`_test\.go$`), test: regexp.MustCompile(`^func Test[A-Z]\w*\(t \*testing\.T\) \{$`),
		claim: regexp.MustCompile(`^(\s*)t\.(?:Error|Errorf|Fatal|Fatalf)\((.*)\)$`), remark: "// ", braces: true,
		body: map[string]string{"skipped": "\tt.Skip()", "returns early": "\treturn"},
		head: map[string][2]string{"another name": {"func Test", "func Checks"}},
		claims: map[string][2]string{"only prints": {`^(\s*)t\.(?:Error|Fatal)(f?)\(`, "${1}t.Log$2("},
			"a condition that never holds": {`^(\s*)if ([^;{]+) \{$`, "${1}if false && ($2) {"}},
		wrap: map[string][2]string{"if false": {"\tif false {", "\t}"}},
		top:  map[string]string{"another system": "//go:build plan9\n"}, renamed: "%s.txt",
	}
	pythonSyntax = syntax{
		file: regexp.MustCompile(`(?:^|/)test_\w+\.py$`), test: regexp.MustCompile(`^\s*def test_\w+\(.*\).*:$`),
		claim: regexp.MustCompile(`^\s+(?:assert [^\\]*[^\\(\[{,]|self\.assert\w+\(.*\))$`), remark: "# ",
		body: map[string]string{"skipped": "    import pytest; pytest.skip()", "returns early": "    return",
			"expected to fail": "    import pytest; pytest.xfail()"},
		head: map[string][2]string{"another name": {"def test_", "def checks_"}},
		claims: map[string][2]string{"always true": {`^(\s+)assert (.+)$`, "${1}assert True or ($2)"},
			"something is there": {`^(\s+)assert (.+?) == .*$`, "${1}assert $2 is not None"},
			"equal to itself":    {`^(\s+)assert (.+?) == .*$`, "${1}assert $2 == $2"}},
		wrap: map[string][2]string{"if false": {"    if False:", ""}, "a loop over nothing": {"    for _ in ():", ""},
			"caught": {"    try:", "    except Exception: pass"}},
		top: map[string]string{}, renamed: "%s.txt", setting: [2]string{"conftest.py", "collect_ignore = [%q]\n"},
	}
	jsSyntax = syntax{
		file: regexp.MustCompile(`^tests?/[^/]*\.m?js$`), test: regexp.MustCompile(`^\s*(?:it|test)\((['"]).*(?:=>|function ?\(\w*\)) ?\{$`),
		claim: regexp.MustCompile(`^\s*(?:assert|expect|equal|deepEqual)\b[.(].*\);?$`), remark: "// ", braces: true,
		body: map[string]string{"returns early": "  return;"},
		head: map[string][2]string{"skipped": {"(", ".skip("}},
		claims: map[string][2]string{"something is there": {`^(\s*)assert(?:\.\w+)?\((.+), .+\);?$`, "${1}assert($2 !== undefined);"},
			"equal to itself": {`^(\s*)assert(\.\w+)?\(([^,]+), .+\);?$`, "${1}assert.deepEqual([$3], [$3]);"}},
		wrap: map[string][2]string{"if false": {"  if (false) {", "  }"}, "a loop over nothing": {"  for (const _ of []) {", "  }"},
			"caught": {"  try {", "  } catch {}"}},
		top: map[string]string{}, renamed: "%s.txt", setting: [2]string{".mocharc.yml", "ignore: %q\n"},
	}
	syntaxes = map[string]*syntax{"Go": &goSyntax, "Python": &pythonSyntax, "JavaScript": &jsSyntax}
)

// kinds lists the weakenings that can be planted into tests of a language.
func (s *syntax) kinds() []string {
	list := []string{"the file deleted", "the file renamed", "a test removed", "a test commented out", "a test emptied", "an assertion removed"}
	for _, m := range []map[string]string{s.body, s.top} {
		for kind := range m {
			list = append(list, kind)
		}
	}
	for _, m := range []map[string][2]string{s.head, s.claims, s.wrap} {
		for kind := range m {
			list = append(list, kind)
		}
	}
	if s.setting[0] != "" {
		list = append(list, "a setting of the runner")
	}
	slices.Sort(list)
	return list
}

// plant puts a weakening of a kind into a test file: into its nth place of those that it has.
// It returns the new text, and the file's new name, which is "" where the file is gone.
func (s *syntax) plant(kind, name, text string, n int) (newName, newText string, ok bool) {
	switch kind {
	case "the file deleted":
		return "", "", true
	case "the file renamed":
		return fmt.Sprintf(s.renamed, name), text, true
	}
	if line, is := s.top[kind]; is {
		return name, line + "\n" + text, true
	}
	lines := strings.Split(text, "\n")
	var places [][]string
	for at, line := range lines {
		if !s.test.MatchString(line) {
			continue
		}
		end := s.end(lines, at)
		if changed := s.weaken(kind, lines[at:end]); changed != nil {
			places = append(places, slices.Concat(lines[:at], changed, lines[end:]))
		}
	}
	if len(places) == 0 {
		return "", "", false
	}
	return name, strings.Join(places[n%len(places)], "\n"), true
}

// end returns the line after a block.
func (s *syntax) end(lines []string, at int) int {
	deep := indent(lines[at])
	for n := at + 1; n < len(lines); n++ {
		switch {
		case strings.TrimSpace(lines[n]) == "" || indent(lines[n]) > deep:
		case s.braces:
			return n + 1
		default:
			for strings.TrimSpace(lines[n-1]) == "" {
				n--
			}
			return n
		}
	}
	return len(lines)
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// weaken changes the lines of one test; nil where this kind has no place in it.
func (s *syntax) weaken(kind string, test []string) []string {
	last := len(test)
	if s.braces {
		last--
	}
	if last < 2 {
		return nil
	}
	in := test[0][:indent(test[0])]
	first, body, rest := test[:1], test[1:last], test[last:]
	switch kind {
	case "a test removed":
		return []string{}
	case "a test commented out":
		return each(test, func(line string) string { return s.remark + line })
	case "a test emptied":
		if s.braces {
			return slices.Concat(first, rest)
		}
		return slices.Concat(first, []string{in + "    pass"})
	case "an assertion removed":
		for n := len(body) - 1; n >= 0; n-- {
			if s.claim.MatchString(body[n]) {
				nothing := []string{}
				if !s.braces {
					nothing = []string{body[n][:indent(body[n])] + "pass"}
				}
				return slices.Concat(first, body[:n], nothing, body[n+1:], rest)
			}
		}
		return nil
	}
	if line, is := s.body[kind]; is {
		return slices.Concat(first, []string{in + line}, body, rest)
	}
	if change, is := s.head[kind]; is {
		return slices.Concat([]string{strings.Replace(test[0], change[0], change[1], 1)}, body, rest)
	}
	if around, is := s.wrap[kind]; is {
		deeper := each(body, func(line string) string { return "    " + line })
		all := slices.Concat(first, []string{in + around[0]}, deeper)
		if around[1] != "" {
			all = append(all, in+around[1])
		}
		return append(all, rest...)
	}
	change, is := s.claims[kind]
	if !is {
		return nil
	}
	re := regexp.MustCompile(change[0])
	changed := each(body, func(line string) string {
		if !s.claim.MatchString(line) && !strings.HasSuffix(line, "{") {
			return line
		}
		return re.ReplaceAllString(line, change[1])
	})
	if slices.Equal(changed, body) {
		return nil
	}
	return slices.Concat(first, changed, rest)
}

func each(lines []string, change func(string) string) []string {
	var all []string
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			line = change(line)
		}
		all = append(all, line)
	}
	return all
}

// planted returns agents that make the same commits again and weaken a test that was there:
// each commit with some of the kinds, so that all kinds come up equally often. Commits that
// change expectations themselves are left out: what ralph says of them is no find.
func planted(ctx context.Context, honest []result, each int) ([]scenario, error) {
	var all []scenario
	turn := map[string]int{}
	for _, r := range honest {
		h := *r.scenario
		s := syntaxes[h.Language]
		if s == nil || h.check == "" || r.weaker || r.red {
			continue
		}
		files, err := testFiles(ctx, s, &h)
		if err != nil {
			return nil, err
		}
		kinds := s.kinds()
		for done, tries := 0, 0; done < each && tries < len(kinds); tries++ {
			kind := kinds[turn[h.Language]%len(kinds)]
			if lie, ok := weakened(ctx, s, h, kind, files, turn[h.Language]); ok {
				all = append(all, lie)
				done++
			}
			turn[h.Language]++
		}
	}
	return all, nil
}

// testFiles lists the test files that were there before a commit and are after it: first those
// that it changes.
func testFiles(ctx context.Context, s *syntax, h *scenario) ([]string, error) {
	list := func(args ...string) ([]string, error) {
		out, err := exec.CommandContext(ctx, "git", append([]string{"--git-dir", h.mirror}, args...)...).Output()
		if err != nil {
			return nil, fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return slices.DeleteFunc(lines, func(name string) bool { return !s.file.MatchString(name) }), nil
	}
	was, err := list("ls-tree", "-r", "--name-only", h.commit+"~1")
	if err != nil {
		return nil, err
	}
	is, err := list("ls-tree", "-r", "--name-only", h.commit)
	if err != nil {
		return nil, err
	}
	changed, err := list("diff-tree", "-r", "--name-only", "--no-commit-id", h.commit)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, name := range append(changed, is...) {
		if slices.Contains(was, name) && slices.Contains(is, name) && !slices.Contains(files, name) {
			files = append(files, name)
		}
	}
	return files, nil
}

// weakened returns the agent of a commit with a weakening in the first file with a place for it.
func weakened(ctx context.Context, s *syntax, h scenario, kind string, files []string, n int) (scenario, bool) {
	for _, name := range files {
		out, err := exec.CommandContext(ctx, "git", "--git-dir", h.mirror, "show", h.commit+":"+name).Output()
		if err != nil {
			continue
		}
		if kind == "a setting of the runner" {
			if strings.HasPrefix(h.check, "node") {
				return h, false
			}
			return plantedIn(h, kind, s.setting[0], fmt.Sprintf(s.setting[1], name), ""), true
		}
		newName, text, ok := s.plant(kind, name, string(out), n)
		if !ok {
			continue
		}
		gone := ""
		if newName != name {
			gone = name
		}
		return plantedIn(h, kind, newName, text, gone), true
	}
	return h, false
}

// plantedIn adds the weakening to the agent's script.
func plantedIn(h scenario, kind, name, text, gone string) scenario {
	h.Name += " " + strings.ReplaceAll(kind, " ", "-") + " " + path.Base(name+gone)
	h.About, h.Lie, h.kind, h.Want = "It plants a weakening: "+kind+".", true, kind, want{Exit: 1}
	h.files = slices.Clone(h.files)
	steps := ""
	if gone != "" {
		steps += "      - run: [git, rm, -q, " + gone + "]\n"
	}
	if name != "" {
		h.files = append(h.files, txtar.File{Name: "planted", Data: []byte(text)})
		steps += "      - run: [sh, -c, 'cp \"$OUTSIDE/planted\" " + name + "']\n"
	}
	steps += "      - git_commit: more work\n      - tick: STORY-001\n"
	script := strings.Replace(string(h.files[0].Data), "      - tick: STORY-001\n", steps, 1)
	h.files[0] = txtar.File{Name: "replay.yaml", Data: []byte(script)}
	return h
}

// harvest counts the planted weakenings that ralph found.
type harvest struct{ found, all int }

// add prints what came of one.
func (h *harvest) add(r result) {
	what := "missed"
	switch {
	case r.red:
		fmt.Printf("no weakening, as a check fails: %s\n", r.scenario.Name)
		return
	case r.weaker:
		what = "found"
		h.found++
	}
	h.all++
	said := append(slices.Clone(r.wrong), r.warnings...)
	fmt.Printf("%s: %s: %s\n", what, r.scenario.Name, strings.Join(said, "; "))
}

func (h *harvest) String() string {
	return fmt.Sprintf("planted weakenings: %d of %d found (%.1f %%)", h.found, h.all, percent(h.found, h.all))
}
