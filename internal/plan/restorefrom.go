package plan

import (
	"os"
	"path/filepath"

	"ralph/internal/checklist"
)

// RestoreFrom does what Guard does with a snapshot that an earlier process left
// on disk: an agent that was cut off may have left the plan in any state.
func RestoreFrom(dir, root, label string) ([]Restored, error) {
	return restoreFrom(dir, root, label, func(string) bool { return true })
}

// RestoreBroken puts back only that without which no run can begin: files of a
// feature that are gone although its folder is there, and a prd.json that is none any
// more. It is for a run of whose last iteration the record was lost: whether an agent
// was at work cannot be told then, and all else may be a person's edit.
func RestoreBroken(dir, root, label string) ([]Restored, error) {
	return restoreFrom(dir, root, label, func(rel string) bool {
		path := filepath.Join(root, rel)
		switch filepath.Base(rel) {
		case "prd.json":
			data, err := os.ReadFile(path)
			if err == nil {
				_, err = (&PRD{Root: root, Folder: filepath.Dir(rel)}).parse(data)
			}
			return err != nil && exists(filepath.Dir(path))
		case "spec.md", "progress.txt":
			return !exists(path) && exists(filepath.Dir(path))
		}
		return false
	})
}

// SnapshotFiles lists the files of a plan, from the worktree's root, of which a snapshot is in
// the folder dir.
func SnapshotFiles(dir string) []string { return filesBelow(filepath.Join(dir, "files"), ".") }

// restoreFrom holds those files of the snapshot against the tree that are wanted.
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
			rules[rel] = storyRule((&PRD{Root: root, Folder: filepath.Dir(rel)}).parse)
		case "progress.txt":
			rules[rel] = keepAppended
		case "tasks.md":
			rules[rel] = checklist.Merge
		}
	}
	return g.restore(label, rules)
}
