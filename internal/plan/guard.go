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

// rule decides what becomes of a file that changed: the content it shall have,
// and what was wrong, empty where the change was the agent's to make.
type rule func(before, after []byte) (merged []byte, what string)

// untouchable is the rule for files that are not the agent's at all.
func untouchable(before, _ []byte) ([]byte, string) { return before, "edited" }

// guard holds the plan's files as they were before the agent worked.
type guard struct {
	root  string
	dir   string            // where the snapshot is on disk
	specs string            // the folder in which a new file is no agent's to make, from the root
	files map[string][]byte // by path from the root
}

// snapshot reads every file that counts, and writes it below dir for a process
// that comes after a crash.
func (g *guard) snapshot(root, folder, dir string) error {
	files := map[string][]byte{}
	read := func(rel string) error {
		data, err := readRegular(filepath.Join(root, rel))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the plan cannot be read: %w", err)
		}
		files[rel] = data
		return nil
	}
	for _, name := range []string{"prd.json", "spec.md", "progress.txt", "prompt.md"} {
		if err := read(filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	if err := read(settingsFile); err != nil {
		return err
	}
	specs := filepath.Join(folder, "specs")
	for _, rel := range filesBelow(root, specs) {
		if err := read(rel); err != nil {
			return err
		}
	}
	g.root, g.dir, g.specs, g.files = root, dir, specs, files
	return g.store()
}

// store brings the snapshot on disk in line with the one in memory.
func (g *guard) store() error {
	base := filepath.Join(g.dir, "files")
	for rel, data := range g.files {
		if err := writeSnapshot(filepath.Join(base, rel), data); err != nil {
			return fmt.Errorf("the plan's snapshot cannot be written: %w", err)
		}
	}
	for _, rel := range filesBelow(base, ".") {
		if _, ok := g.files[rel]; !ok {
			if err := os.Remove(filepath.Join(base, rel)); err != nil {
				return fmt.Errorf("the plan's snapshot cannot be written: %w", err)
			}
		}
	}
	return nil
}

// restore holds every file of the snapshot against the tree.
func (g *guard) restore(label string, rules map[string]rule) ([]Restored, error) {
	done, err := g.folders()
	if err != nil {
		return done, err
	}
	for _, rel := range slices.Sorted(maps.Keys(g.files)) {
		r, ok := rules[rel]
		if !ok {
			r = untouchable
		}
		one, err := g.file(label, rel, r)
		if err != nil {
			return done, fmt.Errorf("%s cannot be put back: %w", rel, err)
		}
		if one != nil {
			done = append(done, *one)
		}
	}
	added, err := g.additions(label)
	return append(done, added...), err
}

// folders makes the folders above the plan real again where a link or a file
// took their place.
func (g *guard) folders() ([]Restored, error) {
	var done []Restored
	for _, rel := range []string{".ralph", filepath.Dir(g.specs), g.specs} {
		info, err := os.Lstat(filepath.Join(g.root, rel))
		if err != nil || info.IsDir() {
			continue
		}
		if err := os.Remove(filepath.Join(g.root, rel)); err != nil {
			return done, fmt.Errorf("%s cannot be put back: %w", rel, err)
		}
		done = append(done, Restored{Path: rel, What: "replaced by something that is no folder"})
	}
	return done, nil
}

func (g *guard) file(label, rel string, r rule) (*Restored, error) {
	before, path := g.files[rel], filepath.Join(g.root, rel)
	after, err := readRegular(path)
	if err == nil && bytes.Equal(before, after) {
		return nil, nil
	}
	if err != nil {
		what := "removed"
		if !errors.Is(err, fs.ErrNotExist) {
			what = "replaced by something that is no plain file"
		}
		return &Restored{Path: rel, What: what}, putBack(path, before)
	}
	merged, what := r(before, after)
	if what == "" {
		return nil, nil
	}
	kept, err := g.keep(label, rel, after)
	if err != nil {
		return nil, err
	}
	return &Restored{Path: rel, What: what, Kept: kept}, putBack(path, merged)
}

// additions takes files away that appeared among the specifications.
func (g *guard) additions(label string) ([]Restored, error) {
	var done []Restored
	for _, rel := range filesBelow(g.root, g.specs) {
		if _, ok := g.files[rel]; ok {
			continue
		}
		path := filepath.Join(g.root, rel)
		data, err := readRegular(path)
		if err != nil {
			continue // gone again, or no plain file: nobody reads it as a specification
		}
		kept, err := g.keep(label, rel, data)
		if err != nil {
			return done, err
		}
		if err := os.Remove(path); err != nil {
			return done, err
		}
		done = append(done, Restored{Path: rel, What: "added", Kept: kept})
	}
	return done, nil
}

// keep stores what is about to be replaced: it may have been a person's edit.
func (g *guard) keep(label, rel string, data []byte) (string, error) {
	name := label + "-" + strings.ReplaceAll(rel, string(filepath.Separator), "-")
	path := filepath.Join(g.dir, "replaced", name)
	return path, writeSnapshot(path, data)
}

// keepAppended is the rule for progress.txt: what is appended stays; where
// something was cut, it comes back in front of what is new.
func keepAppended(before, after []byte) ([]byte, string) {
	if bytes.HasPrefix(after, before) {
		return after, ""
	}
	if trimmed := bytes.TrimRight(before, "\r\n \t"); bytes.HasPrefix(after, trimmed) {
		return after, "" // only the white space at the old end gave way
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

// filesBelow lists what is not a folder below dir, as paths from root.
func filesBelow(root, dir string) []string {
	var files []string
	_ = filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // a folder that is gone has no files
		}
		if rel, err := filepath.Rel(root, path); err == nil {
			files = append(files, rel)
		}
		return nil
	})
	return files
}

// RestoreFrom puts a prd plan's files back from a snapshot on disk where an
// agent that was cut off left them broken or gone. Files that can be read stay
// as they are.
func RestoreFrom(dir, root string) ([]Restored, error) {
	base := filepath.Join(dir, "files")
	var done []Restored
	for _, rel := range filesBelow(base, ".") {
		data, err := os.ReadFile(filepath.Join(base, rel))
		if err != nil {
			return done, err
		}
		now, err := readRegular(filepath.Join(root, rel))
		if err == nil && !(filepath.Base(rel) == "prd.json" && broken(data, now)) {
			continue
		}
		if err := putBack(filepath.Join(root, rel), data); err != nil {
			return done, err
		}
		done = append(done, Restored{Path: rel, What: "left broken by an agent that was cut off"})
	}
	return done, nil
}

// broken reports whether a prd.json could be read before and cannot be now.
func broken(before, after []byte) bool {
	_, what := mergeStories(before, after)
	return strings.Contains(what, "left unreadable")
}

func exists(path string) bool { _, err := os.Lstat(path); return err == nil }
