package check

// Results remembers how checks fared on a state of the project: the same check
// is not run twice on the same one.
type Results struct {
	known map[key]Result
}

// key is everything that decides how a check fares, as far as ralph can tell.
// What it cannot tell is the rest of the world: ignored files in place, a
// database, the time of day.
type key struct {
	name, command string
	tree          string // of a commit, or a fingerprint of the worktree
	clean         bool
}

// Find returns the result of a check on a tree.
func (rs *Results) Find(c Check, tree string, clean bool) (Result, bool) {
	r, ok := rs.known[key{c.Name, c.Command, tree, clean}]
	r.Check = c
	return r, ok && tree != ""
}

// Keep remembers a result. One that was interrupted says nothing.
func (rs *Results) Keep(r Result, tree string, clean bool) {
	if r.Outcome == Interrupted || tree == "" {
		return
	}
	if rs.known == nil {
		rs.known = map[key]Result{}
	}
	rs.known[key{r.Check.Name, r.Check.Command, tree, clean}] = r
}

// Forget drops what is known of a tree in place: the checks have changed it
// while they ran, so that not all of them saw the same.
func (rs *Results) Forget(tree string) {
	for k := range rs.known {
		if k.tree == tree && !k.clean {
			delete(rs.known, k)
		}
	}
}
