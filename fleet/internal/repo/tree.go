package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// checkOut makes the worktree at the tip of the branch, and brings back what the last host had
// there besides: what no one had committed, and the journal.
func (t *Tree) checkOut(ctx context.Context, old parts) error {
	local := call{dir: t.mirror}
	if err := t.clear(ctx); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(t.Dir), 0o700); err != nil {
		return err
	}
	if _, err := local.run(ctx, "worktree", "add", "--quiet", "--force", "--no-track", "-B", t.branch, t.Dir, t.tip); err != nil {
		return err
	}
	dir, err := call{dir: t.Dir}.run(ctx, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return err
	}
	t.GitDir = dir
	if err := os.WriteFile(filepath.Join(dir, branchFile), []byte(t.branch), 0o600); err != nil {
		return err
	}
	if old.work != "" {
		if _, err := (call{dir: t.Dir}).run(ctx, "restore", "--source="+old.work, "--worktree", "--no-overlay", "--", ":/"); err != nil {
			return err
		}
	}
	if old.journal == "" || t.Record.Unit == "" {
		return nil
	}
	_, journal, err := readRecord(ctx, t.mirror, t.state)
	if err != nil {
		return err
	}
	file := t.JournalFile(t.Record.Unit)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, journal, 0o600)
}

// JournalFile is where ralph keeps the journal of a unit of this worktree.
func (t *Tree) JournalFile(unit string) string {
	return filepath.Join(t.GitDir, "ralph", unit, journalFile)
}

// Remove takes the worktree away, and what the mirror knows of the feature: the remote
// has it all.
func (t *Tree) Remove(ctx context.Context) error {
	if err := t.clear(ctx); err != nil {
		return err
	}
	return t.forget(ctx)
}

func (t *Tree) clear(ctx context.Context) error {
	if _, err := os.Lstat(t.Dir); err == nil {
		_, _ = call{dir: t.mirror}.run(ctx, "worktree", "remove", "--force", "--force", t.Dir) // what it leaves goes now
		if err := os.RemoveAll(t.Dir); err != nil {
			return err
		}
	}
	_, err := call{dir: t.mirror}.run(ctx, "worktree", "prune")
	return err
}

// Snapshot is a feature at a moment, in the mirror, ready to be pushed.
type Snapshot struct {
	Record Record
	parts  parts
	commit string
	taken  string // the commit as it was taken, which localRef has
	behind string // the record on the remote that it was made to follow
}

// Take makes a snapshot: the branch, the uncommitted changes, and the journal. The journal comes
// last: if the next agent has started meanwhile the journal shows it, and ralph reads marks in
// the plan again that the agent may have made.
func (t *Tree) Take(ctx context.Context, r Record) (Snapshot, error) {
	s := Snapshot{}
	s.behind, _ = t.known()
	head, err := call{dir: t.mirror}.run(ctx, "rev-parse", "--verify", headRef(t.branch))
	if err != nil {
		return s, err
	}
	if s.parts.work, err = t.writeWork(ctx); err != nil {
		return s, err
	}
	if r.Unit != "" {
		if s.parts.journal, err = t.writeJournal(ctx, r.Unit); err != nil {
			return s, err
		}
	}
	r.Head, r.At = head, time.Now().UTC().Truncate(time.Second)
	s.Record = r
	if s.commit, err = s.parts.commit(ctx, t.mirror, r, s.behind, head); err != nil {
		return s, err
	}
	s.taken = s.commit
	_, err = call{dir: t.mirror}.run(ctx, "update-ref", localRef(t.branch), s.commit)
	return s, err
}

func (t *Tree) writeJournal(ctx context.Context, unit string) (string, error) {
	content, err := os.ReadFile(t.JournalFile(unit))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return blob(ctx, t.mirror, content)
}

// CommitPlan commits what has changed in the plan's files, so that the branch shows
// how far the feature is. Nothing else is touched, and nothing happens in the middle
// of a merge or on another branch. It is for when no loop is running.
func (t *Tree) CommitPlan(ctx context.Context, unit, change string) error {
	c := call{dir: t.Dir, env: identity}
	if on, err := c.run(ctx, "symbolic-ref", "--quiet", "HEAD"); err != nil || on != headRef(t.branch) {
		return nil
	}
	if _, err := os.Stat(filepath.Join(t.GitDir, "MERGE_HEAD")); err == nil {
		return nil
	}
	var changed []string
	for _, path := range planPaths(unit, change) {
		if out, err := c.run(ctx, "status", "--porcelain", "--", path); err == nil && out != "" {
			changed = append(changed, path)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	if _, err := c.run(ctx, append([]string{"add", "--all", "--"}, changed...)...); err != nil {
		return err
	}
	args := append(append([]string{}, ours...), "commit", "--quiet", "--no-verify", "-m", "ralph: the plan of "+unit, "--only", "--")
	if _, err := c.run(ctx, append(args, changed...)...); err != nil {
		return fmt.Errorf("the plan's state cannot be committed: %w", err)
	}
	return nil
}

// planPaths are where the plan of a unit may be.
func planPaths(unit, change string) []string {
	paths := []string{".ralph/" + unit, "tasks.md"}
	if change != "" {
		paths = append(paths, ".ito/changes/"+change, "openspec/changes/"+change)
	}
	return paths
}
