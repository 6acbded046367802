package check

import "ralph/internal/journal"

// Results caches check results, so that no check runs twice on the same state of the project.
type Results struct {
	known map[key]Result
}

// On identifies the state of the project that a check ran on.
type On struct {
	Tree  string // the commit's tree, or a fingerprint of the worktree
	Plan  string // a fingerprint of the plan, which Tree does not include
	Clean bool   // the check runs in a clean worktree
}

// key is everything known to ralph that decides the result of a check. ralph does not know
// the rest of the world: ignored files in place, a database, the time of day.
type key struct {
	name, command string
	on            On
}

// Find returns the cached result of a check on a state. It finds nothing if on.Tree is empty.
func (rs *Results) Find(c Check, on On) (Result, bool) {
	r, ok := rs.known[key{c.Name, c.Command, on}]
	r.Check = c
	return r, ok && on.Tree != ""
}

// Keep stores a result. It ignores interrupted checks.
func (rs *Results) Keep(r Result, on On) {
	if r.Outcome == journal.CheckInterrupted || on.Tree == "" {
		return
	}
	if rs.known == nil {
		rs.known = map[key]Result{}
	}
	rs.known[key{r.Check.Name, r.Check.Command, on}] = r
}

// Clear drops all results.
func (rs *Results) Clear() { rs.known = nil }

// Forget drops the results for a tree in the worktree itself, not in a clean one. Use it after
// checks have changed the tree: not all of them saw the same files.
func (rs *Results) Forget(tree string) {
	for k := range rs.known {
		if k.on.Tree == tree && !k.on.Clean {
			delete(rs.known, k)
		}
	}
}
