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
	dir    string
	making sync.Mutex // one mirror is made at a time

	mu       sync.Mutex
	atWork   map[string]string    // mirror of each tree that a turn has
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
	return &Workspace{dir: abs, atWork: map[string]string{}, receipts: map[string]*receipts{}}, nil
}

// Leftovers are the worktrees that an earlier worker has left.
func (w *Workspace) Leftovers() []string {
	dirs, _ := filepath.Glob(filepath.Join(w.dir, "trees", "*", "*"))
	return dirs
}

// mirror returns the bare repository of url on this host.
func (w *Workspace) mirror(ctx context.Context, url string) (string, error) {
	w.making.Lock()
	defer w.making.Unlock()
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
		{"config", "gc.auto", "0"}, // no packing next to agents that commit; the worker does it when it starts
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

// Tree is the worktree of a feature that this host has the right to push.
type Tree struct {
	Dir    string // the worktree
	GitDir string // its git directory
	Record Record // as it was pushed last
	Note   string // what the user should know of the claim

	space    *Workspace
	mirror   string
	receipts *receipts
	branch   string
	host     string

	mu       sync.Mutex // over the rest: snapshots are taken while a push is under way
	state    string     // what the feature's reference on the remote points to, as we put it there
	tip      string     // what the branch on the remote points to
	pushedAt time.Time  // when the remote had everything last
	// tried are the records of pushes without an answer that may come through yet, and
	// where each puts the branch.
	tried map[string]string
}

// claimTries bounds how often a claim begins again because the host that had the
// feature before has pushed in the very moment.
const claimTries = 5

// Claim gets a feature for this host: it fetches branch and record, puts the turn's
// ordinal into the record on the remote, and makes a worktree of what is there. The
// caller closes the tree.
func (w *Workspace) Claim(ctx context.Context, turn feature.Turn, host string) (*Tree, error) {
	s := turn.Submission
	mirror, err := w.mirror(ctx, s.Repo)
	if err != nil {
		return nil, &TroubleError{fmt.Errorf("the mirror of %s cannot be made: %w", s.Repo, err)}
	}
	t := &Tree{space: w, mirror: mirror, receipts: w.receiptsOf(mirror), branch: s.Branch, host: host,
		Dir: filepath.Join(w.dir, "trees", feature.RepoName(s.Repo), feature.BranchWord(s.Branch))}
	w.open(t)
	old, err := t.takeOver(ctx, turn)
	if err == nil {
		if err = t.checkOut(ctx, old); err != nil {
			err = &TroubleError{fmt.Errorf("the worktree of %s cannot be made: %w", s.Branch, err)}
		}
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// takeOver makes the record on the remote this host's. It returns what the last host
// had in its worktree.
func (t *Tree) takeOver(ctx context.Context, turn feature.Turn) (old parts, err error) {
	if err := t.salvage(ctx); err != nil {
		return old, &TroubleError{fmt.Errorf("what is left in %s cannot be kept: %w", t.Dir, err)}
	}
	for range claimTries {
		old, err = t.take(ctx, turn)
		if !errors.Is(err, ErrOusted) || t.isBehind(turn) {
			return old, err
		}
	}
	return old, &TroubleError{fmt.Errorf("%s no longer has the feature, but still pushes it: %w", t.Record.Host, err)}
}

// take tries to take a feature over once.
func (t *Tree) take(ctx context.Context, turn feature.Turn) (old parts, err error) {
	if err := t.fetch(ctx, turn.Submission.Repo); err != nil {
		return old, err
	}
	if old, err = t.read(ctx); err != nil {
		return old, err
	}
	if adopted, err := t.adopt(ctx); err != nil {
		return old, err
	} else if adopted {
		if old, err = t.read(ctx); err != nil {
			return old, err
		}
	}
	if t.isBehind(turn) {
		return old, fmt.Errorf("%w: turn %s on %s comes after this one, %s", ErrOusted, t.Record.Ordinal, t.Record.Host, turn.Ordinal)
	}
	if old.work, err = t.workOn(ctx, old.work); err != nil {
		return old, &TroubleError{err}
	}
	return old, t.claim(ctx, turn, old)
}

// read reads the record that is on the remote.
func (t *Tree) read(ctx context.Context) (old parts, err error) {
	t.Record = Record{}
	if t.state == "" {
		return old, nil
	}
	if t.Record, _, err = readRecord(ctx, t.mirror, t.state); err != nil {
		return old, err
	}
	return readParts(ctx, t.mirror, t.state)
}

// isBehind reports whether a later turn than this one has the feature.
func (t *Tree) isBehind(turn feature.Turn) bool { return !t.Record.Ordinal.Before(turn.Ordinal) }

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
	args := []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "origin", "+" + headRef(t.branch) + ":" + trackingRef(t.branch)}
	if t.state != "" {
		args = append(args, "+"+stateRef(t.branch)+":"+stateRef(t.branch))
	}
	if _, err := (call{dir: t.mirror, limit: fetchLimit}).run(ctx, args...); err != nil {
		return &TroubleError{fmt.Errorf("%s cannot be fetched: %w", url, err)}
	}
	return nil
}

// claim puts the turn into the record. From then on no other host that knows an
// older record can push.
func (t *Tree) claim(ctx context.Context, turn feature.Turn, old parts) error {
	r := t.Record
	if r.Ordinal.Epoch != turn.Ordinal.Epoch { // another submission has its own budget
		r.Spent, r.Ended = feature.Spent{}, nil
	}
	r.Schema, r.Feature, r.Ordinal, r.Host = recordSchema, turn.Submission.ID(), turn.Ordinal, t.host
	r.Head, r.At = t.tip, time.Now().UTC().Truncate(time.Second)
	commit, err := old.commit(ctx, t.mirror, r, t.state, t.tip)
	if err != nil {
		return &TroubleError{err}
	}
	if err := t.push(ctx, commit, ""); err != nil {
		return err
	}
	t.Record = r
	return nil
}
