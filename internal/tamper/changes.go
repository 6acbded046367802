package tamper

import (
	"hash/maphash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

const (
	// maxNewFile bounds what is read of a file that git does not know, in bytes,
	// and maxNewFiles how many of them are read.
	maxNewFile  = 1 << 20
	maxNewFiles = 500
	// shortest is the length from which on a line says enough to be recognised
	// in another place.
	shortest = 6
)

// changes is a diff with what must be known of all of it before a single file
// can be judged: what moved, and what is gone for good.
type changes struct {
	files []file

	seed      maphash.Seed
	added     map[uint64]bool // lines, without the white space around them
	removed   map[uint64]bool
	tests     map[string]int    // ids of tests that were added, how often
	asserting map[string]bool   // ids of tests that were added with an assertion in them
	gone      map[string]bool   // names whose definition was removed, and is nowhere else
	stems     map[string]bool   // names of source files that were deleted
	became    map[string]string // names of source files that were renamed, and to what
	testFiles map[string]int    // names of test files that were added, with how many assertions
}

func collect(p *library, in Input) *changes {
	c := &changes{seed: maphash.MakeSeed(), added: map[uint64]bool{}, removed: map[uint64]bool{},
		tests: map[string]int{}, asserting: map[string]bool{}, gone: map[string]bool{}, stems: map[string]bool{}, became: map[string]string{}, testFiles: map[string]int{}}
	for _, f := range parseDiff(in.Diff) {
		if p.ignored.match(f.path()) {
			continue
		}
		f.fw = p.framework(f.path())
		if f.fw == nil {
			f.fw = p.framework(f.old)
		}
		c.files = append(c.files, f)
	}
	defined := map[string]bool{}
	for i := range c.files {
		c.note(&c.files[i], defined)
	}
	for _, path := range in.New {
		if fw := p.framework(path); fw != nil && len(in.New) <= maxNewFiles {
			c.noteNew(path, readSome(filepath.Join(in.Root, path)), fw, defined)
		}
	}
	for name := range defined {
		delete(c.gone, name)
	}
	return c
}

// note takes the lines of one file into account.
func (c *changes) note(f *file, defined map[string]bool) {
	source := f.fw == nil || !f.fw.named.match(f.old)
	switch {
	case f.deleted() && source:
		c.stems[stem(f.old)] = true
	case f.renamed() && source:
		c.became[stem(f.old)] = stem(f.new)
	}
	code := f.fw == nil && !prose().match(f.path())
	for _, h := range f.hunks {
		for _, line := range h.removed {
			c.removed[c.key(line)] = true
			if code {
				defines(line, c.gone)
			}
		}
		for _, line := range h.added {
			if code || f.fw != nil {
				defines(line, defined)
			}
			if f.fw == nil || !f.fw.isComment(line) {
				c.added[c.key(line)] = true
			}
		}
		if f.fw != nil {
			c.noteTests(f.fw, h.added)
		}
		if f.fw != nil && f.added() {
			c.testFiles[stem(f.new)] += f.fw.assertions(h.added)
		}
	}
}

// noteNew takes a new file into account that git does not know yet.
func (c *changes) noteNew(path, text string, fw *framework, defined map[string]bool) {
	all := strings.Split(text, "\n")
	for _, line := range all {
		defines(line, defined)
		if !fw.isComment(line) {
			c.added[c.key(line)] = true
		}
	}
	c.noteTests(fw, all)
	c.testFiles[stem(path)] += fw.assertions(all)
}

// noteTests counts the tests among added lines by their names, and which of them
// assert anything.
func (c *changes) noteTests(fw *framework, added []string) {
	for _, b := range fw.blocks(added, 1) {
		c.tests[fw.id(b)]++
		if fw.asserts(b.lines) {
			c.asserting[fw.id(b)] = true
		}
	}
}

func (c *changes) key(line string) uint64 { return maphash.String(c.seed, bare(line)) }

// cameBack reports whether a removed line stands in another place now.
func (c *changes) cameBack(line string) bool { return c.added[c.key(line)] }

// wasThere reports whether an added line stood in another place before.
func (c *changes) wasThere(line string) bool { return c.removed[c.key(line)] }

// isNew reports whether the file at a path came with these changes.
func (c *changes) isNew(path string) bool {
	return slices.ContainsFunc(c.files, func(f file) bool { return f.new == path && f.added() })
}

// bare is a line without what changes when it moves.
func bare(line string) string {
	return strings.TrimRight(strings.TrimSpace(line), ",; ")
}

// definition finds what a line of code defines: functions and types anywhere,
// values only where they stand at the margin and are no mere local names.
var definition = sync.OnceValue(func() expr {
	const before = `(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|override|inline|pub(?:\([^)]*\))?)\s+)*`
	return mustExpr(`^\s*` + before + `(?:func\s+(?:\([^)]*\)\s*)?|def(?:p|module)?\s+(?:self\.)?|(?:fn|function\*?|fun|class|struct|interface|trait|enum)\s+)(\w{4,})` +
		`|^` + before + `(?:type|object|module|const|let|var)\s+(\w{4,})` +
		`|^\s*` + before + `[\w<>\[\],]+\s+(\w{4,})\s*\([^;]*\{\s*$` +
		`|^(\w{4,})\s*\(\)\s*\{`)
})

// defines notes the name that a line of code defines, if it does.
func defines(line string, names map[string]bool) {
	if m := definition().submatch(line); m != nil {
		names[group(m)] = true
	}
}

var prose = sync.OnceValue(func() globs {
	return newGlobs([]string{"*.md", "*.mdx", "*.rst", "*.txt", "*.adoc", "*.html", "*.json", "*.yml", "*.yaml", "*.toml", "*.csv", "*.tsv", "*.svg", "*.sql", "*.log"})
})

// stem is the name of what a file is about: login of login.go, test_login.py,
// LoginTest.java and login.spec.ts.
func stem(path string) string {
	name := strings.ToLower(filepath.Base(path))
	if i := strings.IndexByte(name[min(1, len(name)):], '.'); i >= 0 {
		name = name[:i+1]
	}
	for _, prefix := range []string{"test_", "test-"} {
		name = strings.TrimPrefix(name, prefix)
	}
	for _, suffix := range []string{"_test", "-test", "_tests", "_spec", "_unittest", "tests", "test", "spec"} {
		if short, ok := strings.CutSuffix(name, suffix); ok && short != "" {
			return short
		}
	}
	return name
}

// readSome reads the beginning of a plain file; what cannot be read is empty.
func readSome(path string) string {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxNewFile))
	if err != nil {
		return ""
	}
	return string(data)
}
