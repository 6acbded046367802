package repo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ralph/fleet/internal/feature"
)

// What a host has and the remote lacks is in references of its mirror: the latest
// snapshot of a feature in localRef, for as long as it is not pushed, and what is to be
// kept in keptRef, for as long as it is not delivered.

// branchFile, in the git directory of a worktree, names the worktree's branch: an agent may leave
// HEAD anywhere.
const branchFile = "ralph-fleet-branch"

// Discard takes a worktree away that a worker left. It keeps the commits in it
// that the remote lacks. Nothing may be running in it.
func (w *Workspace) Discard(ctx context.Context, dir string) error {
	t, err := w.leftTree(ctx, dir)
	if err == nil && t != nil {
		err = t.salvage(ctx)
	}
	switch {
	case err != nil:
		return err
	case t == nil:
		return os.RemoveAll(dir)
	}
	return t.Remove(ctx)
}

// leftTree is the tree in a folder; nil where it was never finished.
func (w *Workspace) leftTree(ctx context.Context, dir string) (*Tree, error) {
	common, err := call{dir: dir}.run(ctx, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil || filepath.Dir(common) != filepath.Join(w.dir, "mirrors") {
		return nil, nil
	}
	private, err := call{dir: dir}.run(ctx, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return nil, err
	}
	branch, err := os.ReadFile(filepath.Join(private, branchFile))
	if err != nil {
		return nil, nil
	}
	return &Tree{space: w, mirror: common, branch: string(branch), Dir: dir, GitDir: private}, nil
}

// salvage keeps the commits of the worktree in t.Dir, if there is one, which neither a
// snapshot nor the remote has.
func (t *Tree) salvage(ctx context.Context) error {
	in := call{dir: t.Dir}
	private, err := in.run(ctx, "rev-parse", "--absolute-git-dir")
	if err != nil || !strings.HasPrefix(private, t.mirror+string(filepath.Separator)) {
		return nil // none exists
	}
	head, err := in.run(ctx, "rev-parse", "--verify", "--quiet", "HEAD")
	if err != nil {
		return nil
	}
	if known, err := t.isKnown(ctx, head); err != nil || known {
		return err
	}
	// The last push may have gone through after the back of the worker that died.
	_, _ = call{dir: t.mirror, limit: talkLimit}.run(ctx, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "origin", "+"+headRef(t.branch)+":"+trackingRef(t.branch))
	if known, err := t.isKnown(ctx, head); err != nil || known {
		return err
	}
	r, _, err := readRecord(ctx, t.mirror, stateRef(t.branch))
	if err != nil { // commits without a known branch must not be in the way
		r = Record{Schema: recordSchema, Host: "unknown"}
	}
	left := &Tree{mirror: t.mirror, branch: t.branch, Dir: t.Dir, GitDir: private}
	var p parts
	if p.work, err = left.writeWork(ctx); err != nil {
		return err
	}
	if r.Unit != "" {
		if p.journal, err = left.writeJournal(ctx, r.Unit); err != nil {
			return err
		}
	}
	r.Head = head
	commit, err := p.commit(ctx, t.mirror, r, head)
	if err != nil {
		return err
	}
	return t.keep(ctx, keptRef(t.branch, r.Host, r.Ordinal), commit)
}

// isKnown reports whether the remote, as far as the mirror knows it, or what waits to be
// delivered has a commit.
func (t *Tree) isKnown(ctx context.Context, commit string) (bool, error) {
	unknown, err := call{dir: t.mirror}.run(ctx, "rev-list", "--max-count=1", commit, "--not", "--remotes", "--glob=refs/ralph/*")
	return unknown == "", err
}

// keep has a commit delivered to the remote under a reference of its own.
func (t *Tree) keep(ctx context.Context, ref, commit string) error {
	_, err := call{dir: t.mirror}.run(ctx, "update-ref", ref, commit)
	return err
}

// adopt looks for a snapshot that this host could not push in an earlier turn. Where
// no one has pushed since, it is pushed now, and the turn continues with it; else it is
// kept.
func (t *Tree) adopt(ctx context.Context) (bool, error) {
	local := call{dir: t.mirror}
	left, err := local.run(ctx, "rev-parse", "--verify", "--quiet", localRef(t.branch))
	if err != nil {
		return false, nil // none exists
	}
	r, behind, err := t.unpushed(ctx, left)
	if err != nil {
		return false, err
	}
	fits := behind == t.state && t.Record.Head == t.tip
	if fits {
		if err := t.push(ctx, left, r.Head); err != nil {
			return false, err
		}
	} else if left != t.state && !t.isAncestor(ctx, left, t.state) {
		if err := t.keep(ctx, keptRef(t.branch, r.Host, r.Ordinal), left); err != nil {
			return false, &TroubleError{err}
		}
	}
	_, err = local.run(ctx, "update-ref", "-d", localRef(t.branch), left)
	return fits, err
}

// unpushed reads a snapshot: its record, and the one on the remote that it follows.
func (t *Tree) unpushed(ctx context.Context, commit string) (Record, string, error) {
	r, _, err := readRecord(ctx, t.mirror, commit)
	if err != nil {
		return r, "", err
	}
	behind, err := call{dir: t.mirror}.run(ctx, "rev-parse", "--verify", "--quiet", commit+"^1")
	return r, behind, err
}

// Deliver puts on the remotes what is to be kept: also snapshots of turns that are over,
// once another host has the feature. It does not disturb turns running.
func (w *Workspace) Deliver(ctx context.Context) error {
	var errs []error
	for _, mirror := range w.mirrors() {
		errs = append(errs, w.strand(ctx, mirror), deliver(ctx, mirror))
	}
	return errors.Join(errs...)
}

// strand keeps the snapshots with which no turn will continue.
func (w *Workspace) strand(ctx context.Context, mirror string) error {
	refs, err := refsBelow(ctx, mirror, localRef(""))
	if err != nil {
		return err
	}
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		t := &Tree{space: w, mirror: mirror, branch: strings.TrimPrefix(ref, localRef(""))}
		t.Dir = filepath.Join(w.dir, "trees", strings.TrimSuffix(filepath.Base(mirror), ".git"), feature.BranchWord(t.branch))
		if w.hasTree(t.Dir) {
			continue
		}
		r, behind, err := t.unpushed(ctx, refs[ref])
		if err != nil {
			return err
		}
		there, err := remoteRefs(ctx, mirror, "origin", stateRef(t.branch))
		if err != nil {
			return fmt.Errorf("what was done on %s waits: %w", t.branch, err)
		}
		if there[stateRef(t.branch)] == behind {
			continue // this host may get the feature again
		}
		if err := t.keep(ctx, keptRef(t.branch, r.Host, r.Ordinal), refs[ref]); err != nil {
			return err
		}
		if _, err := (call{dir: mirror}).run(ctx, "update-ref", "-d", ref, refs[ref]); err != nil {
			return err
		}
	}
	return nil
}

// deliver pushes what is to be kept, and forgets it then.
func deliver(ctx context.Context, mirror string) error {
	refs, err := refsBelow(ctx, mirror, keptRefs)
	if err != nil {
		return err
	}
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		args := append(slices.Clone(overHTTP), "push", "--quiet", "--no-verify", "--force", "origin", refs[ref]+":"+ref)
		if _, err := (call{dir: mirror, limit: pushLimit}).run(ctx, args...); err != nil {
			return &TroubleError{fmt.Errorf("%s waits on this host for the remote: %w", ref, err)}
		}
		if _, err := (call{dir: mirror}).run(ctx, "update-ref", "-d", ref, refs[ref]); err != nil {
			return err
		}
	}
	return nil
}
