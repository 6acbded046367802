package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ralph/internal/git"
)

// AddFile writes the current content of a plan file to rel in the clean worktree, and hides the
// change from git. Checks may read the marks, which are seldom in the commit that they are
// about. The error is a *CheckoutError.
func (c *CleanWorktree) AddFile(ctx context.Context, rel string, data []byte) error {
	if _, err := c.Dir(ctx); err != nil {
		return err
	}
	if err := c.addFile(ctx, rel, data); err != nil {
		return &CheckoutError{Commit: c.Commit, Err: fmt.Errorf("%s: %w", rel, err)}
	}
	return nil
}

func (c *CleanWorktree) addFile(ctx context.Context, rel string, data []byte) error {
	// The agent has committed what is here: a link may lead anywhere.
	root, err := os.OpenRoot(c.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if old, err := root.ReadFile(rel); err == nil && string(old) == string(data) {
		return nil
	}
	if err := git.SkipWorktree(ctx, c.dir, rel); err != nil {
		var refused *git.Error
		if !errors.As(err, &refused) { // it is not in the commit
			return err
		}
	}
	if err := root.MkdirAll(filepath.Dir(rel), 0o755); err != nil {
		return err
	}
	if err := root.RemoveAll(rel); err != nil {
		return err
	}
	return root.WriteFile(rel, data, 0o644)
}
