package check

import "ralph/internal/journal"

// Results remembers how checks fared on a state of the project: the same check
// is not run twice on the same one.
type Results struct {
	known map[key]Result
}

// On is what a check is run on.
type On struct {
	Tree  string // of a commit, or a fingerprint of the worktree
	Plan  string // a fingerprint of the plan, which neither of them includes
	Clean bool   // in a clean worktree
}

// key is everything known to ralph that decides the result of a check. ralph does not know
// the rest of the world: ignored files in place, a database, the time of day.
type key struct {
	name, command string
	on            On
}

// Find returns the result of a check.
func (rs *Results) Find(c Check, on On) (Result, bool) {
	r, ok := rs.known[key{c.Name, c.Command, on}]
	r.Check = c
	return r, ok && on.Tree != ""
}

// Keep remembers a result. One that was interrupted says nothing.
func (rs *Results) Keep(r Result, on On) {
	if r.Outcome == journal.CheckInterrupted || on.Tree == "" {
		return
	}
	if rs.known == nil {
		rs.known = map[key]Result{}
	}
	rs.known[key{r.Check.Name, r.Check.Command, on}] = r
}

// Forget drops what is known of a tree in place: the checks have changed it
// while they ran, so that not all of them saw the same.
func (rs *Results) Forget(tree string) {
	for k := range rs.known {
		if k.on.Tree == tree && !k.on.Clean {
			delete(rs.known, k)
		}
	}
}
