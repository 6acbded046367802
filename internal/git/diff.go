package git

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
)

// Diff describes a difference to show.
type Diff struct {
	From string // a commit or tree
	To   string // another one; empty is the worktree, without untracked files
	// Exclude are paths to leave out, with everything below them, and pathspecs, see
	// [ExcludeAnywhere].
	Exclude   []string
	Context   int // lines around each change
	Gap       int // changes at most so many lines apart are one
	NoRenames bool
	Limit     int // bytes to read
}

// Diff returns a difference as text. If it is larger than the limit, Diff returns the
// beginning, and cut is true. It calls git once, and runs no program that the repository
// configures to show differences.
func (r *Repo) Diff(ctx context.Context, d Diff) (text string, cut bool, err error) {
	revisions := []string{d.From}
	if d.To != "" {
		revisions = append(revisions, d.To)
	}
	if err := checkRevision(revisions...); err != nil {
		return "", false, err
	}
	renames := "--find-renames"
	if d.NoRenames {
		renames = "--no-renames"
	}
	args := []string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", renames, "--diff-algorithm=histogram",
		fmt.Sprintf("--unified=%d", d.Context), fmt.Sprintf("--inter-hunk-context=%d", d.Gap),
		"--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=dirty"}
	args = append(append(args, revisions...), "--", ":/")
	for _, path := range d.Exclude {
		if !strings.HasPrefix(path, ":(") {
			path = ":(exclude,top)" + path
		}
		args = append(args, path)
	}
	out, err := call{dir: r.Root, settings: r.quiet(), limit: d.Limit}.run(ctx, args...)
	if errors.Is(err, errCut) {
		return string(out), true, nil
	}
	return string(out), false, err
}

// ExcludeAnywhere turns patterns into pathspecs that exclude files in any folder. A pattern
// without a slash matches a file name. One that ends with a slash matches a folder name.
func ExcludeAnywhere(patterns []string) []string {
	var specs []string
	for _, p := range patterns {
		if folder, ok := strings.CutSuffix(p, "/"); ok {
			p = folder + "/**"
		}
		specs = append(specs, ":(exclude,top,glob)**/"+p)
	}
	return specs
}

// PathChange describes a path that differs between two trees. An entry without a mode means
// that the file does not exist there.
type PathChange struct {
	Path     string
	Old, New TreeEntry
}

// CompareTrees lists the paths in which two commits or trees differ.
func (r *Repo) CompareTrees(ctx context.Context, from, to string) ([]PathChange, error) {
	if err := checkRevision(from, to); err != nil {
		return nil, err
	}
	out, err := r.git(ctx, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", from, to, "--")
	if err != nil {
		return nil, err
	}
	var list []PathChange
	for rest := string(out); rest != ""; {
		var meta, name string
		meta, rest, _ = strings.Cut(rest, "\x00")
		name, rest, _ = strings.Cut(rest, "\x00")
		part := strings.Fields(strings.TrimPrefix(meta, ":")) // modes, hashes, letter
		if len(part) != 5 || name == "" {
			return nil, fmt.Errorf("git diff-tree: the record %q is of a form that is not known", meta)
		}
		list = append(list, PathChange{Path: name, Old: entryOf(part[0], part[2]), New: entryOf(part[1], part[3])})
	}
	return list, nil
}

func entryOf(mode, hash string) TreeEntry {
	if mode == "000000" {
		return TreeEntry{}
	}
	return TreeEntry{Mode: mode, Hash: hash}
}

// git knows the tree without files, also where no one has stored it.
const (
	emptyTree       = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
	emptyTreeSHA256 = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
)

// ChangedPaths lists the files that differ between two commits, in git's order. An empty from
// means a tree without files. It leaves out paths that equal one of exclude or are below it.
func (r *Repo) ChangedPaths(ctx context.Context, from, to string, exclude ...string) ([]string, error) {
	if from == "" {
		from = emptyTree
		if len(to) == 2*sha256.Size {
			from = emptyTreeSHA256
		}
	}
	changes, err := r.CompareTrees(ctx, from, to)
	var paths []string
	for _, c := range changes {
		if !under(c.Path, exclude) {
			paths = append(paths, c.Path)
		}
	}
	return paths, err
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
