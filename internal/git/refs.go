package git

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Ref describes a reference and the commit that it names.
type Ref struct {
	Name   string
	Commit string
	Time   time.Time // when the commit was made
}

// Refs returns the references to commits below a prefix, by name.
func (r *Repo) Refs(ctx context.Context, prefix string) ([]Ref, error) {
	out, err := r.git(ctx, "for-each-ref", "--format=%(objecttype) %(objectname) %(committerdate:unix) %(refname)", prefix)
	if err != nil {
		return nil, err
	}
	var refs []Ref
	for line := range strings.Lines(string(out)) {
		part := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
		if len(part) != 4 || part[0] != "commit" {
			continue
		}
		seconds, err := strconv.ParseInt(part[2], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("git for-each-ref: the record %q is of a form that is not known", line)
		}
		refs = append(refs, Ref{Name: part[3], Commit: part[1], Time: time.Unix(seconds, 0)})
	}
	return refs, nil
}

// RefCommit returns the commit of a reference, or "" if it does not exist. It reads git's
// files itself where it can.
func (r *Repo) RefCommit(ctx context.Context, ref string) (string, error) {
	if commit, ok := r.readRef(ref); ok && commit != "" {
		return commit, nil
	}
	refs, err := r.Refs(ctx, ref)
	for _, found := range refs {
		if found.Name == ref {
			return found.Commit, nil
		}
	}
	return "", err
}

// SetRef makes a reference name a commit, whatever it named before. An empty commit deletes it.
func (r *Repo) SetRef(ctx context.Context, ref, commit string) error {
	if commit == "" {
		_, err := r.git(ctx, "update-ref", "--no-deref", "-d", ref)
		return err
	}
	if err := checkRevision(commit); err != nil {
		return err
	}
	_, err := r.git(ctx, "update-ref", "--no-deref", ref, commit)
	return err
}

// DeleteRefs deletes references. It deletes one only if it still names the given commit.
func (r *Repo) DeleteRefs(ctx context.Context, refs ...Ref) error {
	if len(refs) == 0 {
		return nil
	}
	var in strings.Builder
	for _, ref := range refs {
		fmt.Fprintf(&in, "delete %s\x00%s\x00", ref.Name, ref.Commit)
	}
	_, err := r.gitWith(ctx, []byte(in.String()), "update-ref", "--no-deref", "-z", "--stdin")
	return err
}

// refsBelow returns the refs with that prefix, which ends in a slash or names one ref, and their
// objects. It reads git's files itself.
func (r *Repo) refsBelow(prefix string) map[string]string {
	refs := map[string]string{}
	add := func(ref, hash string) {
		if strings.HasPrefix(ref, prefix) {
			refs[ref] = hash
		}
	}
	packed, _ := readFile(filepath.Join(r.CommonDir, "packed-refs")) // there may be none
	for line := range strings.Lines(string(packed)) {
		hash, ref, _ := strings.Cut(strings.TrimSpace(line), " ")
		add(ref, hash)
	}
	_ = filepath.WalkDir(filepath.Join(r.CommonDir, prefix), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			if ref, err := filepath.Rel(r.CommonDir, path); err == nil {
				add(ref, strings.TrimSpace(string(readBounded(path))))
			}
		}
		return nil
	})
	return refs
}
