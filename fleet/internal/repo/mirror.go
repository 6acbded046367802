package repo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ralph/fleet/internal/feature"
)

// Errors for which a host can do nothing.
var (
	// ErrOusted: the reference of the feature is another host's by now.
	ErrOusted = errors.New("another host has the feature")
	// ErrBranch: the branch is missing, or went its own way.
	ErrBranch = errors.New("the branch cannot be worked on")
)

// Workspace holds the mirrors and worktrees of one host. One worker uses it at a time.
type Workspace struct {
	dir string

	mu       sync.Mutex           // one mirror is made at a time
	receipts map[string]*receipts // by mirror
}

// OpenWorkspace is the workspace in dir, which is made where it is missing.
func OpenWorkspace(dir string) (*Workspace, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(abs, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("the workspace cannot be made: %w", err)
	}
	return &Workspace{dir: abs, receipts: map[string]*receipts{}}, nil
}

// Leftovers are the worktrees that an earlier worker has left behind.
func (w *Workspace) Leftovers() []string {
	dirs, _ := filepath.Glob(filepath.Join(w.dir, "trees", "*", "*"))
	return dirs
}

// mirror returns the bare repository of url on this host.
func (w *Workspace) mirror(ctx context.Context, url string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	dir := filepath.Join(w.dir, "mirrors", feature.RepoName(url)+".git")
	if _, err := os.Stat(filepath.Join(dir, "ready")); err == nil {
		return dir, nil
	}
	if err := os.RemoveAll(dir); err != nil { // one that was cut off
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	local := call{dir: dir}
	for _, args := range [][]string{
		{"init", "--quiet", "--bare"},
		{"remote", "add", "origin", url},
		{"config", "gc.auto", "0"}, // no packing beside agents that commit; the worker does it when it starts
	} {
		if _, err := local.run(ctx, args...); err != nil {
			return "", err
		}
	}
	return dir, os.WriteFile(filepath.Join(dir, "ready"), nil, 0o600)
}

// receiptsOf is what is known of the receipts of a mirror.
func (w *Workspace) receiptsOf(mirror string) *receipts {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.receipts[mirror] == nil {
		w.receipts[mirror] = &receipts{}
	}
	return w.receipts[mirror]
}

// TidyUp packs the mirrors. It is for a worker that has not begun to work.
func (w *Workspace) TidyUp(ctx context.Context) {
	mirrors, _ := filepath.Glob(filepath.Join(w.dir, "mirrors", "*.git"))
	for _, dir := range mirrors {
		_, _ = call{dir: dir}.run(ctx, "worktree", "prune")
		_, _ = call{dir: dir}.run(ctx, "-c", "gc.auto=6700", "gc", "--auto", "--quiet") // a mirror that is not packed works, too
	}
}

// Tree is the worktree of a feature that this host has the right to push.
type Tree struct {
	Dir    string // the worktree
	GitDir string // its git directory
	Record Record // as it was pushed last

	mirror   string
	receipts *receipts
	branch   string
	host     string

	mu       sync.Mutex // over the rest: snapshots are taken while a push is under way
	state    string     // what the feature's reference on the remote points to, as we put it there
	tip      string     // what the branch on the remote points to
	pushedAt time.Time  // when the remote had everything last
}

// Claim gets a feature for this host: it fetches branch and record, puts the turn's
// ordinal into the record on the remote, and makes a worktree of what is there.
func (w *Workspace) Claim(ctx context.Context, turn feature.Turn, host string) (*Tree, error) {
	s := turn.Submission
	mirror, err := w.mirror(ctx, s.Repo)
	if err != nil {
		return nil, &TroubleError{fmt.Errorf("the mirror of %s cannot be made: %w", s.Repo, err)}
	}
	t := &Tree{mirror: mirror, receipts: w.receiptsOf(mirror), branch: s.Branch, host: host,
		Dir: filepath.Join(w.dir, "trees", feature.RepoName(s.Repo), feature.BranchWord(s.Branch))}
	if err := t.fetch(ctx, s.Repo); err != nil {
		return nil, err
	}
	var old parts
	if t.state != "" {
		if t.Record, _, err = readRecord(ctx, mirror, t.state); err != nil {
			return nil, err
		}
		if old, err = readParts(ctx, mirror, t.state); err != nil {
			return nil, err
		}
	}
	if !t.Record.Ordinal.Before(turn.Ordinal) {
		return nil, fmt.Errorf("%w: turn %s on %s comes after this one, %s", ErrOusted, t.Record.Ordinal, t.Record.Host, turn.Ordinal)
	}
	start, err := t.start(ctx)
	if err != nil {
		return nil, err
	}
	if start != t.Record.Head {
		old.work = "" // it belongs to commits that somebody has added to since
	}
	if err := t.claim(ctx, turn, start, old); err != nil {
		return nil, err
	}
	if err := t.checkOut(ctx, start, old); err != nil {
		return nil, &TroubleError{fmt.Errorf("the worktree of %s cannot be made: %w", s.Branch, err)}
	}
	return t, nil
}

// fetch brings branch and record into the mirror.
func (t *Tree) fetch(ctx context.Context, url string) error {
	refs, err := remoteRefs(ctx, t.mirror, url, headRef(t.branch), stateRef(t.branch))
	if err != nil {
		return err
	}
	t.tip, t.state = refs[headRef(t.branch)], refs[stateRef(t.branch)]
	if t.tip == "" {
		return fmt.Errorf("%w: %s has no branch %s", ErrBranch, url, t.branch)
	}
	args := []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "origin", "+" + headRef(t.branch) + ":refs/remotes/origin/" + t.branch}
	if t.state != "" {
		args = append(args, "+"+stateRef(t.branch)+":"+stateRef(t.branch))
	}
	if _, err := (call{dir: t.mirror, limit: fetchLimit}).run(ctx, args...); err != nil {
		return &TroubleError{fmt.Errorf("%s cannot be fetched: %w", url, err)}
	}
	return nil
}

// start is the commit to begin with: the branch as it is on the remote, unless the
// last host could push its record only.
func (t *Tree) start(ctx context.Context) (string, error) {
	head := t.Record.Head
	switch {
	case head == "" || head == t.tip || t.isAncestor(ctx, head, t.tip):
		return t.tip, nil
	case t.isAncestor(ctx, t.tip, head):
		return head, nil
	}
	// A person has put the branch where they want it: theirs is the last word. The
	// commits that are no longer in it stay below the record.
	return t.tip, nil
}

func (t *Tree) isAncestor(ctx context.Context, a, b string) bool {
	_, err := call{dir: t.mirror}.run(ctx, "merge-base", "--is-ancestor", a, b)
	return err == nil
}

// claim puts the turn into the record. From then on no other host that knows an
// older record can push.
func (t *Tree) claim(ctx context.Context, turn feature.Turn, start string, old parts) error {
	r := t.Record
	if r.Ordinal.Epoch != turn.Ordinal.Epoch { // another submission has its own budget
		r.Spent, r.Ended = feature.Spent{}, nil
	}
	r.Schema, r.Feature, r.Ordinal, r.Host = recordSchema, turn.Submission.ID(), turn.Ordinal, t.host
	r.Head, r.At = start, time.Now().UTC().Truncate(time.Second)
	commit, err := old.commit(ctx, t.mirror, r, t.state, start)
	if err != nil {
		return &TroubleError{err}
	}
	if err := t.push(ctx, commit, ""); err != nil {
		return err
	}
	t.Record = r
	return nil
}
