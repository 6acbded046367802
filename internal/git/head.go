package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Head identifies the branch and the commit that are checked out.
type Head struct {
	Branch string // without refs/heads/; empty if HEAD is detached
	Commit string // full hash; empty on a branch without a commit
}

// Name returns the branch, or says that HEAD is detached.
func (h Head) Name() string { return cmp.Or(h.Branch, "a detached HEAD") }

// Head returns what is checked out. It reads git's files itself, and runs git only where they are
// of an unusual kind (reftable, a reference to a reference). It is cheap to call often.
func (r *Repo) Head(ctx context.Context) (Head, error) {
	if head, ok := r.readHead(); ok {
		return head, nil
	}
	return r.askHead(ctx)
}

func (r *Repo) readHead() (Head, bool) {
	file := filepath.Join(r.GitDir, "HEAD")
	// Ancient repositories have a symbolic link here: its content is the commit.
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
		return Head{}, false
	}
	content, err := readFile(file)
	if err != nil {
		return Head{}, false
	}
	text := strings.TrimSuffix(string(content), "\n")
	if isHash(text) {
		return Head{Commit: text}, true
	}
	ref, ok := strings.CutPrefix(text, "ref: ")
	branch, isBranch := strings.CutPrefix(ref, "refs/heads/")
	// reftable repositories name a branch that cannot be: .invalid
	if !ok || !isBranch || branch == ".invalid" || !filepath.IsLocal(branch) {
		return Head{}, false
	}
	commit, ok := r.readRef(ref)
	return Head{Branch: branch, Commit: commit}, ok
}

// readRef returns the commit of a branch, "" where it has none yet. The loose
// file comes first: git removes it only after it has been packed.
func (r *Repo) readRef(ref string) (commit string, ok bool) {
	content, err := readFile(filepath.Join(r.CommonDir, ref))
	if err == nil {
		commit = strings.TrimSpace(string(content))
		return commit, isHash(commit)
	}
	// A directory is in the way where only feature/x exists and HEAD is at an
	// unborn branch "feature": git has the answer.
	if !errors.Is(err, fs.ErrNotExist) {
		return "", false
	}
	packed, err := readFile(filepath.Join(r.CommonDir, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", true
	}
	if err != nil {
		return "", false
	}
	return packedRef(packed, ref)
}

func packedRef(packed []byte, ref string) (commit string, ok bool) {
	end := bytes.Index(packed, []byte(" "+ref+"\n"))
	if end < 0 {
		return "", true
	}
	start := bytes.LastIndexByte(packed[:end], '\n') + 1
	commit = string(packed[start:end])
	return commit, isHash(commit)
}

func (r *Repo) askHead(ctx context.Context) (Head, error) {
	var head Head
	ref, err := r.git(ctx, "symbolic-ref", "--quiet", "HEAD")
	if err != nil && !exitedWith(err, 1) {
		return Head{}, err
	}
	if branch, ok := strings.CutPrefix(strings.TrimSpace(string(ref)), "refs/heads/"); ok {
		head.Branch = branch
	}
	commit, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil && !exitedWith(err, 1) {
		return Head{}, err
	}
	head.Commit = strings.TrimSpace(string(commit))
	return head, nil
}

// isHash reports whether s is a full object name, SHA-1 or SHA-256.
func isHash(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

func exitedWith(err error, code int) bool {
	var failed *Error
	return errors.As(err, &failed) && failed.ExitCode == code
}
