package git

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Commits lists the commits reachable from to but not from from: full hashes, parents before
// children. An empty from means the whole history of to; an empty to (a branch without a commit)
// gives no commits.
func (r *Repo) Commits(ctx context.Context, from, to string) ([]string, error) {
	if to == "" || from == to {
		return nil, nil
	}
	args := []string{"rev-list", "--topo-order", "--reverse", to}
	if err := checkRevision(to); err != nil {
		return nil, err
	}
	if from != "" {
		if err := checkRevision(from); err != nil {
			return nil, err
		}
		args = append(args, "^"+from)
	}
	out, err := r.git(ctx, append(args, "--")...)
	return strings.Fields(string(out)), err
}

// LastCommit returns the last commit that touched a path in the history of HEAD, or "" if no
// commit did.
func (r *Repo) LastCommit(ctx context.Context, path string) (string, error) {
	out, err := r.git(ctx, "log", "-1", "--format=%H", "--", ":(top,literal)"+path)
	return strings.TrimSpace(string(out)), err
}

// Naming returns the commits between from and to with the whole word in their message, the
// newest first.
func (r *Repo) Naming(ctx context.Context, from, to, word string) ([]string, error) {
	if err := checkRevision(from, to); err != nil {
		return nil, err
	}
	out, err := r.git(ctx, "log", "-z", "--format=%H %B", to, "^"+from, "--")
	whole := regexp.MustCompile(`(?:^|[^\w.-])` + regexp.QuoteMeta(word) + `(?:[^\w-]|$)`)
	var list []string
	for record := range strings.SplitSeq(string(out), "\x00") {
		if hash, message, ok := strings.Cut(record, " "); ok && whole.MatchString(message) {
			list = append(list, hash)
		}
	}
	return list, err
}

// Parent returns the first parent of a commit, or "" if it has none. It fails if the name is
// not a commit.
func (r *Repo) Parent(ctx context.Context, commit string) (string, error) {
	if err := checkRevision(commit); err != nil {
		return "", err
	}
	out, err := r.git(ctx, "rev-list", "--parents", "-n", "1", commit, "--")
	if part := strings.Fields(string(out)); len(part) > 1 {
		return part[1], err
	}
	return "", err
}

// IsAncestor reports whether commit can be reached from descendant. A commit is
// its own ancestor. A commit that the repository does not have is an error.
func (r *Repo) IsAncestor(ctx context.Context, commit, descendant string) (bool, error) {
	if err := checkRevision(commit, descendant); err != nil {
		return false, err
	}
	_, err := r.git(ctx, "merge-base", "--is-ancestor", commit, descendant)
	if exitedWith(err, 1) {
		return false, nil
	}
	return err == nil, err
}

// ChangedPaths lists the files that differ between two commits, in git's order.
// An empty from means a tree without files. Paths that equal one of
// exclude, or are below it, are left out.
func (r *Repo) ChangedPaths(ctx context.Context, from, to string, exclude ...string) ([]string, error) {
	args := []string{"diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to, "--"}
	if from == "" {
		args = []string{"ls-tree", "-r", "-z", "--name-only", "--full-tree", to, "--"}
	} else if err := checkRevision(from); err != nil {
		return nil, err
	}
	if err := checkRevision(to); err != nil {
		return nil, err
	}
	out, err := r.git(ctx, args...)
	if err != nil {
		return nil, err
	}
	var paths []string
	for path := range strings.SplitSeq(string(out), "\x00") {
		if path != "" && !under(path, exclude) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// Tree returns the full hash of a commit's tree: two commits with the same
// content have the same tree.
func (r *Repo) Tree(ctx context.Context, commit string) (string, error) {
	if err := checkRevision(commit); err != nil {
		return "", err
	}
	out, err := r.git(ctx, "rev-parse", "--verify", commit+"^{tree}")
	return strings.TrimSpace(string(out)), err
}

// CommitTime returns the time that a commit records for itself.
func (r *Repo) CommitTime(ctx context.Context, commit string) (time.Time, error) {
	if err := checkRevision(commit); err != nil {
		return time.Time{}, err
	}
	out, err := r.git(ctx, "log", "-1", "--format=%ct", commit, "--")
	if err != nil {
		return time.Time{}, err
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return time.Unix(seconds, 0), err
}
