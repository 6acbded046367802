package git

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Backup holds files and refs that an agent must not change, as they were before it ran.
type Backup struct {
	repo  *Repo
	files map[string]keptFile
	own   string // prefix of the refs
	refs  map[string]string
	notes string // commit of the notes
	noted int64  // size of their log
}

// keptFile is one file; its content is nil if the file did not exist.
type keptFile struct {
	there bool
	mode  fs.FileMode
	data  []byte
}

// Backup keeps files and refs so that Restore can undo changes. These are the settings and
// hooks of the repository, ralph's notes, the refs below own, and the files in more. It
// leaves out other refs: they may belong to a loop in another worktree. It starts no process.
func (r *Repo) Backup(own string, more ...string) *Backup {
	b := &Backup{repo: r, files: map[string]keptFile{}, own: own, refs: r.refsBelow(own),
		notes: r.Notes().tip(), noted: r.Notes().logSize()}
	for _, path := range append(r.protected(), more...) {
		b.files[path] = readKept(path)
	}
	return b
}

// protected are the settings of the repository and its hooks.
func (r *Repo) protected() []string {
	list := []string{filepath.Join(r.CommonDir, "config"), filepath.Join(r.GitDir, "config.worktree"),
		filepath.Join(r.CommonDir, "info", "attributes"), filepath.Join(r.CommonDir, "info", "exclude")}
	hooks, _ := os.ReadDir(filepath.Join(r.CommonDir, "hooks"))
	for _, e := range hooks {
		if !strings.HasSuffix(e.Name(), ".sample") && !e.IsDir() {
			list = append(list, filepath.Join(r.CommonDir, "hooks", e.Name()))
		}
	}
	return list
}

func readKept(path string) keptFile {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return keptFile{}
	case !info.Mode().IsRegular():
		return keptFile{there: true, mode: fs.ModeIrregular}
	}
	return keptFile{there: true, mode: info.Mode().Perm(), data: readBounded(path)}
}

// Restored describes a file or ref that Restore changed back.
type Restored struct {
	Path string
	Was  []byte // what was there instead; nil where nothing was
}

// Restore undoes the changes since the backup and returns what it restored. It keeps the
// settings if only the upstream of a branch changed, as "git push -u" does.
func (b *Backup) Restore(ctx context.Context) ([]Restored, error) {
	var list []Restored
	var failed []error
	for _, path := range b.repo.protected() {
		if _, known := b.files[path]; !known { // a new hook
			b.files[path] = keptFile{}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(b.files)) {
		before, now := b.files[path], readKept(path)
		if before.mode == fs.ModeIrregular || before.there == now.there && before.mode == now.mode && string(before.data) == string(now.data) {
			continue
		}
		if path == filepath.Join(b.repo.CommonDir, "config") && now.there && harmless(string(before.data), string(now.data)) {
			continue
		}
		list = append(list, Restored{Path: path, Was: now.data})
		failed = append(failed, before.write(path))
	}
	now := b.repo.refsBelow(b.own)
	all := maps.Clone(b.refs)
	maps.Copy(all, now)
	for _, ref := range slices.Sorted(maps.Keys(all)) {
		if b.refs[ref] != now[ref] {
			list = append(list, Restored{Path: ref, Was: []byte(now[ref])})
			failed = append(failed, b.repo.SetRef(ctx, ref, b.refs[ref]))
		}
	}
	undone, was, err := b.repo.Notes().restore(ctx, b.notes, b.noted)
	if undone || err != nil {
		list = append(list, Restored{Path: notesRef, Was: []byte(was)})
	}
	return list, errors.Join(append(failed, err)...)
}

// write restores the file.
func (k keptFile) write(path string) error {
	if err := os.RemoveAll(path); err != nil || !k.there {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, k.data, k.mode); err != nil {
		return err
	}
	return os.Chmod(path, k.mode)
}

// harmless reports whether settings differ only in the upstreams of branches. It does not read
// continued lines: with one it returns false.
func harmless(before, now string) bool {
	if strings.Contains(now, "\\") {
		return false
	}
	count := map[setting]int{}
	for _, s := range settingsIn(before) {
		count[s]++
	}
	for _, s := range settingsIn(now) {
		count[s]--
	}
	for s, n := range count {
		if n == 0 || s.key == "" && n > 0 { // a heading may go with its settings
			continue
		}
		if !strings.HasPrefix(s.section, "branch.") || s.key != "" && s.key != "remote" && s.key != "merge" {
			return false
		}
	}
	return true
}
