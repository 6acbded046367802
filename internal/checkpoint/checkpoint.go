// Package checkpoint keeps states of a worktree as git references, and restores them.
//
// A state is all of a worktree that git does not ignore, committed or not, and the plan. It is
// kept before it is replaced, and restored in an order in which a crash loses nothing: first
// the files, each as a whole, then the branch, then the index. Who died in between repeats it.
package checkpoint

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"ralph/internal/git"
)

// Store holds the states of one unit.
type Store struct {
	Repo *git.Repo
	Unit string
}

// maxName bounds a part of a reference's name in bytes: it is the name of a file.
const maxName = 120

// parked is where parked stories are, in place of a run's id.
const parked = "parked"

// Prefix is below which all references of the unit are.
func (s Store) Prefix() string { return "refs/ralph/" + escape(s.Unit) + "/" }

// Iteration is the reference of the state before an iteration.
func (s Store) Iteration(run string, n int) string {
	return s.Prefix() + escape(run) + "/iteration-" + strconv.Itoa(n)
}

// Parked is the reference of what an agent left of a story that is parked.
func (s Store) Parked(story string) string { return s.Prefix() + parked + "/" + escape(story) }

// Leaving is the reference of the worktree before the work on a parked story is taken out of it.
func (s Store) Leaving() string { return s.Prefix() + "leaving/state" }

// KeepOlder gives what a reference names a name of its own, where it names something: the
// reference is about to name another state.
func (s Store) KeepOlder(ctx context.Context, ref string) error {
	old, err := s.Repo.RefCommit(ctx, ref)
	if err != nil || old == "" {
		return err
	}
	return s.Repo.SetRef(ctx, ref+"%before-"+old[:12], old) // no name of a story is escaped to that
}

// escape makes a text a valid part of a reference's name: bytes that git or a file system
// may refuse become %XX, and a long text is cut and gets a fingerprint.
func escape(text string) string {
	var b strings.Builder
	for i, c := range []byte(text) {
		plain := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' && i > 0 ||
			c == '.' && i > 0 && i < len(text)-1 && text[i-1] != '.'
		if plain {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	name := b.String()
	if name == "" {
		return "%"
	}
	if rest, ok := strings.CutSuffix(name, ".lock"); ok {
		name = rest + "%2Elock"
	}
	if len(name) > maxName {
		sum := sha256.Sum256([]byte(text))
		name = strings.TrimRight(name[:maxName], ".%") + "%" + hex.EncodeToString(sum[:8])
	}
	return name
}

// Save keeps the worktree as it is, with the files of also even where git ignores them. Where
// nothing has changed since last, that is returned, and ref is not made.
func (s Store) Save(ctx context.Context, ref, what string, now time.Time, last git.Saved, also ...string) (git.Saved, error) {
	kept, err := s.Repo.SaveState(ctx, ref, what, now, last, also...)
	if err != nil {
		return kept, fmt.Errorf("the state of the worktree cannot be kept: %w", err)
	}
	return kept, nil
}

// Point is the state before an iteration.
type Point struct {
	N int
	git.Ref
}

// Points returns the states before the iterations of a run that are kept, in order.
func (s Store) Points(ctx context.Context, run string) ([]Point, error) {
	prefix := s.Prefix() + escape(run) + "/"
	refs, err := s.Repo.Refs(ctx, prefix)
	var points []Point
	for _, ref := range refs {
		number, ok := strings.CutPrefix(ref.Name, prefix+"iteration-")
		if n, bad := strconv.Atoi(number); ok && bad == nil {
			points = append(points, Point{n, ref})
		}
	}
	slices.SortFunc(points, func(a, b Point) int { return a.N - b.N })
	return points, err
}

// Prune forgets the states before iterations that are older than a time, and returns how many.
// Those of the run with the id keep stay, and so do parked stories.
func (s Store) Prune(ctx context.Context, before time.Time, keep string) (int, error) {
	refs, err := s.Repo.Refs(ctx, s.Prefix())
	if err != nil {
		return 0, err
	}
	refs = slices.DeleteFunc(refs, func(ref git.Ref) bool {
		run := path.Base(path.Dir(ref.Name))
		return run == parked || run == escape(keep) || !ref.Time.Before(before)
	})
	return len(refs), s.Repo.DeleteRefs(ctx, refs...)
}

// Compare lists the paths in which two states differ.
func (s Store) Compare(ctx context.Context, from, to git.Saved) ([]git.PathChange, error) {
	return s.Repo.CompareTrees(ctx, from.Commit, to.Commit)
}

// MixedError says that someone else has changed paths, too.
type MixedError struct{ Paths []string }

// Error implements error.
func (e *MixedError) Error() string {
	some := e.Paths[:min(5, len(e.Paths))]
	text := "also changed by someone else: " + strings.Join(some, ", ")
	if more := len(e.Paths) - len(some); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Restore brings branch and worktree from one state to the other. now is the worktree as it
// is, and may be either of them, or something in between where an earlier attempt was cut off.
// What differs in now alone stays. It is a [MixedError], and nothing is changed, where now
// differs from both states in a file that has to be replaced, or the branch is at another
// commit. The files at and below the paths of leave stay as they are.
func (s Store) Restore(ctx context.Context, branch string, now, from, to git.Saved, leave ...string) error {
	if now.Head != from.Head && now.Head != to.Head {
		return &MixedError{[]string{"the branch " + branch}}
	}
	all, err := s.Compare(ctx, from, to)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(c git.PathChange) bool {
		return slices.ContainsFunc(leave, func(p string) bool { return c.Path == p || strings.HasPrefix(c.Path, p+"/") })
	})
	left := all
	if now.Commit != from.Commit {
		if left, err = s.left(ctx, all, now, to); err != nil {
			return err
		}
	}
	if err := s.Repo.PutFiles(ctx, left); err != nil {
		return err
	}
	if err := s.Repo.MoveBranch(ctx, branch, now.Head, to.Head, "ralph: restore a state"); err != nil {
		return err
	}
	return s.unstage(ctx, all, from, to)
}

// left lists those of the changes that are still to be made.
func (s Store) left(ctx context.Context, all []git.PathChange, now, to git.Saved) ([]git.PathChange, error) {
	differing, err := s.Compare(ctx, now, to)
	if err != nil {
		return nil, err
	}
	is := make(map[string]git.Entry, len(differing))
	for _, c := range differing {
		is[c.Path] = c.Old
	}
	var left []git.PathChange
	var mixed []string
	for _, c := range all {
		switch at, differs := is[c.Path]; {
		case !differs: // it is restored already
		case at == c.Old:
			left = append(left, c)
		default:
			mixed = append(mixed, c.Path)
		}
	}
	if len(mixed) > 0 {
		return nil, &MixedError{mixed}
	}
	return left, nil
}

// unstage makes the index agree with the new head where files or commits differ.
func (s Store) unstage(ctx context.Context, files []git.PathChange, from, to git.Saved) error {
	paths := map[string]bool{}
	for _, c := range files {
		paths[c.Path] = true
	}
	if from.Head != "" && to.Head != "" && from.Head != to.Head {
		commits, err := s.Repo.CompareTrees(ctx, from.Head, to.Head)
		if err != nil {
			return err
		}
		for _, c := range commits {
			paths[c.Path] = true
		}
	}
	list := make([]string, 0, len(paths))
	for p := range paths {
		list = append(list, p)
	}
	return s.Repo.Unstage(ctx, to.Head, list)
}
