package tamper

import (
	"regexp"
	"strings"
	"sync"
)

// helper finds calls of functions that are named as assertions are.
var helper = sync.OnceValue(func() expr {
	return mustExpr(`\b(?:\w*(?:A|\b_*a)ssert|\w*(?:C|\b_*c)heck|\w*(?:V|\b_*v)erify|\w*(?:E|\b_*e)xpect|\w*(?:R|\b_*r)equire|\w*(?:M|\b_*m)ust|\w*(?:E|\b_*e)nsure|\w*(?:S|\b_*s)hould)\w*\s*[({]`)
})

// guarded finds the beginning of a condition, and the first word of it.
var guarded = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:\}\s*)?(?:(?:else\s+)?if|unless|elif|elsif|case|when|guard|switch|test|\[\[?)[\s(]+(\S+)`)
})

// isAssertion reports whether the line holds something against an expectation,
// in a way that can fail.
func (f *framework) isAssertion(line string) bool {
	return !f.isComment(line) && anyOf(f.Assert, line) && !anyOf(f.Hollow, line)
}

// assertions counts lines that assert.
func (f *framework) assertions(lines []string) int {
	n := 0
	for _, line := range lines {
		if f.isAssertion(line) {
			n++
		}
	}
	return n
}

// asserts reports whether one of the lines does, by itself or through a function
// that is named so.
func (f *framework) asserts(lines []string) bool {
	for _, line := range lines {
		if f.isAssertion(line) || !f.isComment(line) && !anyOf(f.Hollow, line) && helper().match(line) {
			return true
		}
	}
	return false
}

// assertions reports assertions that were taken out of a place without another
// one coming in. Removed lines from the index `block` on belong to a test that is
// looked at as a whole.
func (i *inspection) assertions(f *file, h *hunk, block int, added rewritten) {
	for n, line := range h.added {
		if anyOf(f.fw.Hollow, line) && !f.fw.isComment(line) && !i.changes.wasThere(line) {
			i.add(Finding{Path: f.path(), Line: h.newLine + n, Rule: "assertion-hollow", Message: "an assertion that can never fail", Text: line})
		}
	}
	if len(f.fw.Assert) == 0 || f.deleted() || i.checksAgain(f.fw, h, added) {
		return
	}
	count, first := 0, 0
	for n, line := range h.removed[:block] {
		if !f.fw.isAssertion(line) || i.changes.cameBack(line) || i.subjectGone([]string{line}) {
			continue
		}
		if count++; count == 1 {
			first = n
		}
	}
	if count == 0 {
		return
	}
	message := "an assertion was removed"
	if count > 1 {
		message = plural(count) + " assertions were removed"
	}
	i.add(Finding{Path: f.path(), Line: h.oldLine + first, Rule: "assertion-removed", Message: message, Text: h.removed[first]})
}

// checksAgain reports whether lines that came in, and were not there before, assert
// something too, by themselves or through a function that is named so or is new.
func (i *inspection) checksAgain(f *framework, h *hunk, added rewritten) bool {
	for _, line := range h.added {
		if f.isComment(line) || anyOf(f.Hollow, line) || i.changes.wasThere(line) {
			continue
		}
		if anyOf(f.Assert, line) || helper().match(line) {
			return true
		}
		for _, w := range words(line) {
			if added.defined[w] && strings.Contains(line, w+"(") {
				return true
			}
		}
	}
	return false
}

// skips reports tests that will not run, or that alone will run.
func (i *inspection) skips(f *file, h *hunk) {
	for n, line := range h.added {
		if i.changes.wasThere(line) {
			continue
		}
		comment := f.fw.isComment(line)
		for k := range f.fw.Skip {
			p := &f.fw.Skip[k]
			if comment && !p.Comment || !p.match(line) || n > 0 && conditional(h.added[n-1]) {
				continue
			}
			i.add(Finding{Path: f.path(), Line: h.newLine + n, Rule: "test-skipped", Message: "a test is skipped, or keeps others from running", Text: line})
			break
		}
	}
	i.runner(f, h)
	if len(h.added) != 1 || len(h.removed) > 0 {
		return
	}
	switch line := strings.TrimSpace(h.added[0]); line {
	case "return", "return;", "exit 0", "os.Exit(0)", "sys.exit(0)", "process.exit(0)", "process.exit(0);":
		i.add(Finding{Path: f.path(), Line: h.newLine, Rule: "test-skipped", Message: "a test ends before its assertions", Text: line})
	case "/*", `"""`, "'''", "=begin", "#if 0", "<!--", "<<'#'", ": <<'EOF'":
		i.add(Finding{Path: f.path(), Line: h.newLine, Rule: "test-skipped", Message: "what follows was turned into a comment", Text: line})
	}
}

// runner reports a function through which all tests run, and that runs none.
func (i *inspection) runner(f *file, h *hunk) {
	r := f.fw.Runner
	if r == nil {
		return
	}
	for n, line := range h.added {
		if r.re.match(line) && !i.changes.wasThere(line) && !r.runs(h.added[n:]) {
			i.add(Finding{Path: f.path(), Line: h.newLine + n, Rule: "test-skipped", Message: "all tests go through this function, and it runs none", Text: line})
		}
	}
}

// runs reports whether the function at the beginning of the lines runs the tests.
func (r *runner) runs(lines []string) bool {
	for _, line := range lines {
		if r.needs.match(line) {
			return true
		}
		if line == "}" {
			break
		}
	}
	return false
}

// conditional reports whether what comes after the line depends on something.
func conditional(line string) bool {
	m := guarded().FindStringSubmatch(line)
	if m == nil {
		return false
	}
	switch strings.Trim(m[1], "():{;") {
	case "true", "True", "1", "!false":
		return false
	}
	return true
}
