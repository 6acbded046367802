package repo

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// staleLock is the age from which a lock of git in a mirror is one that a crash left.
const staleLock = time.Hour

// open notes that a turn has the tree.
func (w *Workspace) open(t *Tree) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.atWork[t.Dir] = t.mirror
}

// Close reports that no turn has the tree any more.
func (t *Tree) Close() {
	t.space.mu.Lock()
	defer t.space.mu.Unlock()
	delete(t.space.atWork, t.Dir)
}

// isIdle reports whether no turn has a tree of this mirror.
func (w *Workspace) isIdle(mirror string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.atWork {
		if m == mirror {
			return false
		}
	}
	return true
}

func (w *Workspace) hasTree(dir string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.atWork[dir] != ""
}

func (w *Workspace) mirrors() []string {
	mirrors, _ := filepath.Glob(filepath.Join(w.dir, "mirrors", "*.git"))
	return mirrors
}

// TidyUp packs the mirrors that no turn uses, and takes away what a crash of the
// machine left in them. Agents that commit meanwhile are not disturbed: objects that
// are younger than two weeks stay.
func (w *Workspace) TidyUp(ctx context.Context, now time.Time) {
	for _, dir := range w.mirrors() {
		if !w.isIdle(dir) {
			continue
		}
		removeStaleLocks(dir, now)
		_, _ = call{dir: dir}.run(ctx, "worktree", "prune")
		_, _ = call{dir: dir}.run(ctx, "-c", "gc.auto=6700", "-c", "gc.autoDetach=false", "gc", "--auto", "--quiet") // a mirror that is not packed works, too
	}
}

func removeStaleLocks(mirror string, now time.Time) {
	_ = filepath.WalkDir(mirror, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if d.IsDir() {
			if d.Name() == "objects" {
				return filepath.SkipDir
			}
			return nil
		}
		if info, err := d.Info(); err == nil && strings.HasSuffix(path, ".lock") && now.Sub(info.ModTime()) > staleLock {
			_ = os.Remove(path)
		}
		return nil
	})
}

// forget removes the references of the feature from the mirror: they are fetched again,
// and would be in the way of branches below this one's name.
func (t *Tree) forget(ctx context.Context) error {
	refs := []string{headRef(t.branch), trackingRef(t.branch), stateRef(t.branch)}
	in := "delete " + strings.Join(refs, "\ndelete ") + "\n"
	_, err := call{dir: t.mirror, in: []byte(in)}.run(ctx, "update-ref", "--no-deref", "--stdin")
	return err
}

// refsBelow are the references of a mirror below the prefixes, with what they point to.
func refsBelow(ctx context.Context, mirror string, prefixes ...string) (map[string]string, error) {
	out, err := call{dir: mirror}.run(ctx, slices.Concat([]string{"for-each-ref", "--format=%(objectname) %(refname)"}, prefixes)...)
	if err != nil {
		return nil, err
	}
	refs := map[string]string{}
	for line := range strings.Lines(out) {
		if hash, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			refs[name] = hash
		}
	}
	return refs, nil
}
