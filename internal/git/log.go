package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Commit describes a commit.
type Commit struct {
	Hash, Tree string
	Parent     string // the first one; empty if it has none
	Committer  string // email address
	Time       time.Time
	Message    string
}

// Commit reads one commit. It fails if the name is not a commit.
func (r *Repo) Commit(ctx context.Context, revision string) (Commit, error) {
	if err := checkRevision(revision); err != nil {
		return Commit{}, err
	}
	return r.first(ctx, revision, "--")
}

// LastCommit returns the last commit that touched a path in the history of HEAD. It is zero if
// no commit did.
func (r *Repo) LastCommit(ctx context.Context, path string) (Commit, error) {
	return r.first(ctx, "--", ":(top,literal)"+path)
}

func (r *Repo) first(ctx context.Context, args ...string) (Commit, error) {
	list, err := r.log(ctx, append([]string{"--max-count=1"}, args...)...)
	if err != nil || len(list) == 0 {
		return Commit{}, err
	}
	return list[0], nil
}

// Log returns the commits reachable from to but not from without, the newest first.
func (r *Repo) Log(ctx context.Context, to string, without ...string) ([]Commit, error) {
	if err := checkRevision(append(without, to)...); err != nil {
		return nil, err
	}
	args := []string{to}
	for _, w := range without {
		args = append(args, "^"+w)
	}
	return r.log(ctx, append(args, "--")...)
}

func (r *Repo) log(ctx context.Context, args ...string) ([]Commit, error) {
	out, err := r.git(ctx, append([]string{"log", "-z", "--format=%H%n%T%n%P%n%ce%n%ct%n%B"}, args...)...)
	if err != nil || len(out) == 0 {
		return nil, err
	}
	var list []Commit
	for record := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		line := strings.SplitN(record, "\n", 6)
		if len(line) != 6 {
			return nil, fmt.Errorf("git log: the record %q is of a form that is not known", record)
		}
		seconds, err := strconv.ParseInt(line[4], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("git log: the time of %s cannot be read: %w", line[0], err)
		}
		parent, _, _ := strings.Cut(line[2], " ")
		list = append(list, Commit{line[0], line[1], parent, line[3], time.Unix(seconds, 0), line[5]})
	}
	return list, nil
}

// Commits lists the commits reachable from to but not from from: full hashes, parents before
// children. An empty from means the whole history of to; an empty to (a branch without a commit)
// gives no commits.
func (r *Repo) Commits(ctx context.Context, from, to string) ([]string, error) {
	if to == "" || from == to {
		return nil, nil
	}
	revisions := []string{to}
	if from != "" {
		revisions = append(revisions, from)
	}
	if err := checkRevision(revisions...); err != nil {
		return nil, err
	}
	out, err := r.git(ctx, append([]string{"rev-list", "--topo-order", "--reverse", to, "--not"}, append(revisions[1:], "--")...)...)
	return strings.Fields(string(out)), err
}

// Moved compares the history of two commits. gained lists the commits reachable from to but
// not from from, lost the opposite: full hashes, parents before children. An empty from means
// that there was no commit.
func (r *Repo) Moved(ctx context.Context, from, to string) (gained, lost []string, err error) {
	switch {
	case from != "" && to == "": // the branch itself is gone
		lost, err = r.Commits(ctx, "", from)
		return nil, lost, err
	case from == "" || from == to:
		gained, err = r.Commits(ctx, from, to)
		return gained, nil, err
	}
	if err := checkRevision(from, to); err != nil {
		return nil, nil, err
	}
	out, err := r.git(ctx, "rev-list", "--topo-order", "--reverse", "--left-right", from+"..."+to, "--")
	if err != nil {
		return nil, nil, err
	}
	for hash := range strings.FieldsSeq(string(out)) {
		if side, ok := strings.CutPrefix(hash, "<"); ok {
			lost = append(lost, side)
		} else {
			gained = append(gained, strings.TrimPrefix(hash, ">"))
		}
	}
	return gained, lost, nil
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
