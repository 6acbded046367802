package plan

import (
	"os"
	"path/filepath"
)

// RestoreFrom restores the plan from a snapshot that an earlier process left on disk, as
// Guard does. An agent that was interrupted may have left the plan in any state.
func RestoreFrom(stateDir, root, label string) ([]Restored, error) {
	return restoreFrom(stateDir, root, label, func(File) bool { return true })
}

// RestoreBroken restores only what a run needs to start: missing files of an existing feature
// folder, and a prd.json that cannot be read. It is for a unit with no record of its last
// iteration. Then ralph does not know whether an agent was running: other changes may be
// edits of the user.
func RestoreBroken(stateDir, root, label string) ([]Restored, error) {
	return restoreFrom(stateDir, root, label, func(f File) bool {
		path := filepath.Join(root, f.Path)
		return f.starts != nil && !f.starts(path) && exists(filepath.Dir(path))
	})
}

// SnapshotFiles lists the files with a snapshot in the state directory, as paths from the
// worktree's root.
func SnapshotFiles(stateDir string) []string {
	return filesBelow(filepath.Join(snapshotIn(stateDir), "files"), ".")
}

// Replaced returns the folder of the content that the guard has replaced.
func Replaced(stateDir string) string { return filepath.Join(snapshotIn(stateDir), "replaced") }

// restoreFrom compares the wanted files of the snapshot with the worktree, and restores them.
func restoreFrom(stateDir, root, label string, wanted func(File) bool) ([]Restored, error) {
	dir := snapshotIn(stateDir)
	base := filepath.Join(dir, "files")
	g := guard{root: root, dir: dir, files: map[string][]byte{}, rules: map[string]rule{}}
	for _, rel := range filesBelow(base, ".") {
		data, err := os.ReadFile(filepath.Join(base, rel))
		if err != nil {
			return nil, err
		}
		if f := named(rel); wanted(f) {
			g.files[rel], g.rules[rel] = data, f.agent
		}
	}
	return g.Guard(label)
}

// named returns what the kinds of plans say of a file with this name. The kind of the plan is
// not in the snapshot.
func named(rel string) File {
	for _, k := range kinds() {
		for _, f := range k.files {
			if f.Path == filepath.Base(rel) {
				f.Path = rel
				return f
			}
		}
	}
	return File{Path: rel}
}
