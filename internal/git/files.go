package git

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
)

// Tracked lists the files in the index of a repository at dir, from its root.
func (r *Repo) Tracked(ctx context.Context, dir string) ([]string, error) {
	key := ""
	if index, err := readFile(filepath.Join(r.GitDir, "index")); err == nil && dir == r.Root {
		key = hashed(index)
	}
	out, err := r.tracked.get(key, func() ([]byte, error) {
		return call{dir: dir, settings: r.quiet()}.run(ctx, "ls-files", "-z")
	})
	return paths(out), err
}

// Others lists the untracked paths in the export at dir, ignored or not. A folder without a
// tracked file is one path that ends in a slash.
func Others(ctx context.Context, dir string) ([]string, error) {
	out, err := runPlain(ctx, dir, "ls-files", "--others", "--directory", "-z")
	return paths(out), err
}

// Ignored lists the files that git ignores in the worktree. A folder with only ignored files
// is one path that ends in a slash.
func (r *Repo) Ignored(ctx context.Context) ([]string, error) {
	out, err := r.git(ctx, "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
	return paths(out), err
}

// paths splits a list of paths that end with NUL.
func paths(out []byte) []string {
	return strings.FieldsFunc(string(out), func(c rune) bool { return c == 0 })
}

// memo keeps the last answer of git to a question, for as long as all that it depends on is the
// same.
type memo struct {
	mu    sync.Mutex
	key   string
	value []byte
}

// get returns the answer that belongs to key, and asks only where that is not the last one.
// Without a key it always asks.
func (m *memo) get(key string, ask func() ([]byte, error)) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if key != "" && key == m.key {
		return m.value, nil
	}
	value, err := ask()
	if err != nil {
		return nil, err
	}
	m.key, m.value = key, value
	return value, nil
}
