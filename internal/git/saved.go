package git

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// maxInline is the size in bytes up to which one file, and up to which all files
	// together, are handed to git in one call.
	maxInline, maxInlineAll = 1 << 20, 32 << 20
	// keeper is who commits the kept states.
	keeper = "ralph <ralph@localhost>"
)

// Saved identifies a saved state of a worktree: a commit that is on no branch.
type Saved struct {
	Commit string // its files are those of the worktree
	Head   string // what was checked out, the first parent; empty on a branch without a commit

	content [sha256.Size]byte // identifies parents and files; zero where it is not known
	at      time.Time         // when the commit was made
}

// maxReuse is how long a state may be the state of later times too: states are forgotten by
// their age.
const maxReuse = 24 * time.Hour

// SaveState saves the worktree as a commit under a reference, with uncommitted and untracked
// files. It leaves out ignored files, except those in also. If staged content differs from
// both the head and the worktree, it becomes the second parent. SaveState does not touch the
// index or the worktree. It leaves out a nested repository that is not a submodule.
//
// If nothing has changed since last, it returns last, and creates no commit and no reference.
// Otherwise it calls git twice.
func (r *Repo) SaveState(ctx context.Context, ref, message string, now time.Time, last Saved, also ...string) (Saved, error) {
	head, err := r.Head(ctx)
	if err != nil {
		return Saved{}, err
	}
	changes, err := r.Status(ctx)
	if err != nil {
		return Saved{}, err
	}
	staged, err := r.staged(ctx, head.Commit, changes)
	if err != nil {
		return Saved{}, err
	}
	var in bytes.Buffer
	fmt.Fprintf(&in, "feature done\ncommit %s\nmark :1\ncommitter %s %d +0000\ndata %d\n%s\n", ref, keeper, now.Unix(), len(message), message)
	header := in.Len()
	if head.Commit != "" {
		fmt.Fprintf(&in, "from %s\n", head.Commit)
	}
	if staged != "" {
		fmt.Fprintf(&in, "merge %s\n", staged)
	}
	if err := r.writeFiles(ctx, &in, keepable(r.Root, changes, also)); err != nil {
		return Saved{}, err
	}
	saved := Saved{Head: head.Commit, content: sha256.Sum256(in.Bytes()[header:]), at: now}
	if age := now.Sub(last.at); last.content == saved.content && age >= 0 && age < maxReuse {
		return last, nil
	}
	in.WriteString("\nget-mark :1\ndone\n")
	out, err := r.gitWith(ctx, in.Bytes(), "fast-import", "--quiet", "--force")
	if err != nil {
		return Saved{}, err
	}
	if saved.Commit = strings.TrimSpace(string(out)); !isHash(saved.Commit) {
		return Saved{}, fmt.Errorf("git fast-import answers %q", saved.Commit)
	}
	return saved, nil
}

// ReadState returns the saved state at a commit or reference.
func (r *Repo) ReadState(ctx context.Context, revision string) (Saved, error) {
	c, err := r.Commit(ctx, revision)
	return Saved{Commit: c.Hash, Head: c.Parent}, err
}

// staged returns a commit of the index where that has content which neither the head nor the
// worktree has, else "".
func (r *Repo) staged(ctx context.Context, head string, changes []Change) (string, error) {
	both := func(c Change) bool { return !c.Untracked() && c.XY[0] != '.' && c.XY[1] != '.' && c.XY[0] != 'D' }
	unmerged := func(c Change) bool { return strings.Contains(c.XY, "U") || c.XY == "AA" || c.XY == "DD" }
	if slices.ContainsFunc(changes, unmerged) || !slices.ContainsFunc(changes, both) {
		return "", nil
	}
	index, err := os.ReadFile(filepath.Join(r.GitDir, "index"))
	if err != nil {
		return "", err
	}
	var tree string
	err = r.inIndex(ctx, index, func(git gitFunc) error {
		tree, err = git(nil, "write-tree")
		return err
	})
	if err != nil {
		return "", err
	}
	var parents []string
	if head != "" {
		parents = []string{head}
	}
	return r.CommitTree(ctx, tree, parents...)
}

// keepable lists the paths that may differ from the head. It leaves out paths that lead through a
// link or into another repository.
func keepable(root string, changes []Change, also []string) []string {
	var paths []string
	for _, c := range changes {
		if !strings.HasSuffix(c.Path, "/") {
			paths = append(paths, c.Path)
		}
	}
	for _, path := range also {
		real, err := filepath.EvalSymlinks(filepath.Join(root, filepath.Dir(path)))
		if err == nil && real == filepath.Join(root, filepath.Dir(path)) {
			paths = append(paths, filepath.ToSlash(path))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// writeFiles writes the commands that give a commit the files at paths as they are now, those
// that are gone first: one may give way to a folder of its name.
func (r *Repo) writeFiles(ctx context.Context, in *bytes.Buffer, paths []string) error {
	var files, large, modes []string
	for _, path := range paths {
		info, err := os.Lstat(filepath.Join(r.Root, path))
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && !info.IsDir() && !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
			fmt.Fprintf(in, "D %s\n", quotePath(path)) // a socket or the like has no content to keep
		case err != nil && !errors.Is(err, errNotFolder):
			return err
		case err != nil, info.IsDir() && !exists(filepath.Join(r.Root, path, ".git")): // file and folder changed places
			fmt.Fprintf(in, "D %s\n", quotePath(path))
		case info.Mode().IsRegular() && !strings.Contains(path, "\n") && (info.Size() > maxInline || in.Len() > maxInlineAll):
			large, modes = append(large, path), append(modes, modeOf(info))
		default:
			files = append(files, path)
		}
	}
	for _, path := range files {
		if err := r.writeFile(ctx, in, path); err != nil {
			return err
		}
	}
	if len(large) == 0 {
		return nil
	}
	out, err := r.gitWith(ctx, []byte(strings.Join(large, "\n")+"\n"), "hash-object", "-w", "--no-filters", "--stdin-paths")
	hashes := strings.Fields(string(out))
	if err == nil && len(hashes) != len(large) {
		err = fmt.Errorf("git hash-object named %d of %d files", len(hashes), len(large))
	}
	if err != nil {
		return err
	}
	for i, path := range large {
		fmt.Fprintf(in, "M %s %s %s\n", modes[i], hashes[i], quotePath(path))
	}
	return nil
}

func (r *Repo) writeFile(ctx context.Context, in *bytes.Buffer, path string) error {
	file := filepath.Join(r.Root, path)
	info, err := os.Lstat(file)
	if err != nil {
		return err
	}
	var data []byte
	mode := modeOf(info)
	switch {
	case info.IsDir(): // a submodule: the commit that is checked out there
		out, err := call{dir: file}.run(ctx, "rev-parse", "--verify", "HEAD^{commit}")
		if err != nil {
			return nil //nolint:nilerr // it has none: the head's is kept
		}
		fmt.Fprintf(in, "M 160000 %s %s\n", strings.TrimSpace(string(out)), quotePath(path))
		return nil
	case info.Mode()&fs.ModeSymlink != 0:
		var target string
		target, err = os.Readlink(file)
		mode, data = "120000", []byte(target)
	default:
		data, err = os.ReadFile(file)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(in, "M %s inline %s\ndata %d\n", mode, quotePath(path), len(data))
	in.Write(data)
	in.WriteByte('\n')
	return nil
}

func exists(path string) bool { _, err := os.Lstat(path); return err == nil }

func modeOf(info fs.FileInfo) string {
	if info.Mode()&0o100 != 0 {
		return "100755"
	}
	return "100644"
}

// quotePath quotes a path for git fast-import.
func quotePath(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(path) {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ':
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
