package git

import (
	"compress/zlib"
	"crypto/sha1" // #nosec G505 -- git's own name for content, not a protection
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// store writes objects into a repository. It writes each as a loose object, as git does, and
// starts no process.
type store struct {
	dir     string // of the objects
	newHash func() hash.Hash
	packed  *zlib.Writer // used again: a new one costs more than a small object
}

// store returns the objects of the repository.
func (r *Repo) store() store {
	s := store{dir: filepath.Join(r.CommonDir, "objects"), newHash: sha1.New, packed: zlib.NewWriter(nil)}
	for _, c := range settingsIn(string(readBounded(filepath.Join(r.CommonDir, "config")))) {
		if c.section == "extensions" && c.key == "objectformat" && strings.EqualFold(c.value, "sha256") {
			s.newHash = sha256.New
		}
	}
	return s
}

// writeText stores a text as an object and returns its hash.
func (s store) writeText(kind, text string) (string, error) {
	return s.write(kind, int64(len(text)), strings.NewReader(text))
}

// write stores an object with the first size bytes of content, and returns its hash.
func (s store) write(kind string, size int64, content io.Reader) (hash string, err error) {
	temp, err := os.CreateTemp(s.dir, "tmp_obj_") // git removes one that is left
	if err != nil {
		return "", err
	}
	defer os.Remove(temp.Name())
	defer temp.Close()
	s.packed.Reset(temp)
	if hash, err = hashObject(s.newHash(), s.packed, kind, size, content); err != nil {
		return "", err
	}
	if err := errors.Join(s.packed.Close(), temp.Chmod(0o444), temp.Close()); err != nil {
		return "", err
	}
	return hash, s.place(temp.Name(), hash)
}

// place gives an object its name. The time of one that is there is set, as git does: git may
// remove old objects that nothing names yet.
func (s store) place(temp, hash string) error {
	folder := filepath.Join(s.dir, hash[:2])
	object := filepath.Join(folder, hash[2:])
	if now := time.Now(); os.Chtimes(object, now, now) == nil {
		return nil
	}
	err := os.Rename(temp, object)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	all, err := os.Stat(s.dir) // others may be allowed to write here, too
	if err == nil {
		err = os.Mkdir(folder, 0o777)
	}
	if err == nil {
		err = os.Chmod(folder, all.Mode())
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Rename(temp, object)
}

// hashObject returns the hash of an object with the first size bytes of content, and writes the
// object to w.
func hashObject(sum hash.Hash, w io.Writer, kind string, size int64, content io.Reader) (string, error) {
	both := io.MultiWriter(sum, w)
	if _, err := fmt.Fprintf(both, "%s %d\x00", kind, size); err != nil {
		return "", err
	}
	if _, err := io.CopyN(both, content, size); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// entryOf returns the entry that a file or link of the worktree would have in a commit. If keep
// is true, it stores the content. Where a filter changes what is committed (line ends, LFS),
// git's entry is another one.
func (s store) entryOf(file string, info fs.FileInfo, keep bool) (e TreeEntry, err error) {
	var content io.Reader
	size := info.Size()
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(file)
		if err != nil {
			return TreeEntry{}, err
		}
		e.Mode, size, content = "120000", int64(len(target)), strings.NewReader(target)
	} else {
		f, err := os.OpenFile(file, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if err != nil {
			return TreeEntry{}, err
		}
		defer f.Close()
		e.Mode, content = "100644", f
		if info.Mode()&0o100 != 0 {
			e.Mode = "100755"
		}
	}
	if keep {
		e.Hash, err = s.write("blob", size, content)
	} else {
		e.Hash, err = hashObject(s.newHash(), io.Discard, "blob", size, content)
	}
	return e, err
}

// folderMode is the mode of a folder in a tree.
const folderMode = "040000"

// compose stores the trees of a listing with some files changed, and returns the hash of the
// root. It stores only the folders with a change in them.
func (s store) compose(list listing, edits map[string]TreeEntry) (string, error) {
	folders := map[string]map[string]TreeEntry{".": {}}
	for name := range edits {
		for dir := path.Dir(name); folders[dir] == nil; dir = path.Dir(dir) {
			folders[dir] = map[string]TreeEntry{}
		}
	}
	for name, e := range list.all() {
		if in := folders[path.Dir(name)]; in != nil {
			in[path.Base(name)] = e
		}
	}
	for name, e := range edits {
		folders[path.Dir(name)][path.Base(name)] = e
	}
	depth := func(dir string) int { return len(strings.TrimPrefix(dir, ".")) } // the root is the last
	for _, dir := range slices.SortedFunc(maps.Keys(folders), func(a, b string) int { return depth(b) - depth(a) }) {
		tree, err := treeText(folders[dir])
		if err != nil {
			return "", err
		}
		hash := ""
		if tree != "" || dir == "." {
			if hash, err = s.writeText("tree", tree); err != nil || dir == "." {
				return hash, err
			}
		}
		if edits[dir].Mode == "" { // else a file is in its place
			folders[path.Dir(dir)][path.Base(dir)] = TreeEntry{folderMode, hash}
		}
	}
	return "", nil
}

// treeText returns the content of a tree. It leaves out entries without a hash: they are gone.
func treeText(entries map[string]TreeEntry) (string, error) {
	order := func(name string) string {
		if entries[name].Mode == folderMode {
			return name + "/"
		}
		return name
	}
	var text strings.Builder
	for _, name := range slices.SortedFunc(maps.Keys(entries), func(a, b string) int { return strings.Compare(order(a), order(b)) }) {
		e := entries[name]
		hash, err := hex.DecodeString(e.Hash)
		if err != nil {
			return "", fmt.Errorf("the hash of %s cannot be read: %w", name, err)
		}
		if len(hash) > 0 {
			fmt.Fprintf(&text, "%s %s\x00%s", strings.TrimPrefix(e.Mode, "0"), name, hash)
		}
	}
	return text.String(), nil
}

// writeCommit stores a commit that ralph makes for itself.
func (s store) writeCommit(tree string, parents []string, when time.Time, message string) (string, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "tree %s\n", tree)
	for _, p := range parents {
		fmt.Fprintf(&text, "parent %s\n", p)
	}
	const who = "ralph <ralph@localhost>"
	fmt.Fprintf(&text, "author %s %d +0000\ncommitter %s %d +0000\n\n%s\n", who, when.Unix(), who, when.Unix(), message)
	return s.writeText("commit", text.String())
}
