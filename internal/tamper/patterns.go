package tamper

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

//go:embed patterns.yaml
var patternsFile []byte

// patterns reads the data file once, and only in programs that look at a diff.
var patterns = sync.OnceValue(func() *library {
	l, err := parseLibrary(patternsFile)
	if err != nil {
		panic(err) // the file is a part of the program, and a test reads it
	}
	return l
})

// library is patterns.yaml, ready for use.
type library struct {
	frameworks []framework
	rules      []lineRule
	thresholds []threshold
	words      []pattern
	shadows    []shadow

	ignored, snapshots, strict, commands globs
}

// framework is how the tests of one kind look.
type framework struct {
	Name    string    `yaml:"name"`
	Files   []string  `yaml:"files"`
	Folders []string  `yaml:"folders"`
	Comment []string  `yaml:"comment"`
	Test    []pattern `yaml:"test"`
	NameRE  string    `yaml:"name_of"`
	Skip    []pattern `yaml:"skip"`
	Assert  []pattern `yaml:"assert"`
	Hollow  []pattern `yaml:"hollow"`
	Runner  *runner   `yaml:"runner"`

	named, all globs
	nameOf     *regexp.Regexp
}

// runner is a function that all tests run through: re is its head, needs what must
// stand in it, or no test runs.
type runner struct {
	RE    string   `yaml:"re"`
	Needs string   `yaml:"needs"`
	Yes   []string `yaml:"yes"` // whole functions, in one line
	No    []string `yaml:"no"`

	re, needs expr
}

func (r *runner) compile() (err error) {
	if r.re, err = newExpr(r.RE); err == nil {
		r.needs, err = newExpr(r.Needs)
	}
	return err
}

// shadow is a file that takes the place of others in the same folder.
type shadow struct {
	File  string   `yaml:"file"`
	Over  []string `yaml:"over"`
	Words []string `yaml:"words"` // one of them stands in a file that it matters for
}

// lineRule is about single lines of certain files.
type lineRule struct {
	Rule    string   `yaml:"rule"`
	Message string   `yaml:"message"`
	Files   []string `yaml:"files"`
	Except  []string `yaml:"except"`
	Scripts bool     `yaml:"scripts"` // also in the scripts of quality checks
	Source  bool     `yaml:"source"`  // not in tests
	Comment bool     `yaml:"comment"` // comments count
	Present bool     `yaml:"present"` // not in files that are new
	NotIn   string   `yaml:"not_in"`  // not below the headings of a TOML file that it matches
	// Where a line of the kind gave way to another one: Extended says that one which
	// only adds words is none, Replaced that there is none elsewhere.
	Extended bool      `yaml:"extended"`
	Replaced bool      `yaml:"replaced"`
	Added    []pattern `yaml:"added"`
	Removed  []pattern `yaml:"removed"`

	files, except globs
	notIn         *regexp.Regexp
}

// threshold is a number that a check holds something against.
type threshold struct {
	Rule    string    `yaml:"rule"`
	Message string    `yaml:"message"`
	Files   []string  `yaml:"files"`
	Weaker  string    `yaml:"weaker"` // up or down
	Match   []pattern `yaml:"match"`

	files globs
}

// pattern is one expression with the lines that hold it.
type pattern struct {
	RE      string   `yaml:"re"`
	Unless  string   `yaml:"unless"`
	Comment bool     `yaml:"comment"` // it is about comments
	Yes     []string `yaml:"yes"`
	No      []string `yaml:"no"`

	re     expr
	unless *regexp.Regexp
}

func (p *pattern) match(line string) bool {
	return p.re.match(line) && (p.unless == nil || !p.unless.MatchString(line))
}

func (p *pattern) compile() (err error) {
	if p.re, err = newExpr(p.RE); err == nil && p.Unless != "" {
		p.unless, err = regexp.Compile(p.Unless)
	}
	return err
}

// anyOf reports whether one of the patterns is found in the line.
func anyOf(list []pattern, line string) bool {
	for i := range list {
		if list[i].match(line) {
			return true
		}
	}
	return false
}

// sources are the sections of the data file as they stand there.
type sources struct {
	Ignored    []string    `yaml:"ignored"`
	Frameworks []framework `yaml:"frameworks"`
	Rules      []lineRule  `yaml:"rules"`
	Thresholds []threshold `yaml:"thresholds"`
	Shadows    []shadow    `yaml:"shadows"`
	Snapshots  []string    `yaml:"snapshots"`
	Strict     []string    `yaml:"strict"`
	Commands   struct {
		Files []string  `yaml:"files"`
		Words []pattern `yaml:"words"`
	} `yaml:"commands"`
}

func parseLibrary(data []byte) (*library, error) {
	var s sources
	dec := yaml.NewDecoder(strings.NewReader(string(data)))
	dec.KnownFields(true)
	if err := dec.Decode(&s); err != nil {
		return nil, fmt.Errorf("patterns.yaml: %w", err)
	}
	for _, list := range s.lists() {
		for i := range list {
			if err := list[i].compile(); err != nil {
				return nil, fmt.Errorf("patterns.yaml: %w", err)
			}
		}
	}
	for i := range s.Frameworks {
		f := &s.Frameworks[i]
		f.named, f.all = newGlobs(f.Files), newGlobs(append(f.Files[:len(f.Files):len(f.Files)], f.Folders...))
		if f.NameRE != "" {
			f.nameOf = regexp.MustCompile(f.NameRE)
		}
		if f.Runner == nil {
			continue
		}
		if err := f.Runner.compile(); err != nil {
			return nil, fmt.Errorf("patterns.yaml: %w", err)
		}
	}
	for i := range s.Rules {
		s.Rules[i].files, s.Rules[i].except = newGlobs(s.Rules[i].Files), newGlobs(s.Rules[i].Except)
		if s.Rules[i].NotIn != "" {
			s.Rules[i].notIn = regexp.MustCompile(s.Rules[i].NotIn)
		}
	}
	for i := range s.Thresholds {
		s.Thresholds[i].files = newGlobs(s.Thresholds[i].Files)
	}
	return &library{
		frameworks: s.Frameworks, rules: s.Rules, thresholds: s.Thresholds, words: s.Commands.Words, shadows: s.Shadows,
		ignored: newGlobs(s.Ignored), snapshots: newGlobs(s.Snapshots), strict: newGlobs(s.Strict), commands: newGlobs(s.Commands.Files),
	}, nil
}

// lists returns every list of patterns that there is.
func (s *sources) lists() [][]pattern {
	lists := [][]pattern{s.Commands.Words}
	for _, f := range s.Frameworks {
		lists = append(lists, f.Test, f.Skip, f.Assert, f.Hollow)
	}
	for _, r := range s.Rules {
		lists = append(lists, r.Added, r.Removed)
	}
	for _, t := range s.Thresholds {
		lists = append(lists, t.Match)
	}
	return lists
}

// framework returns how tests in the file look, nil where it holds none.
func (l *library) framework(path string) *framework {
	for i := range l.frameworks {
		if l.frameworks[i].all.match(path) {
			return &l.frameworks[i]
		}
	}
	return nil
}

// isComment reports whether the line is nothing but a comment.
func (f *framework) isComment(line string) bool {
	line = strings.TrimSpace(line)
	for _, c := range f.Comment {
		switch {
		case !strings.HasPrefix(line, c):
		case c == "*": // inside of a block comment; else it is a pointer
			return line == "*" || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "*/")
		default:
			return true
		}
	}
	return false
}
