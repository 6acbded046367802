// Package checkpoint saves states of a worktree as git references and restores them.
//
// A state is the plan and every file that git does not ignore, committed or not. ralph saves a
// state before it replaces it. It restores the files first, each as a whole, then the branch,
// then the index. So a crash loses nothing: the same restore can run again.
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

// Store saves and restores the states of one unit.
type Store struct {
	Repo *git.Repo
	Unit string
}

// maxName bounds a part of a reference's name in bytes: it is the name of a file.
const maxName = 120

// parked is where parked stories are, in place of a run's id.
const parked = "parked"

// older marks the work of an earlier time on a parked story: no name is escaped to that.
const older = "%before-"

// AllParked is a pattern for the names of the references with parked stories, of all units.
const AllParked = "refs/ralph/*/" + parked + "/*"

// Prefix returns the common prefix of all reference names of the unit.
func (s Store) Prefix() string { return "refs/ralph/" + escape(s.Unit) + "/" }

// Iteration returns the reference name for the state before iteration n of a run.
func (s Store) Iteration(run string, n int) string {
	return s.Prefix() + escape(run) + "/iteration-" + strconv.Itoa(n)
}

// Parked returns the reference name for the work on a parked story.
func (s Store) Parked(story string) string { return s.Prefix() + parked + "/" + escape(story) }

// Tests returns the reference name for the tests that accepted stories changed, as they were.
func (s Store) Tests() string { return s.Prefix() + "tests" }

// Leaving returns the reference name for the worktree as it was before ralph removed the work
// on a parked story.
func (s Store) Leaving() string { return s.Prefix() + "leaving/state" }

// KeepOlder saves the current target of ref under a second name, before ref is overwritten. It
// does nothing if ref does not exist.
func (s Store) KeepOlder(ctx context.Context, ref string) error {
	old, err := s.Repo.RefCommit(ctx, ref)
	if err != nil || old == "" {
		return err
	}
	return s.Repo.SetRef(ctx, ref+older+old[:12], old)
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

// Save saves the current worktree under ref, including the files in also even if git ignores
// them. If nothing has changed since last, it returns last and does not create ref.
func (s Store) Save(ctx context.Context, ref, what string, now time.Time, last git.Saved, also ...string) (git.Saved, error) {
	kept, err := s.Repo.SaveState(ctx, ref, what, now, last, also...)
	if err != nil {
		return kept, fmt.Errorf("the state of the worktree cannot be kept: %w", err)
	}
	return kept, nil
}

// Point is a saved state from before iteration N.
type Point struct {
	N int
	git.Ref
}

// Points returns the saved states of a run, in the order of their iterations.
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

// Prune deletes saved states older than before, and returns how many. It keeps the states of
// the run keep, earlier tests, and the work on parked stories that were not accepted since.
func (s Store) Prune(ctx context.Context, before time.Time, keep string, accepted map[string]bool) (int, error) {
	refs, err := s.Repo.Refs(ctx, s.Prefix())
	if err != nil {
		return 0, err
	}
	useless := map[string]bool{}
	for id, done := range accepted {
		useless[s.Parked(id)] = done
	}
	refs = slices.DeleteFunc(refs, func(ref git.Ref) bool {
		run := path.Base(path.Dir(ref.Name))
		story, _, _ := strings.Cut(ref.Name, older)
		return run == parked && !useless[story] || run == escape(keep) ||
			ref.Name == s.Tests() || !ref.Time.Before(before)
	})
	return len(refs), s.Repo.DeleteRefs(ctx, refs...)
}

// Compare returns the paths that differ between two states.
func (s Store) Compare(ctx context.Context, from, to git.Saved) ([]git.PathChange, error) {
	return s.Repo.CompareTrees(ctx, from.Commit, to.Commit)
}

// MixedError reports paths that someone else has changed, too.
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

// Restore replaces one state of the branch and the worktree, from, by another, to. now is the
// current state: it equals from or to, or is a mix of both after an interrupted restore. Files
// that differ only in now stay unchanged. So do files at or below the paths in leave.
//
// Restore changes nothing and returns a [MixedError] if someone else changed a file that it has
// to replace, or moved the branch.
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
	is := make(map[string]git.TreeEntry, len(differing))
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
