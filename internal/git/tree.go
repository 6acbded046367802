package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Entry describes a file of a tree. An empty mode means that the file does not exist.
type Entry struct {
	Mode string // as git writes it: 100644, 100755, 120000 (link), 160000 (submodule)
	Hash string
}

// IsFile reports whether the entry is a plain file, which has text to read.
func (e Entry) IsFile() bool { return strings.HasPrefix(e.Mode, "100") }

// IsSubmodule reports whether the entry is a commit of another repository.
func (e Entry) IsSubmodule() bool { return e.Mode == "160000" }

// Entries returns all files of a commit or tree by their paths.
func (r *Repo) Entries(ctx context.Context, treeish string) (map[string]Entry, error) {
	if err := checkRevision(treeish); err != nil {
		return nil, err
	}
	out, err := r.git(ctx, "ls-tree", "-r", "-z", "--full-tree", treeish, "--")
	if err != nil {
		return nil, err
	}
	entries := map[string]Entry{}
	for record := range strings.SplitSeq(string(out), "\x00") {
		meta, path, ok := strings.Cut(record, "\t")
		part := strings.Fields(meta) // mode, type, hash
		if !ok || len(part) != 3 {
			continue
		}
		entries[path] = Entry{Mode: part[0], Hash: part[2]}
	}
	return entries, nil
}

// Contents returns the contents of objects by their hashes, in the same order.
func (r *Repo) Contents(ctx context.Context, hashes ...string) ([]string, error) {
	if len(hashes) == 0 {
		return nil, nil
	}
	return r.contents(ctx, hashes)
}

// WriteBlob stores a file's content in the repository and returns its hash.
func (r *Repo) WriteBlob(ctx context.Context, content string) (string, error) {
	out, err := run(ctx, r.Root, []byte(content), "hash-object", "-w", "--stdin", "--no-filters")
	return strings.TrimSpace(string(out)), err
}

// Compose creates a tree from treeish with some files changed, and returns its hash. It does
// not touch the repository's index or worktree.
func (r *Repo) Compose(ctx context.Context, treeish string, edits map[string]Entry) (string, error) {
	if err := checkRevision(treeish); err != nil {
		return "", err
	}
	var tree string
	err := r.inIndex(ctx, func(git func(stdin []byte, args ...string) (string, error)) error {
		if _, err := git(nil, "read-tree", treeish); err != nil {
			return err
		}
		if _, err := git(indexInfo(edits), "update-index", "-z", "--index-info"); err != nil {
			return err
		}
		var err error
		tree, err = git(nil, "write-tree")
		return err
	})
	return tree, err
}

// indexInfo is what "git update-index --index-info" reads. Files that go come first: one
// may give way to a folder of its name.
func indexInfo(edits map[string]Entry) []byte {
	var gone, set strings.Builder
	for path, e := range edits {
		if e.Mode == "" {
			fmt.Fprintf(&gone, "0 %040d\t%s\x00", 0, path)
		} else {
			fmt.Fprintf(&set, "%s %s\t%s\x00", e.Mode, e.Hash, path)
		}
	}
	return []byte(gone.String() + set.String())
}

// Snapshot creates a tree of the worktree as it is, and returns its hash. The tree includes
// uncommitted and untracked files, and no ignored ones.
func (r *Repo) Snapshot(ctx context.Context, head string) (string, error) {
	var tree string
	err := r.inIndex(ctx, func(git func(stdin []byte, args ...string) (string, error)) error {
		if head != "" {
			if _, err := git(nil, "read-tree", head); err != nil {
				return err
			}
		}
		if _, err := git(nil, "add", "--all", "--", ":/"); err != nil {
			return err
		}
		var err error
		tree, err = git(nil, "write-tree")
		return err
	})
	return tree, err
}

// inIndex calls f with a git that uses an index of its own.
func (r *Repo) inIndex(ctx context.Context, f func(git func([]byte, ...string) (string, error)) error) error {
	dir, err := os.MkdirTemp("", "ralph-index-")
	if err != nil {
		return err
	}
	env := append(r.quiet(), "GIT_INDEX_FILE="+filepath.Join(dir, "index"))
	err = f(func(stdin []byte, args ...string) (string, error) {
		out, err := runWith(ctx, r.Root, env, stdin, args...)
		return strings.TrimSpace(string(out)), err
	})
	return errors.Join(err, os.RemoveAll(dir))
}

// CommitTree creates a commit of a tree without adding it to a branch. The same tree and
// parents give the same commit.
func (r *Repo) CommitTree(ctx context.Context, tree string, parents ...string) (string, error) {
	if err := checkRevision(append(parents, tree)...); err != nil {
		return "", err
	}
	args := []string{"commit-tree", "-m", "ralph", tree}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	const when = "2000-01-01T00:00:00Z"
	env := []string{"GIT_AUTHOR_NAME=ralph", "GIT_AUTHOR_EMAIL=ralph@localhost", "GIT_AUTHOR_DATE=" + when,
		"GIT_COMMITTER_NAME=ralph", "GIT_COMMITTER_EMAIL=ralph@localhost", "GIT_COMMITTER_DATE=" + when}
	out, err := runWith(ctx, r.Root, env, nil, args...)
	return strings.TrimSpace(string(out)), err
}

// MergeTree merges two commits without a worktree, and returns the resulting tree. ok is
// false if they conflict.
func (r *Repo) MergeTree(ctx context.Context, one, other string) (tree string, ok bool, err error) {
	if err := checkRevision(one, other); err != nil {
		return "", false, err
	}
	out, err := r.git(ctx, "merge-tree", "--write-tree", "--no-messages", "--allow-unrelated-histories", one, other)
	if exitedWith(err, 1) {
		return "", false, nil
	}
	return strings.TrimSpace(string(out)), err == nil, err
}

// MergeBase returns the best common ancestor of two commits, or "" if they have none.
func (r *Repo) MergeBase(ctx context.Context, one, other string) (string, error) {
	if err := checkRevision(one, other); err != nil {
		return "", err
	}
	out, err := r.git(ctx, "merge-base", one, other)
	if exitedWith(err, 1) {
		return "", nil
	}
	return strings.TrimSpace(string(out)), err
}

// Tips returns the commits of all references below a prefix, such as refs/remotes/.
func (r *Repo) Tips(ctx context.Context, prefix string) ([]string, error) {
	out, err := r.git(ctx, "for-each-ref", "--format=%(objecttype) %(objectname)", prefix)
	var tips []string
	for line := range strings.Lines(string(out)) {
		if hash, ok := strings.CutPrefix(strings.TrimSpace(line), "commit "); ok {
			tips = append(tips, hash)
		}
	}
	return tips, err
}

// Committers returns the email addresses of the committers of a range of commits. The range
// holds the commits that are reachable from any of from, and from none of without.
func (r *Repo) Committers(ctx context.Context, from, without []string) ([]string, error) {
	if err := checkRevision(slices.Concat(from, without)...); err != nil {
		return nil, err
	}
	args := append([]string{"log", "--format=%ce"}, from...)
	for _, w := range without {
		args = append(args, "^"+w)
	}
	out, err := r.git(ctx, append(args, "--")...)
	list := strings.Fields(string(out))
	slices.Sort(list)
	return slices.Compact(list), err
}

// Renames returns the files that were renamed between two commits or trees: a map from old to
// new name.
func (r *Repo) Renames(ctx context.Context, from, to string) (map[string]string, error) {
	if err := checkRevision(from, to); err != nil {
		return nil, err
	}
	out, err := r.git(ctx, "diff-tree", "-r", "-z", "--find-renames", "--diff-filter=R", "--name-status", from, to, "--")
	renamed := map[string]string{}
	part := strings.Split(string(out), "\x00") // R100, old, new
	for i := 0; i+2 < len(part); i += 3 {
		renamed[part[i+1]] = part[i+2]
	}
	return renamed, err
}

// DiffTrees returns the difference of two commits or trees as text, without renames and
// without context. Blocks at most gap lines apart are one. Of a diff larger than limit
// bytes the beginning is returned, and cut is true.
func (r *Repo) DiffTrees(ctx context.Context, from, to string, gap, limit int) (diff string, cut bool, err error) {
	if err := checkRevision(from, to); err != nil {
		return "", false, err
	}
	return r.bounded(ctx, limit, []string{"-c", "core.quotePath=false", "diff", "--no-ext-diff", "--no-textconv",
		"--no-color", "--unified=0", fmt.Sprintf("--inter-hunk-context=%d", gap), "--no-renames",
		"--diff-algorithm=histogram", "--src-prefix=a/", "--dst-prefix=b/", "--full-index", from, to, "--"})
}
