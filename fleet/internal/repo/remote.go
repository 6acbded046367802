package repo

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"ralph/fleet/internal/feature"
)

// stateRef is where a feature's record is on the remote, keptRef where the work of a
// host goes that has lost the feature to another one.
func stateRef(branch string) string { return "refs/ralph/fleet/" + branch }

func keptRef(branch, host string, o feature.Ordinal) string {
	return fmt.Sprintf("%s%s/%s-%s", keptRefs, branch, o, feature.HostWord(host))
}

const keptRefs = "refs/ralph/kept/"

// localRef is where the latest snapshot is in a host's own mirror until it is pushed.
func localRef(branch string) string { return "refs/ralph/local/" + branch }

// trackingRef is where a mirror has the branch as it was on the remote.
func trackingRef(branch string) string { return "refs/remotes/origin/" + branch }

func headRef(branch string) string { return "refs/heads/" + branch }

// remoteRefs asks a remote for references; what it lacks is not in the answer.
func remoteRefs(ctx context.Context, dir, url string, patterns ...string) (map[string]string, error) {
	out, err := call{dir: dir, limit: talkLimit}.run(ctx, append([]string{"ls-remote", url}, patterns...)...)
	if err != nil {
		return nil, &TroubleError{fmt.Errorf("%s cannot be read: %w", url, err)}
	}
	refs := map[string]string{}
	for line := range strings.Lines(out) {
		if hash, name, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			refs[name] = hash
		}
	}
	return refs, nil
}

// Branches finds the branches of a repository that can be submitted: those named,
// or all that have a plan of their own. It says of each named one what is missing.
func Branches(ctx context.Context, url string, names []string, needPlan bool) ([]string, error) {
	dir, err := os.MkdirTemp("", "ralph-fleet-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	refs, err := remoteRefs(ctx, dir, url, "refs/heads/*")
	if err != nil {
		return nil, err
	}
	all := len(names) == 0
	if all {
		for ref := range refs {
			names = append(names, strings.TrimPrefix(ref, "refs/heads/"))
		}
		slices.Sort(names)
	}
	for _, name := range names {
		if refs[headRef(name)] == "" {
			return nil, fmt.Errorf("%s has no branch %s; push it first", url, name)
		}
	}
	if !needPlan && !all || len(names) == 0 {
		return names, nil
	}
	planned, err := withPlan(ctx, dir, url, names)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !all && !slices.Contains(planned, name) {
			return nil, fmt.Errorf("branch %s of %s has no plan: commit .ralph/%s/ with spec.md and prd.json or a tasks.md and push it, or submit it with --change or --text",
				name, url, feature.Unit(name))
		}
	}
	return planned, nil
}

// withPlan returns those of the branches that have a plan in them.
func withPlan(ctx context.Context, dir, url string, names []string) ([]string, error) {
	local := call{dir: dir}
	if _, err := local.run(ctx, "init", "--quiet", "--bare"); err != nil {
		return nil, err
	}
	args := []string{"fetch", "--quiet", "--no-tags", "--depth=1", "--filter=blob:none", url}
	for _, name := range names {
		args = append(args, headRef(name)+":"+headRef(name))
	}
	if _, err := (call{dir: dir, limit: fetchLimit}).run(ctx, args...); err != nil {
		return nil, &TroubleError{err}
	}
	var planned []string
	for _, name := range names {
		files, err := local.run(ctx, "ls-tree", "-r", "-z", "--name-only", headRef(name))
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(strings.Split(files, "\x00"), func(file string) bool { return isPlan(file, feature.Unit(name)) }) {
			planned = append(planned, name)
		}
	}
	return planned, nil
}

// isPlan reports whether a file is what ralph takes for a plan by itself.
func isPlan(file, unit string) bool {
	switch path.Base(file) {
	case "spec.md", "prd.json":
		return path.Dir(file) == ".ralph/"+unit
	case "tasks.md":
		return strings.Count(file, "/") < 3 && !strings.Contains(file, "archive/") && !strings.Contains(file, "node_modules/")
	}
	return false
}

// Look reads a feature's record from the remote, and the journal that is with it.
// Both are empty where no host has started with it.
func Look(ctx context.Context, url, branch string) (Record, []byte, error) {
	dir, err := os.MkdirTemp("", "ralph-fleet-")
	if err != nil {
		return Record{}, nil, err
	}
	defer os.RemoveAll(dir)
	refs, err := remoteRefs(ctx, dir, url, stateRef(branch))
	if err != nil || refs[stateRef(branch)] == "" {
		return Record{}, nil, err
	}
	if _, err := (call{dir: dir}).run(ctx, "init", "--quiet", "--bare"); err != nil {
		return Record{}, nil, err
	}
	ref := stateRef(branch)
	if _, err := (call{dir: dir, limit: fetchLimit}).run(ctx, "fetch", "--quiet", "--no-tags", "--depth=1", url, "+"+ref+":"+ref); err != nil {
		return Record{}, nil, &TroubleError{err}
	}
	return readRecord(ctx, dir, ref)
}
