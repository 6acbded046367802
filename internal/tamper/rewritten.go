package tamper

// fresh counts the tests that begin among added lines and have another name than
// all that were removed in the same place.
func (f *framework) fresh(added []string, first int, removed []block) int {
	n := 0
	for _, a := range f.blocks(added, first) {
		known := false
		for _, b := range removed {
			known = known || a.name == b.name
		}
		if !known {
			n++
		}
	}
	return n
}

// rewritten is what was added to one file, to recognise tests in that were
// written anew: in another style, or as rows of one table.
type rewritten struct {
	words   map[string]bool
	defined map[string]bool // functions
	tests   int             // beginnings of tests, less those that were removed under the same name
	asserts int             // assertions that were added
	lost    int             // assertions that were removed
}

func addedIn(f *file) rewritten {
	r := rewritten{words: map[string]bool{}, defined: map[string]bool{}}
	was := map[string]bool{}
	for _, h := range f.hunks {
		for _, b := range f.fw.blocks(h.removed, 0) {
			was[b.name] = true
		}
	}
	for _, h := range f.hunks {
		for _, b := range f.fw.blocks(h.added, 0) {
			if !was[b.name] {
				r.tests++
			}
		}
		for _, line := range h.removed {
			if f.fw.isAssertion(line) {
				r.lost++
			}
		}
		for _, line := range h.added {
			if f.fw.isComment(line) {
				continue
			}
			if f.fw.isAssertion(line) {
				r.asserts++
			}
			defines(line, r.defined)
			for _, w := range words(line) {
				r.words[w] = true
			}
		}
	}
	return r
}

// resembles reports whether nearly all words of a removed test were written into
// the same file again: its values are the rows of a table now, or its assertions
// have another form.
func (r rewritten) resembles(lines []string) bool {
	found, all := 0, 0
	seen := map[string]bool{}
	for _, line := range lines[1:] {
		for _, w := range words(line) {
			if seen[w] {
				continue
			}
			seen[w] = true
			all++
			if r.words[w] {
				found++
			}
		}
	}
	const few = 4 // words that any test has
	return all >= few && 5*found >= 4*all
}
