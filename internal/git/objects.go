package git

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// TreeEntry describes a file of a tree. An empty mode means that the file does not exist.
type TreeEntry struct {
	Mode string // as git writes it: 100644, 100755, 120000 (link), 160000 (submodule)
	Hash string
}

// IsFile reports whether the entry is a plain file, which has text to read.
func (e TreeEntry) IsFile() bool { return strings.HasPrefix(e.Mode, "100") }

// IsSubmodule reports whether the entry is a commit of another repository.
func (e TreeEntry) IsSubmodule() bool { return e.Mode == "160000" }

// listing is what "git ls-tree -r -t -z" prints: the files and folders of a commit.
type listing []byte

// list reads the files and folders of a commit or tree; an empty one has none. It keeps the last
// answer.
func (r *Repo) list(ctx context.Context, treeish string) (listing, error) {
	if treeish == "" {
		return nil, nil
	}
	if err := checkRevision(treeish); err != nil {
		return nil, err
	}
	ask := func() ([]byte, error) { return r.git(ctx, "ls-tree", "-r", "-t", "-z", "--full-tree", treeish, "--") }
	if !isHash(treeish) {
		return ask()
	}
	return r.files.get(treeish, ask)
}

// all returns the paths and their entries. Those of folders have the mode [folderMode].
func (l listing) all() iter.Seq2[string, TreeEntry] {
	return func(yield func(string, TreeEntry) bool) {
		for record := range strings.SplitSeq(string(l), "\x00") {
			meta, path, ok := strings.Cut(record, "\t") // mode, type and hash
			mode, rest, _ := strings.Cut(meta, " ")
			_, hash, _ := strings.Cut(rest, " ")
			if ok && !yield(path, TreeEntry{mode, hash}) {
				return
			}
		}
	}
}

// Entries returns all files of a commit or tree by their paths.
func (r *Repo) Entries(ctx context.Context, treeish string) (map[string]TreeEntry, error) {
	list, err := r.list(ctx, treeish)
	entries := map[string]TreeEntry{}
	for path, e := range list.all() {
		if e.Mode != folderMode {
			entries[path] = e
		}
	}
	return entries, err
}

// Contents returns the contents of objects by their hashes, in the same order.
func (r *Repo) Contents(ctx context.Context, hashes ...string) ([]string, error) {
	if len(hashes) == 0 {
		return nil, nil
	}
	out, err := r.gitWith(ctx, []byte(strings.Join(hashes, "\n")+"\n"), "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	texts := make([]string, 0, len(hashes))
	for _, hash := range hashes {
		text, rest, err := cutObject(out)
		if err != nil {
			return nil, fmt.Errorf("git cat-file: the object %s cannot be read: %w", hash, err)
		}
		texts, out = append(texts, text), rest
	}
	return texts, nil
}

// cutObject splits the first record off the output of "git cat-file --batch": "<name> <type>
// <size> LF <content> LF". For a missing object git prints "<name> missing LF".
func cutObject(out []byte) (text string, rest []byte, err error) {
	head, rest, _ := bytes.Cut(out, []byte("\n"))
	part := strings.Fields(string(head))
	if len(part) != 3 {
		return "", nil, fmt.Errorf("git says %q", head)
	}
	size, err := strconv.Atoi(part[2])
	if err != nil || size < 0 || size >= len(rest) {
		return "", nil, fmt.Errorf("git says %q", head)
	}
	return string(rest[:size]), rest[size+1:], nil
}

// WriteBlob stores a file's content in the repository and returns its hash.
func (r *Repo) WriteBlob(content string) (string, error) { return r.store().writeText("blob", content) }

// Compose creates a tree of treeish with some files changed, and returns its hash. It does not
// touch the repository's index, worktree or branches.
func (r *Repo) Compose(ctx context.Context, treeish string, edits map[string]TreeEntry) (tree string, err error) {
	list, err := r.list(ctx, treeish)
	if err != nil {
		return "", err
	}
	return r.store().compose(list, edits)
}

// CommitTree creates a commit of a tree without adding it to a branch. The same tree and
// parents give the same commit.
func (r *Repo) CommitTree(tree string, parents ...string) (string, error) {
	return r.store().writeCommit(tree, parents, time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), "ralph")
}

// Snapshot creates a tree of the worktree as it is, and returns its hash. The tree includes
// uncommitted and untracked files, and no ignored ones.
func (r *Repo) Snapshot(ctx context.Context, head string) (tree string, err error) {
	err = r.inIndex(ctx, nil, func(git gitFunc) error {
		if head != "" {
			if _, err := git(nil, "read-tree", head); err != nil {
				return err
			}
		}
		if _, err := git(nil, "add", "--all", "--", ":/"); err != nil {
			return err
		}
		tree, err = git(nil, "write-tree")
		return err
	})
	return tree, err
}

// gitFunc calls git and returns its output without the white space around it.
type gitFunc func(stdin []byte, args ...string) (string, error)

// inIndex calls f with a git that uses a temporary index, which has this content.
func (r *Repo) inIndex(ctx context.Context, content []byte, f func(gitFunc) error) error {
	dir, err := os.MkdirTemp("", "ralph-index-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "index")
	if len(content) > 0 {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			return err
		}
	}
	c := call{dir: r.Root, settings: r.quiet(), env: []string{"GIT_INDEX_FILE=" + file}}
	return f(func(stdin []byte, args ...string) (string, error) {
		c.stdin = stdin
		out, err := c.run(ctx, args...)
		return strings.TrimSpace(string(out)), err
	})
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
