package tamper

import (
	"fmt"
	"path/filepath"
	"strings"
)

// tests looks at a file that holds tests.
func (i *inspection) tests(f *file) {
	named := f.fw.named.match(f.old)
	switch {
	case f.binary && named && !f.added():
		i.add(Finding{Path: f.path(), Rule: "test-hidden", Message: "a test changed, and git shows nothing of how"})
		return
	case f.renamed() && named && !f.fw.runs(f.new) && i.holdsTests(f):
		i.add(Finding{Path: f.new, Rule: "test-hidden", Message: "the test file " + f.old + " has a name now under which no test runner finds it"})
	}
	added := addedIn(f)
	inBlock := i.removedTests(f, added)
	for n := range f.hunks {
		h := &f.hunks[n]
		i.skips(f, h)
		i.assertions(f, h, inBlock[n], added)
	}
}

// runs reports whether a test runner takes the file for a test. Names that begin
// with a dot or an underscore are left out by most.
func (f *framework) runs(path string) bool {
	base := filepath.Base(path)
	return f.all.match(path) && base[0] != '_' && base[0] != '.'
}

// holdsTests reports whether a renamed file, as it is now, has any test.
func (i *inspection) holdsTests(f *file) bool {
	for line := range strings.Lines(readSome(filepath.Join(i.root, f.new))) {
		if _, ok := f.fw.testName(strings.TrimRight(line, "\r\n")); ok {
			return true
		}
	}
	return false
}

// removedTests reports tests that are gone. It returns, for each hunk, from which
// of its removed lines on everything belongs to a test that was removed.
func (i *inspection) removedTests(f *file, added rewritten) []int {
	from := make([]int, len(f.hunks))
	var gone []block
	for n, h := range f.hunks {
		from[n] = len(h.removed)
		blocks := f.fw.blocks(h.removed, h.oldLine)
		if len(blocks) > 0 {
			from[n] = blocks[0].at
		}
		renamed := f.fw.fresh(h.added, h.newLine, blocks)
		for _, b := range blocks {
			switch {
			case i.changes.tests[f.fw.id(b)] > 0:
				i.changes.tests[f.fw.id(b)]--
				i.emptied(f, b, added)
			case renamed > 0 && len(b.lines) <= 2:
				renamed-- // only its head gave way to another
			case i.moved(b.lines) || added.resembles(b.lines) || i.subjectGone(b.lines):
			default:
				gone = append(gone, b)
			}
		}
	}
	if f.deleted() || f.emptied {
		i.wholeFile(f, gone)
		return from
	}
	if len(gone) <= added.tests && added.asserts >= added.lost {
		return from // rewritten in place
	}
	for _, b := range gone {
		i.add(Finding{Path: f.path(), Line: b.line, Rule: "test-removed", Message: "a test is gone" + called(b.name), Text: b.lines[0]})
	}
	return from
}

// emptied reports a test that stands elsewhere now, or in another form, and
// asserts nothing there.
func (i *inspection) emptied(f *file, b block, added rewritten) {
	if f.fw.asserts(b.lines) && !i.changes.asserting[f.fw.id(b)] && !i.moved(b.lines) && !added.resembles(b.lines) {
		i.add(Finding{Path: f.path(), Line: b.line, Rule: "test-emptied", Message: "a test was emptied" + called(b.name), Text: b.lines[0]})
	}
}

func called(name string) string {
	if name == "" {
		return ""
	}
	return ": " + shorten(name)
}

// wholeFile reports a test file that was deleted or emptied, unless all of it is
// elsewhere, or what it tested was deleted too.
func (i *inspection) wholeFile(f *file, gone []block) {
	var all []string
	for _, h := range f.hunks {
		all = append(all, h.removed...)
	}
	if f.deleted() && i.followedItsSubject(f, all) {
		return
	}
	hasTests := false
	for _, h := range f.hunks {
		hasTests = hasTests || len(f.fw.blocks(h.removed, 1)) > 0
	}
	// A file of a test's name without anything that looks like one, as scripts
	// are, is a test as a whole.
	if len(gone) == 0 && (hasTests || !f.fw.named.match(f.old) && !f.fw.asserts(all) || i.moved(all) || len(all) == 0) {
		return
	}
	did := "deleted"
	if !f.deleted() {
		did = "emptied"
	}
	message := "a test file was " + did
	if n := len(gone); n > 0 {
		message += fmt.Sprintf("; gone with it: %s", names(gone))
	}
	i.add(Finding{Path: f.path(), Rule: "test-file-" + did, Message: message})
}

// followedItsSubject reports whether what a deleted test file was about is gone as
// well, or has another name, and tests under that name that assert as much.
func (i *inspection) followedItsSubject(f *file, removed []string) bool {
	name := stem(f.old)
	if i.changes.stems[name] {
		return true
	}
	to, ok := i.changes.became[name]
	n := i.changes.testFiles[to]
	return ok && n > 0 && n >= f.fw.assertions(removed)
}

// names lists the first names of tests.
func names(blocks []block) string {
	const most = 3
	var list []string
	for _, b := range blocks[:min(most, len(blocks))] {
		if b.name != "" {
			list = append(list, shorten(b.name))
		}
	}
	switch rest := len(blocks) - len(list); {
	case len(list) == 0:
		return fmt.Sprintf("%d tests", len(blocks))
	case rest > 0:
		list = append(list, fmt.Sprintf("%d more", rest))
	}
	return strings.Join(list, ", ")
}

// moved reports whether most of the lines stand in another place now. The first
// line, the head, says nothing of that.
func (i *inspection) moved(lines []string) bool {
	found, all := 0, 0
	for _, line := range lines[1:] {
		if !telling(line) {
			continue
		}
		all++
		if i.changes.cameBack(line) {
			found++
		}
	}
	return all > 0 && 2*found >= all
}

// subjectGone reports whether a test uses something whose definition is gone too.
func (i *inspection) subjectGone(lines []string) bool {
	for _, line := range lines {
		for _, w := range words(line) {
			if i.changes.gone[w] {
				return true
			}
		}
	}
	return false
}
