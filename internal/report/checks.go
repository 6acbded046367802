package report

import "slices"

// lastChecks are the last words of the checks on an iteration: one that failed in
// a clean worktree may have been run again in place, or before the work.
func (it *Iteration) lastChecks() []Check {
	var list []Check
	for _, c := range it.Checks {
		if c.Compares {
			continue
		}
		if i := slices.IndexFunc(list, func(known Check) bool { return known.Name == c.Name }); i >= 0 {
			list[i] = c
			continue
		}
		list = append(list, c)
	}
	return list
}
