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
	var err error
	if v := r.Old.Outcome; v == NotRun || v == RedAtBase || v == Unable {
		r.Kept, err = c.keepTests(ctx, earlier)
		return err
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
	t := failedRun(failed)
	if t.Files, err = p.blame(ctx, e, r, failed.Check, edits); err != nil {
		return err
	}
	t.Outcome = Earlier
	if r.Old.Outcome == Passed {
		r.Old = t
	}
	drop(edits, t.Files)
	if restores(edits) {
		r.Kept, err = c.commit(ctx, c.head, edits)
	}
	return err
}

// compareEarlier compares head with base and the tests that accepted stories changed, as they
// were before. What fails with the base's work too says nothing.
func (p *Prover) compareEarlier(
	ctx context.Context, c *comparison, earlier string,
) (*comparison, error) {
	edits, err := c.keptTests(ctx, earlier)
	switch {
	case ctx.Err() != nil:
		return nil, err
	case err != nil || len(edits) == 0: // git no longer has them, or people changed them all
		return c, nil
	}
	base, err := c.commit(ctx, c.base, edits)
	if err != nil {
		return nil, err
	}
	return p.compare(ctx, base, c.head)
}

// keptTests returns what makes tests of base those that the commit earlier holds. Its parent is
// the work that was accepted then. What differs between that and base was changed by people, who
// agreed with it.
func (c *comparison) keptTests(
	ctx context.Context, earlier string,
) (map[string]git.TreeEntry, error) {
	if earlier == "" {
		return nil, nil
	}
	kept, err := c.repo.Entries(ctx, earlier)
	if err != nil {
		return nil, err
	}
	accepted, err := c.repo.Entries(ctx, earlier+"^")
	if err != nil {
		return nil, err
	}
	edits := map[string]git.TreeEntry{}
	for _, files := range []map[string]git.TreeEntry{kept, accepted} {
		for name := range files {
			if kept[name] != accepted[name] && accepted[name] == c.was[name] {
				edits[name] = kept[name]
			}
		}
	}
	return edits, nil
}

// keepTests returns the commit that holds earlier tests for the next story, without a run.
func (c *comparison) keepTests(ctx context.Context, earlier string) (string, error) {
	edits, err := c.keptTests(ctx, earlier)
	if err != nil || !restores(edits) {
		return "", err
	}
	return c.commit(ctx, c.head, edits)
}

// unlessGone returns err if the run has to end. Earlier tests that git no longer has, or that
// cannot be put back, say nothing.
func unlessGone(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return nil
	}
	return err
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
