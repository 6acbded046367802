package proof

import (
	"context"
	"maps"
	"slices"

	"ralph/internal/check"
	"ralph/internal/git"
)

// earlierTests runs head's work with the tests that accepted stories changed, as they were
// before: a test can be weakened in one story, where that hides nothing, and be missed in a
// later one. It also composes the commit that holds these tests for the next story.
func (p *Prover) earlierTests(ctx context.Context, c *comparison, r *Proof, earlier string) error {
	if v := r.Old.Outcome; v == NotRun || v == RedAtBase || v == Unable {
		return nil
	}
	r.Kept = ""
	e, err := p.compareEarlier(ctx, c, earlier)
	if err != nil {
		return err
	}
	edits, err := e.putBack(ctx)
	if err != nil {
		return err
	}
	both, err := c.putBack(ctx)
	if err != nil {
		return err
	}
	// Tests that an earlier story added are as they were before this one. New ones are left out.
	maps.DeleteFunc(both, func(name string, now git.TreeEntry) bool {
		return now.Mode == "" || e.was[name].Mode != ""
	})
	for name, entry := range edits {
		if _, added := both[name]; !added {
			both[name] = entry
		}
	}
	if r.Old.Outcome != Passed && r.Old.Outcome != Weaker { // these speak against it already
		drop(both, r.Old.Files)
		drop(edits, r.Old.Files)
	}
	var failed *check.Result
	for _, tests := range []map[string]git.TreeEntry{both, edits} {
		if !restores(tests) {
			return nil
		}
		commit, err := c.commit(ctx, c.head, tests)
		if err != nil {
			return err
		}
		if failed, _, err = p.firstRed(ctx, r, e, commit); err != nil {
			return err
		}
		if failed == nil {
			r.Kept = commit
			return nil
		}
	}
	t := trial(failed)
	if t.Files, err = p.blame(ctx, e, r, failed.Check, edits); err != nil {
		return err
	}
	if t.Outcome = Earlier; r.Old.Outcome == Passed {
		r.Old = t
	}
	if drop(edits, t.Files); restores(edits) {
		r.Kept, err = c.commit(ctx, c.head, edits)
	}
	return err
}

// compareEarlier compares head with the commit that holds earlier tests. The base's work with
// these tests is its base: what fails there too says nothing.
func (p *Prover) compareEarlier(
	ctx context.Context, c *comparison, earlier string,
) (*comparison, error) {
	if earlier == "" {
		return c, nil
	}
	before, err := p.compare(ctx, earlier, c.base)
	if err != nil {
		return nil, err
	}
	edits, err := before.putBack(ctx)
	if err != nil {
		return nil, err
	}
	base, err := before.commit(ctx, c.base, edits)
	if err != nil {
		return nil, err
	}
	e, err := p.compare(ctx, earlier, c.head)
	if err == nil {
		e.base = base
	}
	return e, err
}

// restores reports whether edits bring back a file, and not only take new ones away.
func restores(edits map[string]git.TreeEntry) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(edits)),
		func(e git.TreeEntry) bool { return e.Mode != "" })
}

func drop(edits map[string]git.TreeEntry, files []string) {
	for _, name := range files {
		delete(edits, name)
	}
}
