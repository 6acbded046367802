package git

import (
	"context"
	"fmt"
	"strings"
)

// StatusEntry describes one path that differs from the head: staged, not staged or untracked.
type StatusEntry struct {
	Path string // from the worktree's root; ends in "/" for an untracked repository inside of this one
	XY   string // git's two letters, index and worktree, "." for unchanged; "??" for untracked
}

// Untracked reports whether git does not know the path yet.
func (c StatusEntry) Untracked() bool { return c.XY == "??" }

// Status lists all uncommitted changes in git's order, untracked files one by
// one, ignored ones not at all. A renamed file is a deleted and an added one.
// Paths that equal one of exclude, or are below it, are left out.
func (r *Repo) Status(ctx context.Context, exclude ...string) ([]StatusEntry, error) {
	out, err := r.git(ctx, "status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames")
	if err != nil {
		return nil, err
	}
	return parseStatus(string(out), exclude)
}

// parseStatus reads the records of "git status --porcelain=v2 -z". See
// "Porcelain Format Version 2" in git-status(1).
func parseStatus(out string, exclude []string) ([]StatusEntry, error) {
	var changes []StatusEntry
	for out != "" {
		var record string
		record, out, _ = strings.Cut(out, "\x00")
		change, ok := parseRecord(record)
		if !ok {
			return nil, fmt.Errorf("git status: the record %q is of a form that is not known", record)
		}
		if record[0] == '2' {
			_, out, _ = strings.Cut(out, "\x00") // the path it was renamed from
		}
		if change.Path != "" && !under(change.Path, exclude) {
			changes = append(changes, change)
		}
	}
	return changes, nil
}

// Without returns the changes except the paths that equal one of exclude, or are below it.
func Without(changes []StatusEntry, exclude ...string) []StatusEntry {
	var left []StatusEntry
	for _, c := range changes {
		if !under(c.Path, exclude) {
			left = append(left, c)
		}
	}
	return left
}

// parseRecord returns a Change without a path for a record that names none.
func parseRecord(record string) (StatusEntry, bool) {
	fields := map[byte]int{'1': 9, '2': 10, 'u': 11, '?': 2, '!': 2, '#': 2}
	if record == "" || fields[record[0]] == 0 {
		return StatusEntry{}, false
	}
	part := strings.SplitN(record, " ", fields[record[0]])
	if len(part) != fields[record[0]] {
		return StatusEntry{}, false
	}
	switch path := part[len(part)-1]; record[0] {
	case '?':
		return StatusEntry{Path: path, XY: "??"}, true
	case '!', '#':
		return StatusEntry{}, true
	default:
		return StatusEntry{Path: path, XY: part[1]}, len(part[1]) == 2 && path != ""
	}
}

// under reports whether path is one of prefixes or below one; a trailing slash
// on either side makes no difference.
func under(path string, prefixes []string) bool {
	path = strings.TrimSuffix(path, "/")
	for _, prefix := range prefixes {
		prefix = strings.TrimSuffix(prefix, "/")
		if path == prefix || strings.HasPrefix(path, prefix) && path[len(prefix)] == '/' {
			return true
		}
	}
	return false
}
