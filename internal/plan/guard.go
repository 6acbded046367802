package plan

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// settingsFile is guarded with every feature: the settings of a run are read
// once, and an agent that edits them does so for the next run.
const settingsFile = ".ralph/config.yaml"

// rule decides about a changed file. It returns the content that the file must have, and
// what was wrong, empty if the agent may make the change.
type rule func(before, after []byte) (merged []byte, what string)

// guard holds the plan's files as they were before the agent worked.
type guard struct {
	root  string
	dir   string            // where the snapshot is on disk
	specs string            // the folder in which a new file is no agent's to make, from the root; may be empty
	files map[string][]byte // by path from the root; nil where the file was not there and is no agent's to make
	rules map[string]rule   // for what an agent may change, by path from the root
	links map[string]string // targets of folders that were links: the user made them
	modes map[string]fs.FileMode

	stored map[string][]byte // what this process has written below dir
}

// snapshot reads the files of a plan and the settings, and writes them for the
// recovery after a crash. Links are the user's arrangement and not guarded. A missing file that
// the agent may change is the agent's to make.
func (g *guard) snapshot(root, stateDir string, of []File) error {
	files, rules, specs := map[string][]byte{}, map[string]rule{}, ""
	names := []string{settingsFile}
	for _, f := range of {
		switch {
		case f.Folder:
			specs = f.Path
			names = append(names, filesBelow(root, f.Path)...)
		case f.agent == nil || exists(filepath.Join(root, f.Path)):
			names, rules[f.Path] = append(names, f.Path), f.agent
		}
	}
	for _, rel := range names {
		path := filepath.Join(root, rel)
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			continue
		}
		data, err := readRegular(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the plan cannot be read: %w", err)
		}
		if err != nil {
			data = nil
		}
		files[rel] = data
	}
	g.root, g.dir, g.specs, g.files, g.rules = root, snapshotIn(stateDir), specs, files, rules
	g.links, g.modes = map[string]string{}, map[string]fs.FileMode{}
	for _, rel := range g.parents() {
		if info, err := os.Lstat(filepath.Join(root, rel)); err == nil {
			g.modes[rel] = info.Mode()
		}
		if to, err := os.Readlink(filepath.Join(root, rel)); err == nil {
			g.links[rel] = to
		}
	}
	return g.store()
}

// parents are the folders above the guarded files, from the top.
func (g *guard) parents() []string {
	folders := []string{".ralph"}
	for i, c := range g.specs {
		if c == filepath.Separator && g.specs[:i] != ".ralph" {
			folders = append(folders, g.specs[:i])
		}
	}
	if g.specs != "" {
		folders = append(folders, g.specs)
	}
	return folders
}

// store brings the snapshot on disk in line with the one in memory.
func (g *guard) store() error {
	base := filepath.Join(g.dir, "files")
	for rel, data := range g.files {
		// Most iterations change nothing in most files.
		if old, ok := g.stored[rel]; data == nil || ok && bytes.Equal(old, data) {
			continue
		}
		if err := writeSnapshot(g.dir, filepath.Join(base, rel), data); err != nil {
			return fmt.Errorf("the plan's snapshot cannot be written: %w", err)
		}
	}
	g.stored = maps.Clone(g.files)
	for _, rel := range filesBelow(base, ".") {
		if g.files[rel] == nil {
			if err := os.Remove(filepath.Join(base, rel)); err != nil {
				return fmt.Errorf("the plan's snapshot cannot be written: %w", err)
			}
		}
	}
	return nil
}

// Guard implements Plan. It applies the rule of each file of the snapshot.
func (g *guard) Guard(label string) ([]Restored, error) {
	done, err := g.folders(label)
	if err != nil {
		return done, err
	}
	for _, rel := range slices.Sorted(maps.Keys(g.files)) {
		one, err := g.file(label, rel)
		if err != nil {
			return done, fmt.Errorf("%s cannot be restored: %w", rel, err)
		}
		if one != nil {
			done = append(done, *one)
		}
	}
	added, err := g.additions(label)
	return append(done, added...), err
}

// folders restores the folders above the plan that a link or a file has replaced.
func (g *guard) folders(label string) ([]Restored, error) {
	var done []Restored
	for _, rel := range g.parents() {
		info, err := os.Lstat(filepath.Join(g.root, rel))
		switch was := g.modes[rel]; {
		case err != nil:
			continue
		case info.IsDir() && was.IsDir() && was.Perm()&^info.Mode().Perm()&0o700 != 0:
			done = append(done, Restored{Path: rel, What: fmt.Sprintf("its permissions were removed (%04o)", info.Mode().Perm())})
			if err := os.Chmod(filepath.Join(g.root, rel), was.Perm()); err != nil {
				return done, fmt.Errorf("%s cannot be restored: %w", rel, err)
			}
			continue
		case info.IsDir():
			continue
		}
		if to, err := os.Readlink(filepath.Join(g.root, rel)); err == nil && to == g.links[rel] {
			continue
		}
		one, err := g.setAside(label, rel)
		if err != nil {
			return done, fmt.Errorf("%s cannot be restored: %w", rel, err)
		}
		done = append(done, one)
	}
	return done, nil
}

// file compares a file with the snapshot, and restores what the agent may not change.
func (g *guard) file(label, rel string) (*Restored, error) {
	before, path := g.files[rel], filepath.Join(g.root, rel)
	if before == nil {
		return g.unmake(label, rel)
	}
	after, err := readRegular(path)
	if err == nil && bytes.Equal(before, after) {
		return nil, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return &Restored{Path: rel, What: "removed"}, restoreFile(g.dir, path, before)
	}
	if err != nil {
		one, err := g.setAside(label, rel)
		if err != nil {
			return nil, err
		}
		return &one, restoreFile(g.dir, path, before)
	}
	merged, what := before, "edited"
	if r := g.rules[rel]; r != nil {
		merged, what = r(before, after)
	}
	if what == "" {
		return nil, nil
	}
	kept, err := g.keep(label, rel, after)
	if err != nil {
		return nil, err
	}
	return &Restored{Path: rel, What: what, Kept: kept}, restoreFile(g.dir, path, merged)
}

// additions takes files away that appeared among the specifications.
func (g *guard) additions(label string) ([]Restored, error) {
	if g.specs == "" {
		return nil, nil
	}
	var done []Restored
	for _, rel := range filesBelow(g.root, g.specs) {
		if _, ok := g.files[rel]; ok {
			continue
		}
		one, err := g.unmake(label, rel)
		if err != nil {
			return done, err
		}
		if one != nil {
			done = append(done, *one)
		}
	}
	return done, nil
}

// unmake takes a file away that was not there before and is not the agent's to make.
func (g *guard) unmake(label, rel string) (*Restored, error) {
	path := filepath.Join(g.root, rel)
	if !exists(path) {
		return nil, nil
	}
	r, err := g.setAside(label, rel)
	r.What = "added"
	return &r, err
}

// keep stores content before it is replaced: it may be an edit of the user.
func (g *guard) keep(label, rel string, data []byte) (string, error) {
	path := g.keptAs(label, rel)
	return path, writeSnapshot(g.dir, path, data)
}

func (g *guard) keptAs(label, rel string) string {
	return filepath.Join(g.dir, "replaced", label+"-"+strings.ReplaceAll(rel, string(filepath.Separator), "-"))
}

// keepAppended is the rule for progress.txt: what is appended stays; where
// something was cut, it comes back in front of what is new.
func keepAppended(before, after []byte) ([]byte, string) {
	if bytes.HasPrefix(after, before) {
		return after, ""
	}
	// White space at the old end, and line ends, are an editor's matter.
	if trimmed := bytes.TrimRight(unixLines(before), "\n \t"); bytes.HasPrefix(unixLines(after), trimmed) {
		return after, ""
	}
	merged := bytes.Clone(before)
	old := string(before)
	for _, entry := range strings.SplitAfter(string(after), "\n---") {
		if text := strings.TrimSpace(strings.TrimSuffix(entry, "---")); text != "" && !strings.Contains(old, text) {
			merged = append(merged, "\n---\n"+text+"\n"...)
		}
	}
	return merged, "cut or rewritten"
}

func unixLines(data []byte) []byte { return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) }

// filesBelow lists what is neither a folder nor a link below dir, as paths from
// root.
func filesBelow(root, dir string) []string {
	var files []string
	_ = filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Type()&fs.ModeSymlink != 0 {
			return nil //nolint:nilerr // a folder that is gone has no files
		}
		if rel, err := filepath.Rel(root, path); err == nil {
			files = append(files, rel)
		}
		return nil
	})
	return files
}

// snapshotIn returns the folder of the snapshot in the state directory of a unit.
func snapshotIn(stateDir string) string { return filepath.Join(stateDir, "snapshot") }

func exists(path string) bool { _, err := os.Lstat(path); return err == nil }
