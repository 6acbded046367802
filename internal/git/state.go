package git

import (
	"os"
	"path/filepath"
	"strings"
)

// InProgress names the unfinished operation in the worktree: "rebase", "am", "merge",
// "cherry-pick", "revert" or "bisect"; "" if git is idle.
func (r *Repo) InProgress() string {
	// A rebase leaves the marks of the operations it is made of, so it comes first.
	marks := []struct{ file, operation string }{
		{"rebase-merge", "rebase"},
		{"rebase-apply/applying", "am"},
		{"rebase-apply", "rebase"},
		{"MERGE_HEAD", "merge"},
		{"CHERRY_PICK_HEAD", "cherry-pick"},
		{"REVERT_HEAD", "revert"},
	}
	for _, mark := range marks {
		if r.has(mark.file) {
			return mark.operation
		}
	}
	// Between two commits of a series only the list of what is left remains.
	if todo, err := readFile(filepath.Join(r.GitDir, "sequencer", "todo")); err == nil {
		if strings.HasPrefix(string(todo), "revert") {
			return "revert"
		}
		return "cherry-pick"
	}
	if r.has("BISECT_LOG") {
		return "bisect"
	}
	return ""
}

func (r *Repo) has(file string) bool {
	_, err := os.Lstat(filepath.Join(r.GitDir, file))
	return err == nil
}
