package plan

import (
	"os"
	"path/filepath"

	"ralph/internal/checklist"
	"ralph/internal/prd"
)

// RestoreFrom restores the plan from a snapshot that an earlier process left on disk, as
// Guard does. An agent that was interrupted may have left the plan in any state.
func RestoreFrom(dir, root, label string) ([]Restored, error) {
	return restoreFrom(dir, root, label, func(string) bool { return true })
}

// RestoreBroken restores only what a run needs to start: missing files of an existing feature
// folder, and a prd.json that cannot be read. It is for a unit with no record of its last
// iteration. Then ralph does not know whether an agent was running: other changes may be
// edits of the user.
func RestoreBroken(dir, root, label string) ([]Restored, error) {
	return restoreFrom(dir, root, label, func(rel string) bool {
		path := filepath.Join(root, rel)
		switch filepath.Base(rel) {
		case "prd.json":
			_, _, err := prd.Load(path)
			return err != nil && exists(filepath.Dir(path))
		case "spec.md", "progress.txt":
			return !exists(path) && exists(filepath.Dir(path))
		}
		return false
	})
}

// SnapshotFiles lists the files with a snapshot in the folder dir, as paths from the
// worktree's root.
func SnapshotFiles(dir string) []string { return filesBelow(filepath.Join(dir, "files"), ".") }

// restoreFrom compares the wanted files of the snapshot with the worktree, and restores them.
func restoreFrom(dir, root, label string, wanted func(rel string) bool) ([]Restored, error) {
	base := filepath.Join(dir, "files")
	g := guard{root: root, dir: dir, files: map[string][]byte{}}
	rules := map[string]rule{}
	for _, rel := range filesBelow(base, ".") {
		data, err := os.ReadFile(filepath.Join(base, rel))
		if err != nil {
			return nil, err
		}
		if !wanted(rel) {
			continue
		}
		g.files[rel] = data
		switch filepath.Base(rel) {
		case "prd.json":
			rules[rel] = storyRule
		case "progress.txt":
			rules[rel] = keepAppended
		case "tasks.md":
			rules[rel] = checklist.Merge
		}
	}
	return g.restore(label, rules)
}
