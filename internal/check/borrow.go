package check

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	// maxBorrowed bounds the ignored files that are copied, maxBorrowedSize each of them in bytes.
	maxBorrowed     = 200
	maxBorrowedSize = 1 << 20
)

// borrowed are the folders of dependencies that git ignores.
var borrowed = []string{"node_modules", ".venv", "venv", "vendor", "bower_components", ".bundle", "deps", "Pods"}

// Borrow adds ignored dependencies and small ignored files, such as .env, from the project's
// worktree. It links folders, copies files, and replaces nothing. Some checks cannot pass
// without them.
func (c *CleanWorktree) Borrow(ctx context.Context) error {
	if _, err := c.Dir(ctx); err != nil {
		return err
	}
	ignored, err := c.repo.Ignored(ctx)
	if err != nil {
		return err
	}
	copied := 0
	for _, name := range ignored {
		folder, isFolder := strings.CutSuffix(name, "/")
		to := filepath.Join(c.dir, folder)
		if _, err := os.Lstat(to); err == nil || strings.HasPrefix(name, ".ralph/") {
			continue
		}
		from := filepath.Join(c.repo.Root, folder)
		if isFolder && !slices.Contains(borrowed, filepath.Base(folder)) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			continue // something else is in its place in this tree
		}
		if isFolder {
			if err := os.Symlink(from, to); err != nil {
				return err
			}
			continue
		}
		if copied++; copied > maxBorrowed {
			continue
		}
		if err := copyFile(from, to); err != nil {
			return err
		}
	}
	return nil
}

// copyFile copies a small plain file; others are left out.
func copyFile(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxBorrowedSize {
		return nil //nolint:nilerr // it may be gone meanwhile
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return nil //nolint:nilerr // a file that cannot be read cannot be needed
	}
	return os.WriteFile(to, data, info.Mode().Perm()|fs.FileMode(0o600))
}

// fetchers matches the commands that run a program from the registry or from a cache if the
// project does not have it.
var fetchers = regexp.MustCompile(`\b(?:npx|bunx|npm (?:exec|x)|(?:pnpm|yarn) dlx)\b`)

// RunsCached reports whether a check in dir, or a script of package.json, runs such a command
// although dir has no node_modules.
func RunsCached(c Check, dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err == nil {
		return false
	}
	scripts, _ := os.ReadFile(filepath.Join(dir, "package.json")) // there may be none
	return fetchers.MatchString(c.Command) || fetchers.Match(scripts)
}
