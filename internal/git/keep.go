package git

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Metadata holds fingerprints of a repository apart from its files: what a check must not
// change. The index is kept as it is.
type Metadata struct {
	head, refs, hooks, config string
	index                     []byte
}

// ReadMetadata reads HEAD, the index, all refs, the hooks and the settings. It starts no process.
func (r *Repo) ReadMetadata() Metadata {
	index, _ := os.ReadFile(filepath.Join(r.GitDir, "index")) // there may be none yet
	return Metadata{
		head:   string(readBounded(filepath.Join(r.GitDir, "HEAD"))),
		index:  index,
		refs:   folderHash(filepath.Join(r.CommonDir, "refs")) + hashed(readBounded(filepath.Join(r.CommonDir, "packed-refs"))),
		hooks:  folderHash(filepath.Join(r.CommonDir, "hooks")),
		config: hashed(readBounded(filepath.Join(r.CommonDir, "config"))) + hashed(readBounded(filepath.Join(r.GitDir, "config.worktree"))),
	}
}

// ChangedSince returns the names of the parts that differ from before. Of the index only the
// entries count: git refreshes its times by itself.
func (r *Repo) ChangedSince(ctx context.Context, before Metadata) ([]string, error) {
	now := r.ReadMetadata()
	var list []string
	for _, part := range []struct{ name, before, now string }{
		{"HEAD", before.head, now.head}, {"branches, tags or notes", before.refs, now.refs},
		{"the hooks", before.hooks, now.hooks}, {"git's settings", before.config, now.config},
	} {
		if part.before != part.now {
			list = append(list, part.name)
		}
	}
	if !bytes.Equal(before.index, now.index) {
		same, err := r.sameEntries(ctx, before.index, now.index)
		if err != nil {
			return nil, err
		}
		if !same {
			list = append(list, "the index")
		}
	}
	return list, nil
}

// sameEntries reports whether two indexes hold the same files.
func (r *Repo) sameEntries(ctx context.Context, one, other []byte) (bool, error) {
	dir, err := os.MkdirTemp("", "ralph-index-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	var entries [2]string
	for i, index := range [][]byte{one, other} {
		file := filepath.Join(dir, strconv.Itoa(i))
		if err := os.WriteFile(file, index, 0o600); err != nil {
			return false, err
		}
		if len(index) == 0 {
			continue
		}
		out, err := runWith(ctx, r.Root, append(r.quiet(), "GIT_INDEX_FILE="+file), nil, "ls-files", "--stage", "-z")
		if err != nil {
			return false, err
		}
		entries[i] = string(out)
	}
	return entries[0] == entries[1], nil
}

func hashed(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:12])
}

// folderHash identifies the files below a folder.
func folderHash(dir string) string {
	sum := sha256.New()
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			info, _ := e.Info()
			mode := fs.FileMode(0)
			if info != nil {
				mode = info.Mode()
			}
			fmt.Fprintf(sum, "%s\x00%v\x00%s\x00", path, mode, readBounded(path))
		}
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

// Keepsake holds files and refs that an agent must not change, as they were before it ran.
type Keepsake struct {
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

// Keep remembers files and refs so that Restore can undo changes. These are the settings and
// hooks of the repository, ralph's notes, the refs below own, and the files in more. It
// leaves out other refs: they may belong to a loop in another worktree. It starts no process.
func (r *Repo) Keep(own string, more ...string) Keepsake {
	k := Keepsake{files: map[string]keptFile{}, own: own, refs: r.refsBelow(own), notes: r.notesTip()}
	if info, err := os.Stat(r.noteLog()); err == nil {
		k.noted = info.Size()
	}
	for _, path := range append(r.protected(), more...) {
		k.files[path] = readKept(path)
	}
	return k
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

// Restore undoes the changes since Keep and returns what it restored. It keeps the settings
// if only the upstream of a branch changed, as "git push -u" does.
func (r *Repo) Restore(ctx context.Context, k Keepsake) ([]Restored, error) {
	var list []Restored
	var failed []error
	for _, path := range r.protected() {
		if _, known := k.files[path]; !known { // a new hook
			k.files[path] = keptFile{}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(k.files)) {
		before, now := k.files[path], readKept(path)
		if before.mode == fs.ModeIrregular || before.there == now.there && before.mode == now.mode && string(before.data) == string(now.data) {
			continue
		}
		if path == filepath.Join(r.CommonDir, "config") && now.there && harmless(string(before.data), string(now.data)) {
			continue
		}
		list = append(list, Restored{Path: path, Was: now.data})
		failed = append(failed, before.write(path))
	}
	now := r.refsBelow(k.own)
	for _, ref := range slices.Sorted(maps.Keys(merged(k.refs, now))) {
		if k.refs[ref] == now[ref] {
			continue
		}
		list = append(list, Restored{Path: ref, Was: []byte(now[ref])})
		args := []string{"update-ref", ref, k.refs[ref]}
		if k.refs[ref] == "" {
			args = []string{"update-ref", "-d", ref}
		}
		_, err := r.git(ctx, args...)
		failed = append(failed, err)
	}
	undone, was, err := r.restoreNotes(ctx, k.notes, k.noted)
	if undone || err != nil {
		list = append(list, Restored{Path: notesRef, Was: []byte(was)})
	}
	return list, errors.Join(append(failed, err)...)
}

func merged(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
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
	count := map[string]int{}
	for key, value := range settingsIn(before) {
		count[key+"="+value]++
	}
	for key, value := range settingsIn(now) {
		count[key+"="+value]--
	}
	for entry, n := range count {
		key, _, _ := strings.Cut(entry, "=")
		if n != 0 && (!strings.HasPrefix(key, "branch.") || !strings.HasSuffix(key, ".remote") && !strings.HasSuffix(key, ".merge")) {
			return false
		}
	}
	for name := range sectionsIn(now) {
		if !strings.HasPrefix(name, "branch.") && !sectionsIn(before)[name] {
			return false
		}
	}
	return true
}

// refsBelow returns the refs with that prefix, which ends in a slash or names one ref. It reads
// git's files itself.
func (r *Repo) refsBelow(prefix string) map[string]string {
	refs := map[string]string{}
	for line := range strings.Lines(string(readBounded(filepath.Join(r.CommonDir, "packed-refs")))) {
		if hash, ref, ok := strings.Cut(strings.TrimSpace(line), " "); ok && strings.HasPrefix(ref, prefix) {
			refs[ref] = hash
		}
	}
	_ = filepath.WalkDir(filepath.Join(r.CommonDir, prefix), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		if ref, err := filepath.Rel(r.CommonDir, path); err == nil {
			refs[ref] = strings.TrimSpace(string(readBounded(path)))
		}
		return nil
	})
	return refs
}
