package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// writeWork writes the worktree as a tree, over an index of its own: that of the
// agent stays as it is.
func (t *Tree) writeWork(ctx context.Context) (string, error) {
	index := filepath.Join(t.GitDir, "ralph-fleet-index")
	defer os.Remove(index)
	content, err := os.ReadFile(filepath.Join(t.GitDir, "index"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.WriteFile(index, content, 0o600); err != nil {
		return "", err
	}
	c := call{dir: t.Dir, env: []string{"GIT_INDEX_FILE=" + index}}
	// An agent may leave what git cannot add: a file that no one may read, a repository
	// without a commit. git adds the rest then, and ends with 1.
	if _, err := c.run(ctx, "add", "--all", "--ignore-errors", "--", ":/"); err != nil && exitStatus(err) != 1 {
		return "", err
	}
	return c.run(ctx, "write-tree")
}

// workOn returns what the last host had in its worktree, as it goes with the branch as
// it is on the remote now. The user who has put the branch elsewhere has the last word;
// one who has added to it gets both together. What is left out stays below the record.
func (t *Tree) workOn(ctx context.Context, work string) (string, error) {
	t.Note = ""
	head := t.Record.Head
	if work == "" || head == t.tip || !t.isAncestor(ctx, head, t.tip) {
		if head != t.tip {
			work = ""
		}
		return work, nil
	}
	local := call{dir: t.mirror, env: identity}
	theirs, err := local.run(ctx, append(append([]string{}, ours...), "commit-tree", work, "-p", head, "-m", "the worktree")...)
	if err != nil {
		return "", err
	}
	both, err := local.run(ctx, "merge-tree", "--write-tree", "--no-messages", t.tip, theirs)
	if err != nil { // a conflict, or a git before 2.38
		t.Note = fmt.Sprintf("what was not committed on %s does not go together with what was pushed to %s since; it is in %.12s:%s",
			t.Record.Host, t.branch, t.state, workDir)
		return "", nil
	}
	tree, _, _ := strings.Cut(both, "\n")
	return tree, nil
}

func (t *Tree) isAncestor(ctx context.Context, a, b string) bool {
	_, err := call{dir: t.mirror}.run(ctx, "merge-base", "--is-ancestor", a, b)
	return err == nil
}
